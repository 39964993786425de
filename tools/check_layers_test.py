"""Plants layering violations in small trees and expects check_layers to report each; also checks that clean trees
pass."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers  # noqa: E402


def breaches(files):
    """Returns the violations in a tree whose files are given as {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return check_layers.check(root)


class IncludeTest(unittest.TestCase):
    def expect(self, path, line, *parts, others=()):
        """Expects exactly one violation, on line 1 of `path`, whose text contains all `parts`. `others` lists further
        files in the tree."""
        found = breaches({path: line + "\n", **{other: "\n" for other in others}})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(path + ":1: "), found)
        for part in parts:
            self.assertIn(part, found[0])

    def expect_clean(self, path, line, others=()):
        self.assertEqual(breaches({path: line + "\n", **{other: "\n" for other in others}}), [])

    def test_upward(self):
        self.expect("ir/a.h", '#include "machine/b.h"', "machine is above ir", others=["machine/b.h"])
        self.expect("store/a.cc", '#include "pipeline/b.h"', "above", others=["pipeline/b.h"])
        self.expect("server/a.cc", '#  include "cli/b.h"', "above", others=["cli/b.h"])

    def test_downward(self):
        self.expect_clean("machine/a.h", '#include "ir/b.h"', others=["ir/b.h"])
        self.expect_clean("machine/a.h", '#include "proto/rewrought/v1/x.pb.h"', others=["proto/rewrought/v1/x.proto"])
        self.expect_clean("pipeline/a.cc", '#include "store/b.h"', others=["store/b.h"])

    def test_stages_never_use_each_other(self):
        stages = ["corpus", "enumerator", "verifier", "emitter"]
        for user in stages:
            for used in stages:
                if user != used:
                    self.expect(user + "/a.cc", '#include "%s/b.h"' % used, "same layer", others=[used + "/b.h"])
                    self.expect(user + "/a_test.cc", '#include "%s/b.h"' % used, others=[used + "/b.h"])

    def test_relative_path_does_not_hide_a_breach(self):
        self.expect("ir/a.h", '#include "../machine/b.h"', "above", others=["machine/b.h"])

    def test_test_folders(self):
        self.expect("ir/a.cc", '#include "tests/b.h"', "for tests only", others=["tests/b.h"])
        self.expect_clean("ir/a_test.cc", '#include "tests/b.h"', others=["tests/b.h"])
        self.expect_clean("tests/a_test.cc", '#include "server/b.h"', others=["server/b.h"])

    def test_unknown_folder(self):
        self.expect("helpers/a.cc", '#include "ir/b.h"', "has no layer", others=["ir/b.h"])

    def test_externals(self):
        for line, owner in (("#include <sqlite3.h>", "store/a.cc"),
                            ("#include <grpcpp/grpcpp.h>", "server/a.cc"),
                            ('#include "proto/rewrought/v1/s.grpc.pb.h"', "server/a.cc"),
                            ("#include <boost/beast/http.hpp>", "server/a.cc"),
                            ("#include <z3++.h>", "verifier/worker_main.cc"),
                            ("#include <z3.h>", "verifier/worker/solve.cc")):
            self.expect_clean(owner, line, others=["proto/x.proto"])
            for path in ("ir/a.cc", "verifier/a.cc", "pipeline/a.cc", "cli/a.cc"):
                self.expect(path, line, "only", others=["proto/x.proto"])


class BuildTest(unittest.TestCase):
    def test_dependency_upward(self):
        found = breaches({"ir/BUILD": '\ncc_library(\n    name = "a",\n    deps = ["//machine:b"],\n)\n',
                          "machine/BUILD": 'cc_library(name = "b")\n'})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("ir/BUILD:2: //ir:a depends on //machine:b"), found)

    def test_computed_dependencies_are_seen(self):
        found = breaches({"corpus/BUILD": 'cc_library(name = "a", deps = ["//%s" % x for x in ["ir", "emitter:b"]])\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("same layer", found[0])

    def test_external_library(self):
        for library in ("sqlite3", "grpc++", "beast", "z3"):
            text = 'cc_library(name = "a", srcs = ["a.cc"], deps = ["@system_libs//:%s"])\n' % library
            self.assertEqual(len(breaches({"machine/BUILD": text})), 1, library)
        self.assertEqual(breaches({"store/BUILD": 'cc_library(name = "a", deps = ["@system_libs//:sqlite3"])\n'}), [])

    def test_solver_by_file_name(self):
        text = 'cc_binary(name = "%s", srcs = ["%s.cc"], deps = ["@system_libs//:z3"])\n'
        self.assertEqual(breaches({"verifier/BUILD": text % ("worker", "worker_main")}), [])
        self.assertEqual(len(breaches({"verifier/BUILD": text % ("worker", "main")})), 1)

    def test_solver_through_another_target(self):
        found = breaches({"verifier/worker/BUILD": 'cc_library(name = "solve", deps = ["@system_libs//:z3"])\n',
                          "verifier/BUILD": 'cc_library(name = "pool", deps = ["//verifier/worker:solve"])\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("//verifier:pool links a solver through //verifier/worker:solve", found[0])

    def test_grpc_through_the_schemas(self):
        files = {"proto/BUILD": 'cc_grpc(name = "services_cc", srcs = ["s.proto"])\n',
                 "pipeline/BUILD": 'cc_library(name = "job", deps = ["//proto:services_cc"])\n'}
        found = breaches(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn("links gRPC", found[0])
        files["server/BUILD"] = files.pop("pipeline/BUILD")
        self.assertEqual(breaches(files), [])

    def test_unreadable_build_is_an_error(self):
        with self.assertRaises(check_layers.UnreadableBuild):
            breaches({"ir/BUILD": 'load("//x:y.bzl", "DEPS")\ncc_library(name = "a", deps = ["//ir:b"] + DEPS)\n'})


if __name__ == "__main__":
    unittest.main()

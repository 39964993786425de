"""Plants one style problem at a time and expects check_style to report it; also checks that clean files pass."""
import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_style  # noqa: E402

HEADER = "// What the file is for.\n"
STYLE = {".clang-format": "BasedOnStyle: Google\nColumnLimit: 120\n"}


def problems(path, text, others=None):
    """Returns the problems of a tree with `text` at `path` and with the files in `others`, which maps paths to
    contents."""
    with tempfile.TemporaryDirectory() as root:
        for name, content in {path: text, **STYLE, **(others or {})}.items():
            os.makedirs(os.path.join(root, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(root, name), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return check_style.check(root)


class StyleTest(unittest.TestCase):
    def expect(self, path, text, part):
        found = problems(path, text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_clean(self):
        self.assertEqual(problems("ir/a.cc", HEADER + "int x;\n"), [])
        self.assertEqual(problems("tools/a.sh", "#!/bin/sh\n# What it does.\n"), [])
        self.assertEqual(problems("corpus/samples/a.spv", b"\x03\x02\x23\x07\xff\xfe"), [])

    def test_header_comment(self):
        self.expect("ir/a.cc", "int x;\n", "no header comment")
        self.expect("tools/a.py", "#!/usr/bin/env python3\nimport os\n", "no header comment")
        self.assertEqual(problems("ir/a.cc", "int x;\n", {"ir/a.h": HEADER}), [])
        self.assertEqual(problems("ir/a_test.cc", "int x;\n", {"ir/a.h": HEADER}), [])
        self.expect("third_party/a.bzl", "x = 1\n", "no header comment")

    def test_length(self):
        at_limit = HEADER + "int x;\n" * (check_style.MAX_LINES - 1)
        self.assertEqual(problems("ir/a.cc", at_limit), [])
        self.expect("ir/a.cc", at_limit + "int x;\n", "701 lines")
        self.assertEqual(problems("ir/a_test.cc", at_limit + "int x;\n"), [])

    def test_format(self):
        if check_style.clang_format() is None:
            self.skipTest("clang-format %d is not installed" % check_style.CLANG_FORMAT_VERSION)
        self.assertEqual(problems("ir/a.cc", HEADER + "int x;\n"), [])
        self.assertEqual(problems("ir/a.cc", HEADER + "int  x;\n"), ["ir/a.cc: clang-format would change it"])

    def test_only_one_version_of_clang_format_is_used(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"PATH": folder}):
            def install(name, version):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\necho Debian clang-format version %s\n" % version)
                os.chmod(path, 0o755)
                return path

            self.assertIsNone(check_style.clang_format())
            install("clang-format", "19.1.7")
            self.assertIsNone(check_style.clang_format())
            self.assertEqual(problems("ir/a.cc", HEADER + "int  x;\n"), [])
            other = install("clang-format", "14.0.6")
            self.assertEqual(check_style.clang_format(), other)
            self.assertEqual(check_style.clang_format(), shutil.which("clang-format"))
            versioned = install("clang-format-14", "14.0.6")
            self.assertEqual(check_style.clang_format(), versioned)

    def test_files_are_opened_with_limits(self):
        for line in ("std::ifstream file(path);", "int file = open(path, O_RDONLY);", "FILE* file = fopen(path, 0);"):
            self.expect("ir/a.cc", HEADER + line + "\n", "ir/a.cc:2: opens a file without a limit")
            self.assertEqual(problems("ir/a_test.cc", HEADER + line + "\n"), [])
            self.assertEqual(problems("store/a.cc", HEADER + line + "\n"), [])
            self.assertEqual(problems("server/metrics.cc", HEADER + line + "\n"), [])
        self.assertEqual(problems("ir/a.cc", HEADER + "std::vector<int> open(count, 0);\n// fopen(path)\n"), [])
        self.expect("server/metrics.cc", HEADER + "int x;\n", "opens no file; remove it")

    def test_columns(self):
        self.expect("ir/a.cc", HEADER + 'const char x[] =\n    R"(' + "x" * 119 + ')";\n', "ir/a.cc:3: more than 120 columns")
        self.expect("docs/a.md", "x" * 121 + "\n", "docs/a.md:1: more than 120 columns")
        self.expect("web/a.ts", "// " + "x" * 118 + "\n", "web/a.ts:1: more than 120 columns")
        self.assertEqual(problems("docs/a.md", "| " + "x" * 121 + " |\n" + "x" * 120 + "\n"), [])

    def test_index_of_decisions(self):
        index = "# Decisions\n\n## [Build](build.md)\n- One way\n"
        one = {"docs/decisions/build.md": "# Build\n\n## One way\nWhy.\n"}
        self.assertEqual(problems("docs/decisions/README.md", index, one), [])
        both = {"docs/decisions/build.md": one["docs/decisions/build.md"] + "\n## Another\nWhy.\n"}
        self.assertEqual(problems("docs/decisions/README.md", index, both),
                         ['docs/decisions/build.md: "Another" is not in docs/decisions/README.md'])
        self.assertEqual(problems("docs/decisions/README.md", index + "- No more\n", one),
                         ['docs/decisions/README.md: no decision is named "No more"'])

    def test_files_that_are_not_there(self):
        there = {"ir/term.h": HEADER, "docs/nir.md": "# NIR\n", "machine/a.textproto": "# A machine.\n"}
        good = "// As ir/term.h, ir/term, machine and docs/nir.md say; nir_search.c and x.h are others', term.h is ours.\n"
        self.assertEqual(problems("ir/a.cc", good, there), [])
        for named in ("ir/gone.h", "docs/gone.md", "gone.cc"):
            found = problems("ir/a.cc", "// As %s says.\n" % named, there)
            self.assertEqual(found, ["ir/a.cc:1: names %s, which does not exist" % named])
            self.assertIn("names " + named, problems("docs/a.md", "See `%s`.\n" % named, there)[0])
        self.assertEqual(problems("ir/a.cc", HEADER + 'const char* x = "ir/gone.h";\n', there), [])
        self.assertEqual(problems("CHANGELOG.md", "ir/gone.h is gone.\n", there), [])

    def test_crowded_folder(self):
        files = {"ir/a%d.h" % i: HEADER for i in range(check_style.MAX_FILES)}
        self.assertEqual(problems("ir/data.txt", "x\n", files), [])
        found = problems("ir/b.h", HEADER, files)
        self.assertEqual(len(found), 1, found)
        self.assertIn("ir: 41 files", found[0])

    def test_types_of_one_name(self):
        text = HEADER + "namespace a {\n%sstruct Pattern {\n  int x = 0;\n};\n%s\n}  // namespace a\n"
        one = {"ir/a.h": text % ("", "")}
        self.assertEqual(problems("ir/b.h", text % ("", ""), one),
                         ["ir/b.h:3: type a::Pattern is also defined in ir/a.h"])
        unnamed = text % ("namespace {\n\n", "\n}  // namespace")
        self.assertEqual(problems("ir/b.cc", unnamed, one), [])
        self.assertEqual(problems("ir/b.h", (text % ("", "")).replace("Pattern", "Other"), one), [])
        self.assertEqual(problems("ir/b.h", (text % ("", "")).replace("space a", "space b"), one), [])

    def test_machine_path(self):
        for place in ("home", "root", "work"):
            self.expect("docs/a.md", "see /%s/somebody/x\n" % place, "one machine only")
        self.assertEqual(problems("docs/a.md", "see docs/work/x, $DIR/work/x and https://example.org/home/x\n"), [])


if __name__ == "__main__":
    unittest.main()

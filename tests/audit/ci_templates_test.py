"""Runs the steps of the templates in tools/ci in a clone of a small repository that resembles Mesa's.

usage: ci_templates_test.py REWROUGHT
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

RULES = """import nir_algebraic
nir_algebraic.AlgebraicPass('small_pass', [
    (('iadd', 'a', 0), 'a'),
    (('isub', 'a', 'b'), ('isub', 'b', 'a')),
]).render()
"""
BROKEN = RULES.replace("'a', 0), 'a')", "'a', 1), 'a')")
UNDECIDED = RULES.replace("]).render", "    (('umin@64', ('umax', 'a', 'b'), 'a'), 'a'),\n]).render")
VERDICTS = "src/compiler/nir/rule-verdicts.txt"


def load(name):
    with open(os.path.join("tools/ci", name), encoding="utf-8") as file:
        return yaml.safe_load(file)


class CiTemplatesTest(command_line.CommandLineTest):
    def setUp(self):
        """Creates a repository whose commit `base` has a verdict file, and a clone of it."""
        super().setUp()
        self.git(self.folder, "init", "-q", "-b", "main")
        small_tree.write(self, RULES)
        self.record()
        self.base = self.commit("base")

    def git(self, folder, *arguments):
        command = ["git", "-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.org"]
        done = subprocess.run(command + list(arguments), check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def record(self):
        self.run_it("audit", self.path("src/compiler/nir"), "--jobs", 1, "--verdicts", self.path(".git/verdicts"),
                    "--record", self.path(VERDICTS))

    def commit(self, message):
        self.git(self.folder, "add", "src")
        self.git(self.folder, "commit", "-q", "-m", message)
        return self.git(self.folder, "rev-parse", "HEAD")

    def clone(self):
        """Returns a shallow clone, as CI systems make it, of the current commit."""
        clone = self.path("clone")
        subprocess.run(["rm", "-rf", clone], check=True)
        self.git(self.folder, "clone", "-q", "--depth", "1", "file://" + self.folder, clone)
        return clone

    def shell(self, script, environment):
        clone = self.clone()
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=clone, check=False, timeout=120,
                              env=dict(os.environ, REWROUGHT_WORKER="/nonexistent", **environment),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout, clone

    def gitlab(self, base):
        pipeline = load("gitlab-ci.yml")
        variables = {name: str(value) for name, value in pipeline["variables"].items()}
        variables.update(REWROUGHT=command_line.BINARY, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
        code, out, clone = self.shell("\n".join(pipeline["nir-rules"]["script"]), variables)
        artifacts = pipeline["nir-rules"]["artifacts"]
        for report in list(artifacts["reports"].values()) + artifacts["paths"]:
            self.assertTrue(os.path.exists(os.path.join(clone, report)), out)
        failures = xml.etree.ElementTree.parse(os.path.join(clone, "nir-rules.xml")).findall(".//failure")
        with open(os.path.join(clone, "nir-rules.json"), encoding="utf-8") as file:
            critical = [entry for entry in json.load(file) if entry["severity"] == "critical"]
        self.assertEqual(len(failures), len(critical))
        for entry in critical:
            self.assertTrue(os.path.exists(os.path.join(clone, entry["location"]["path"])))
        return code, out, len(failures)

    def github(self, base):
        action = load("action.yml")
        inputs = {name: one["default"] for name, one in action["inputs"].items()}
        self.assertEqual(inputs["base"], "${{ github.event.pull_request.base.sha }}")
        inputs.update(rewrought=command_line.BINARY, base=base)
        step, upload = action["runs"]["steps"]
        self.assertEqual(upload["with"]["sarif_file"], "nir-rules.sarif")
        self.assertNotIn("${{", step["run"], "an expression in a script could inject commands")
        environment = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found.group(1)], value)
                       for name, value in step["env"].items()}
        code, out, clone = self.shell(step["run"], environment)
        with open(os.path.join(clone, "nir-rules.sarif"), encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        return code, out, sum(one["level"] == "error" and "suppressions" not in one for one in results)

    def test_an_unchanged_tree_passes(self):
        self.assertEqual(self.gitlab(self.base)[::2], (0, 0))
        self.assertEqual(self.github(self.base)[::2], (0, 0))
        self.assertEqual(self.gitlab("")[::2], (0, 0), "a pipeline without a merge request")
        self.assertEqual(self.github("")[::2], (0, 0))

    def test_a_commit_that_breaks_a_rule_fails(self):
        small_tree.write(self, BROKEN)
        self.commit("break a rule")
        for run in (self.gitlab, self.github):
            code, out, errors = run(self.base)
            self.assertEqual((code, errors), (1, 1), out)
            self.assertIn("nir_opt_algebraic.py:3: refuted", out)

    def test_recording_the_broken_rule_does_not_hide_it(self):
        small_tree.write(self, BROKEN)
        self.record()
        self.commit("break a rule, and record it")
        for run in (self.gitlab, self.github):
            code, out, errors = run(self.base)
            self.assertEqual((code, errors), (1, 1), out)

    def test_a_missing_verdict_is_a_warning(self):
        small_tree.write(self, UNDECIDED)
        self.commit("add a rule that needs a solver")
        code, out, errors = self.gitlab(self.base)
        self.assertEqual((code, errors), (3, 0), out)
        self.assertEqual(load("gitlab-ci.yml")["nir-rules"]["allow_failure"], {"exit_codes": [3]})
        code, out, errors = self.github(self.base)
        self.assertEqual((code, errors), (0, 0), out)
        self.assertIn("::warning::Verdicts are missing", out)

    def test_the_first_record_has_nothing_to_compare_with(self):
        self.git(self.folder, "rm", "-q", VERDICTS)
        base = self.commit("a tree without a verdict file")
        self.record()
        self.commit("add the file")
        self.assertEqual(self.gitlab(base)[::2], (0, 0))
        self.assertEqual(self.github(base)[::2], (0, 0))


if __name__ == "__main__":
    command_line.main()

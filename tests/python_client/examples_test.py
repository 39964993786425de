"""Runs each example of the Python library with a server and without one, and compares its output with the expected one.

usage: examples_test.py MAKE_DATABASE MAKE_PACKS REWROUGHT [--update FOLDER]
--update writes the outputs to FOLDER, to be copied to clients/python/examples/expected.
"""
import os
import subprocess
import sys
import unittest

import setting
from setting import path_of

EXAMPLES = os.path.join(setting.LIBRARY, "examples")
UPDATE = None
INPUT = os.path.join(EXAMPLES, "inputs/rules.txt")

# The arguments and the exit status of each example.
CASES = {
    "check_file": ([INPUT], 2),
    "weakest_flags": ([INPUT], 0),
    "explain_counterexample": (["(('fge(nnan)', a, ('fmax', b, a)), ('fge', a, b))"], 1),
    "evaluate": (["('fadd', a, b)", "a=1e-40", "b=-0.0"], 0),
    "which_constants": (["(('ushr@32', ('ishl', a, {N}), {N}), ('extract_u8', a, 0))", "0", "63"], 0),
    "improve_on_machines": (["60", "('iand@32', ('inot', ('iand', a, b)), ('ior', a, b))", "intel_gen9", "ir3_a6xx",
                             "v3d_42"], 0),
    "audit_tree": (["TREE"], 1),
    "compare_commits": (["REPOSITORY", "HEAD~1", "HEAD"], 1),
    "find_rules": (["('fneg', ('fneg', 'a@32'))"], 0),
    "build_pack": (["intel_gen9", "FOLDER"], 0),
}
DATABASES = {"build_pack": "proved.db"}


def git(repository, *arguments):
    subprocess.run(["git", "-C", repository, "-c", "user.name=t", "-c", "user.email=t@localhost", *arguments],
                   check=True, stdout=subprocess.DEVNULL)


def make_repository():
    """Returns a repository with two commits: the second one changes a correct rule, adds one, and removes one."""
    old = setting.RULES.replace("(('isub', a, b), ('isub', b, a)),", "(('isub', a, a), 0),")
    new = old.replace("(('isub', a, a), 0),", "(('ior', a, a), a),\n   (('ishl', a, 1), ('iadd', a, 1)),")
    for rules in (old, new):
        setting.make_tree("repository", rules)
        if rules is old:
            git(path_of("repository"), "init", "--quiet")
        git(path_of("repository"), "add", "src")
        git(path_of("repository"), "commit", "--quiet", "-m", "rules")
    return path_of("repository")


class ExamplesTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.words = {"TREE": setting.make_tree("tree", setting.RULES), "REPOSITORY": make_repository()}

    def run_example(self, name, way, case=None, **environment):
        """Runs an example with the arguments and the expected exit status of `case`, by default those in CASES. Returns
        its output, in which the names of temporary folders are replaced."""
        folder = path_of("%s_%s" % (name, way))
        words = dict(self.words, FOLDER=folder)
        arguments, status = case or CASES[name]
        command = [sys.executable, os.path.join(EXAMPLES, name + ".py"), *(words.get(one, one) for one in arguments)]
        done = subprocess.run(command, env=dict(os.environ, **environment), capture_output=True, text=True, timeout=240,
                              check=False)
        self.assertEqual(done.returncode, status, "%s, %s:\n%s%s" % (name, way, done.stdout, done.stderr))
        self.assertNotIn("Traceback", done.stderr)
        output = done.stdout
        for word, path in words.items():
            output = output.replace(path, word)
        return output

    def check(self, name):
        made = DATABASES.get(name, "made.db")
        server = setting.make_server(made=made)
        self.addCleanup(server.stop)
        token = setting.write("token_admin", "token-admin\n")
        with_server = self.run_example(name, "server", REWROUGHT_SERVER=server.http, REWROUGHT_TOKEN_FILE=token)
        alone = self.run_example(name, "alone", REWROUGHT_DATABASE=path_of(made), REWROUGHT_PACKS=setting.copy_packs())
        self.assertEqual(alone, with_server)
        if UPDATE is not None:
            with open(os.path.join(UPDATE, name + ".txt"), "w", encoding="utf-8") as file:
                file.write(alone)
            return
        with open(os.path.join(EXAMPLES, "expected", name + ".txt"), encoding="utf-8") as file:
            self.assertEqual(alone, file.read())

    def test_exit_statuses_of_check_file(self):
        for rule, status in (("(('iadd', a, 0), a)", 0), ("(('iadd', a, 1), a)", 1), ("(('iadd', a 1), a)", 2)):
            path = setting.write("one.rules", rule + "\n")
            self.run_example("check_file", "status", ([path], status))

    def test_all_examples_are_tested(self):
        names = {name.removesuffix(".py") for name in os.listdir(EXAMPLES) if name.endswith(".py")}
        self.assertEqual(names, set(CASES))
        self.assertEqual(len(names), 10)


for example in CASES:
    setattr(ExamplesTest, "test_" + example, lambda self, name=example: self.check(name))

if __name__ == "__main__":
    if "--update" in sys.argv:
        at = sys.argv.index("--update")
        UPDATE = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    setting.main()

"""Checks the types of the Python library and of its examples with mypy --strict.

usage: types_test.py
"""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

LIBRARY = os.path.join(os.getcwd(), "clients/python")
WRONG = """
import rewrought
def status(client: rewrought.Client) -> int:
    return client.check("").status
"""


class TypesTest(unittest.TestCase):
    def setUp(self):
        self.assertIsNotNone(importlib.util.find_spec("mypy"), "mypy is not installed; run tools/install_packages.sh")

    def mypy(self, *paths):
        cache = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *paths],
                              env=dict(os.environ, MYPYPATH=LIBRARY), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=280, check=False)

    def test_library_and_examples(self):
        examples = sorted(os.path.join(LIBRARY, "examples", name) for name in os.listdir(LIBRARY + "/examples")
                          if name.endswith(".py"))
        self.assertEqual(len(examples), 10)
        done = self.mypy("-p", "rewrought")
        self.assertEqual(done.returncode, 0, done.stdout)
        done = self.mypy(*examples)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_wrong_types_are_found(self):
        path = os.path.join(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")), "wrong.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(WRONG)
        done = self.mypy(path)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('got "Verdict", expected "int"', done.stdout)


if __name__ == "__main__":
    unittest.main()

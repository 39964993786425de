"""Installs the wheel of the Python library into an empty environment without a network, and uses it.

usage: wheel_test.py DIST REWROUGHT
"""
import glob
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

LIBRARY = os.path.join(os.getcwd(), "clients/python")
sys.path.insert(0, LIBRARY)
import wheel_backend  # noqa: E402 pylint: disable=wrong-import-position

DIST = REWROUGHT = ""
FOLDER = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
PROGRAM = """
import rewrought
with rewrought.Client() as client:
    verdict = client.check("(('isub', a, b), ('isub', b, a))")
    print(rewrought.__version__, verdict.status, rewrought.__file__)
"""


class WheelTest(unittest.TestCase):
    def run_it(self, *command, **environment):
        """Runs a command in an empty folder, without the variables of other Python environments."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP"))}
        done = subprocess.run(command, cwd=FOLDER, env=dict(kept, HOME=FOLDER, PIP_NO_INDEX="1", **environment),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, "%s: %s" % (command, done.stdout))
        return done.stdout

    def environment(self, name):
        """Creates an environment. Returns its folder of programs."""
        self.run_it(sys.executable, "-m", "venv", os.path.join(FOLDER, name))
        return os.path.join(FOLDER, name, "bin")

    def check_installed(self, programs):
        output = self.run_it(programs + "/python", "-c", PROGRAM, REWROUGHT=REWROUGHT).split()
        self.assertEqual(output[:2], [wheel_backend.version(), "refuted"])
        self.assertTrue(output[2].startswith(os.path.dirname(programs)), output[2])
        self.assertIn("Version: " + wheel_backend.version(), self.run_it(programs + "/pip", "show", "rewrought"))
        self.run_it(programs + "/pip", "check")

    def test_install_a_wheel(self):
        (wheel,) = glob.glob(DIST + "/*")
        self.assertEqual(os.path.basename(wheel), "rewrought-%s-py3-none-any.whl" % wheel_backend.version())
        programs = self.environment("from_wheel")
        self.run_it(programs + "/pip", "install", "--no-index", "--no-deps", wheel)
        self.check_installed(programs)

    def test_install_from_the_repository(self):
        programs = self.environment("from_source")
        self.run_it(programs + "/pip", "install", "--no-index", LIBRARY)
        self.check_installed(programs)

    def test_content(self):
        (wheel,) = glob.glob(DIST + "/*")
        with zipfile.ZipFile(wheel) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
        info = "rewrought-%s.dist-info/" % wheel_backend.version()
        modules = ["rewrought/" + name for name in os.listdir(LIBRARY + "/rewrought") if name != "__pycache__"]
        self.assertEqual(sorted(names), sorted(modules + [info + name for name in ("METADATA", "RECORD", "WHEEL")]))
        self.assertIn("rewrought/py.typed", names)

    def test_same_bytes(self):
        (wheel,) = glob.glob(DIST + "/*")
        again = os.path.join(FOLDER, wheel_backend.build_wheel(FOLDER))
        with open(wheel, "rb") as one, open(again, "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_version(self):
        released = "# Changelog\n\n## 0.3 (2026-11-27)\n\n## 0.2 (2026-11-24)\n"
        self.assertEqual(wheel_backend.version_in(released), "0.3")
        unreleased = released.replace("## 0.3", "## Unreleased\n### A\n\n## 0.3")
        self.assertEqual(wheel_backend.version_in(unreleased), "0.3+unreleased")
        self.assertEqual(wheel_backend.version_in(released.replace("0.3", "1.9.2")), "1.9.2")
        with self.assertRaisesRegex(ValueError, "CHANGELOG.md has no heading"):
            wheel_backend.version_in("# Changelog\n")


if __name__ == "__main__":
    DIST, REWROUGHT = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
    unittest.main()

"""Tests the Debian package: its files, fields, manual pages, completions, dependencies, and units. Plants faults to
show that the checks find them. Also tests the scripts that make the packages.

usage: packages_test.py PACKAGE.deb PROGRAM
"""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build_bundle  # noqa: E402
import make_installation  # noqa: E402
import package_contents  # noqa: E402
from package_contents import BASH, HELPERS, PROGRAM, SHARE, ZSH, run  # noqa: E402

PACKAGE, BUILT = sys.argv.pop(1), sys.argv.pop(1)


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = os.path.join(temporary.name, "unpacked")
        subprocess.run(["dpkg-deb", "--raw-extract", PACKAGE, cls.folder], check=True)
        cls.commands = package_contents.commands_of(BUILT)

    def field(self, name):
        return run(["dpkg-deb", "--field", PACKAGE, name]).strip()

    def problems(self, depends=None):
        return package_contents.problems_of(self.folder, depends or self.field("Depends"), self.commands)

    @contextlib.contextmanager
    def without(self, path):
        """Moves a file away during a block."""
        source, target = os.path.join(self.folder, path), os.path.join(self.folder, "DEBIAN", "away")
        os.rename(source, target)
        try:
            yield
        finally:
            os.rename(target, source)

    @contextlib.contextmanager
    def replaced(self, path, old, new):
        """Replaces text in a file during a block."""
        full, text = os.path.join(self.folder, path), self.read(path)
        self.assertIn(old, text)
        self.write(full, text.replace(old, new))
        try:
            yield
        finally:
            self.write(full, text)

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read()

    def test_contents(self):
        self.assertEqual(self.problems(), [])
        self.assertGreater(len(self.commands), 25)
        self.assertIn("--confirm", self.commands[("check",)])
        self.assertIn(("db", "backup"), self.commands)

    def test_fields(self):
        version = run([BUILT, "--version"]).split()[1]
        self.assertRegex(self.field("Version"), "^%s\\+deb[0-9]+$" % re.escape(version))
        self.assertEqual((self.field("Package"), self.field("Architecture")), ("rewrought", "amd64"))

    def test_planted_faults_are_found(self):
        for path in (HELPERS + "rewrought_worker", HELPERS + "rewrought_glsl_worker",
                     SHARE + "audit/import_mesa_rules.py", SHARE + "web-ui/index.html"):
            with self.subTest("a file is missing", path=path), self.without(path):
                self.assertEqual(self.problems(), [path + " is missing"])
        for package, reason in (("libz3-4", "libz3.so.4"), ("libsqlite3-0", "libsqlite3"), ("cvc5", "cvc5"),
                                ("libstdc++6", "libstdc++.so.6")):
            with self.subTest("a dependency is missing", package=package):
                depends = ", ".join(one for one in self.field("Depends").split(", ") if not one.startswith(package))
                self.assertTrue(any(reason in line for line in self.problems(depends)))
        with self.subTest("a manual page is missing"), self.without("usr/share/man/man1/rewrought-db-backup.1.gz"):
            self.assertEqual(self.problems(), ["rewrought-db-backup has no manual page"])
        with self.subTest("options are missing in a completion"), self.replaced(BASH, " --confirm ", " "):
            self.assertEqual(self.problems(), ["rewrought-check: --confirm is not in the completions"])
        with self.subTest("a function is missing in a completion"), self.replaced(ZSH, "_rewrought_eval() {", "_x() {"):
            self.assertEqual(self.problems(), ["rewrought-eval has no completion"])

    def test_configuration_files(self):
        self.assertEqual(set(self.read("DEBIAN/conffiles").split()),
                         {"/etc/default/rewrought", "/etc/rewrought/night.conf", "/etc/rewrought/night.textproto"})

    def test_scripts(self):
        for name in ("prerm", "postrm"):
            subprocess.run(["sh", "-n", os.path.join(self.folder, "DEBIAN", name)], check=True)
        self.assertIn("deb-systemd-invoke stop rewrought.service", self.read("DEBIAN/prerm"))
        # Removing the package must not remove the database.
        self.assertRegex(self.read("DEBIAN/postrm"), r'if \[ "\$1" = purge \]; then\n\trm -rf /var/lib/private/rewrought ')

    def test_units(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd is not installed")
        folder = next(os.path.join(self.folder, place) for place in package_contents.UNIT_FOLDERS
                      if os.path.isfile(os.path.join(self.folder, place, "rewrought.service")))
        copies = os.path.join(os.path.dirname(self.folder), "units")
        shutil.copytree(folder, copies)
        for unit in package_contents.UNITS:
            path = os.path.join(copies, unit)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for program in re.findall(r"^ExecStart=(\S+)", text, re.M):
                self.assertTrue(os.access(self.folder + program, os.X_OK), program)
                text = text.replace("ExecStart=" + program, "ExecStart=" + self.folder + program)
            self.write(path, text)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no"] +
                              [os.path.join(copies, unit) for unit in package_contents.UNITS],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual([line for line in done.stdout.splitlines() if "rewrought" in line], [])

    def complete(self, *words):
        """Returns the completions that bash offers for the last word."""
        script = ('. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rewrought; printf "%s\\n" "${COMPREPLY[@]}"')
        return run(["bash", "-c", script, os.path.join(self.folder, BASH), "rewrought", *words]).split()

    def test_bash_completes(self):
        self.assertEqual(self.complete("che"), ["check"])
        self.assertEqual(self.complete("db", "ba"), ["backup"])
        self.assertEqual(self.complete("check", "--conf"), ["--confirm"])
        self.assertEqual(self.complete("check", "--literals", ""), ["either", "exact"])
        self.assertIn("--json", self.complete("db", "backup", "--"))
        folder = os.path.join(self.folder, "usr")
        self.assertEqual(self.complete("check", "--confirm", folder + "/bi"), [folder + "/bin"])
        self.assertEqual(self.complete("export", "--db", folder + "/sha"), [folder + "/share"])

    def test_zsh_completion_is_valid(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        subprocess.run(["zsh", "-n", os.path.join(self.folder, ZSH)], check=True)

    def test_manual_pages_are_valid(self):
        if not shutil.which("man"):
            self.skipTest("man-db is not installed")
        for page in ("rewrought", "rewrought-check", "rewrought-nightly"):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z",
                                   os.path.join(self.folder, "usr/share/man/man1", page + ".1.gz")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env=dict(os.environ, MANWIDTH="120", LC_ALL="C.UTF-8"))
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    def test_the_installed_program_finds_its_files(self):
        """Starts the program without the variables of Bazel, so that it uses the files next to it."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder}
        done = subprocess.run([os.path.join(self.folder, PROGRAM), "check", "(('ineg', ('ineg', 'a@32')), a)"],
                              capture_output=True, text=True, env=environment)
        self.assertEqual((done.returncode, done.stdout[:6]), (0, "proved"), done.stderr)
        with self.without(HELPERS + "rewrought_worker"):
            done = subprocess.run([os.path.join(self.folder, PROGRAM), "check", "(('ineg', ('ineg', 'a@32')), a)"],
                                  capture_output=True, text=True, env=environment)
        self.assertIn("no worker binary at " + self.folder, done.stdout + done.stderr)


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_two_archives_have_the_same_bytes(self):
        archives = []
        for number, mode in enumerate((0o600, 0o644)):
            tree = os.path.join(self.folder, "tree%d" % number)
            for name in ("b", "a/c") if number else ("a/c", "b"):
                path = os.path.join(tree, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(name)
                os.chmod(path, mode)
                os.utime(path, (number, number))
            archives.append(tree + ".tar")
            make_installation.write_tar(tree, archives[-1], 86400)
        contents = []
        for archive in archives:
            with open(archive, "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        with tarfile.open(archives[0]) as tar:
            self.assertEqual([(entry.name, entry.mode, entry.mtime) for entry in tar],
                             [("a", 0o755, 86400), ("a/c", 0o644, 86400), ("b", 0o644, 86400)])

    def test_missing_files_are_named(self):
        done = subprocess.run([sys.executable, "-B", make_installation.__file__, "--output", self.folder + "/x.tar", "--date",
                               "2026-11-29", "--file", "bin/a=/nowhere/a"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "make_installation.py: /nowhere/a is missing; build it first\n"))

    def test_libraries_of_glibc_are_not_bundled(self):
        libraries = build_bundle.libraries_of("/usr/bin/dpkg-deb")
        self.assertNotIn("libc.so.6", libraries)
        self.assertTrue(libraries)

    def test_a_newer_glibc_is_an_error(self):
        oldest = build_bundle.GLIBC
        self.addCleanup(setattr, build_bundle, "GLIBC", oldest)
        build_bundle.GLIBC = (2, 1)
        with self.assertRaisesRegex(build_bundle.Stop, "needs glibc 2.*must run with 2.1; build it on Debian 12"):
            build_bundle.check_glibc("/usr/bin/dpkg-deb")


if __name__ == "__main__":
    unittest.main()

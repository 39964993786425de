"""Runs install_corpus.sh with stand-ins for npm, apt-get, dpkg-deb and node that note their calls, or fail if told."""
import os
import subprocess
import tempfile
import unittest

# The file is a link into the source tree, whether Bazel runs this in a sandbox or not.
SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "install_corpus.sh")
TIMEOUT_SECONDS = 60

# Each stand-in notes its call, and fails when its arguments name a package that is said to be missing.
STAND_IN = """#!/bin/bash
echo "$(basename "$0") $*" >>"$CALLS"
for package in $MISSING; do
  case " $* " in *"$package"*) echo "E: Unable to locate package $package" >&2; exit 100 ;; esac
done
"""
BODIES = {
    "npm": 'prefix="" spec="${@: -1}"\n'
           'while [ $# -gt 0 ]; do [ "$1" != --prefix ] || prefix=$2; shift; done\n'
           'mkdir -p "$prefix/node_modules/${spec%@*}"\n'
           'echo "\\"version\\": \\"${spec##*@}\\"" >"$prefix/node_modules/${spec%@*}/package.json"\n',
    "apt-get": 'case " $* " in *" download "*) touch "${@: -1}_1.0_all.deb" ;; esac\n',
    "dpkg-deb": 'mkdir -p "$3"\n',
    # write_corpus.mjs SOURCE FROM TO
    "node": 'mkdir -p "$4"; for ((i = 0; i < SHADERS; i++)); do echo >"$4/$i.frag"; done; echo "$SHADERS"\n',
}
NPM_PACKAGES = ["three", "gl-transitions", "pixi-filters"]
DEBIAN_PACKAGES = ["glmark2-data", "dolphin-emu-data", "kodi-data", "libmovit8"]


class InstallCorpusTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = holder.name
        self.corpus = os.path.join(self.root, "corpus")
        self.calls = os.path.join(self.root, "calls")
        os.mkdir(os.path.join(self.root, "bin"))
        for name, body in BODIES.items():
            path = os.path.join(self.root, "bin", name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(STAND_IN + body)
            os.chmod(path, 0o755)

    def install(self, missing=(), shaders=100, arguments=None):
        """Runs the script; returns its exit status, its messages and the calls it made."""
        with open(self.calls, "w", encoding="utf-8"):
            pass
        environment = dict(os.environ, PATH=os.path.join(self.root, "bin") + ":" + os.environ["PATH"],
                           CALLS=self.calls, MISSING=" ".join(missing), SHADERS=str(shaders))
        done = subprocess.run([SCRIPT] + ([self.corpus] if arguments is None else arguments), env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        with open(self.calls, encoding="utf-8") as file:
            return done.returncode, done.stderr, file.read().splitlines()

    def test_installs_all_and_then_nothing(self):
        status, messages, _ = self.install()
        self.assertEqual(status, 0, messages)
        self.assertIn("700 shaders of 7 sources", messages)
        status, messages, calls = self.install()
        self.assertEqual((status, calls), (0, []), messages)
        self.assertIn("700 shaders of 7 sources", messages)

    def test_versions_are_exact_and_scripts_do_not_run(self):
        _, _, calls = self.install()
        installs = [call for call in calls if call.startswith("npm install")]
        self.assertEqual(len(installs), len(NPM_PACKAGES))
        for call in installs:
            self.assertRegex(call, r"@\d+\.\d+\.\d+$")
            self.assertIn("--ignore-scripts", call)

    def test_nothing_is_installed_by_apt(self):
        _, _, calls = self.install()
        self.assertEqual([call for call in calls if call.startswith("apt-get") and " install" in call], [])

    def test_a_missing_package_is_skipped_and_tried_again(self):
        status, messages, _ = self.install(missing=["kodi-data"])
        self.assertEqual(status, 0, messages)
        self.assertIn("kodi: skipped, kodi-data cannot be fetched: E: Unable to locate package", messages)
        self.assertIn("600 shaders of 6 sources", messages)
        status, messages, calls = self.install()
        self.assertIn("700 shaders of 7 sources", messages)
        self.assertEqual([call for call in calls if call.startswith("npm")], [])
        self.assertEqual(len([call for call in calls if call.startswith("node")]), 1)

    def test_too_few_sources(self):
        status, messages, _ = self.install(missing=NPM_PACKAGES + DEBIAN_PACKAGES[:2], shaders=1000)
        self.assertEqual(status, 1, messages)
        self.assertIn("too few", messages)

    def test_too_few_shaders(self):
        status, messages, _ = self.install(shaders=71)  # 497 of 500
        self.assertEqual(status, 1, messages)
        self.assertIn("497 shaders of 7 sources", messages)

    def test_listing_names_every_source_with_version_and_licence(self):
        self.install()
        with open(os.path.join(self.corpus, "SOURCES.txt"), encoding="utf-8") as file:
            listing = file.read()
        for package in NPM_PACKAGES + DEBIAN_PACKAGES:
            self.assertRegex(listing, r"package: %s \d" % package)
        self.assertEqual(listing.count("licence: "), len(NPM_PACKAGES + DEBIAN_PACKAGES))

    def test_wrong_use(self):
        for arguments in ([], ["--help"], ["a", "b"]):
            status, messages, calls = self.install(arguments=arguments)
            self.assertEqual((status, calls), (2, []))
            self.assertIn("usage: install_corpus.sh DIR", messages)


if __name__ == "__main__":
    unittest.main()

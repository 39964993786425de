"""Runs install_corpus.sh with stand-ins for npm, apt-get, dpkg-deb and node that record their calls and fail on
request."""
import os
import re
import subprocess
import tempfile
import unittest

# Inside and outside a sandbox, the file is a symbolic link into the source tree.
SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, "install_corpus.sh")
TIMEOUT_SECONDS = 60

# Each stand-in records its call, and fails if its arguments contain a package in $MISSING.
STAND_IN = """#!/bin/bash
echo "$(basename "$0") $*" >>"$CALLS"
for package in $MISSING; do
  case " $* " in *"$package"*) echo "E: Unable to locate package $package" >&2; exit 100 ;; esac
done
"""
BODIES = {
    # npm OPTIONS --prefix FOLDER PACKAGE@VERSION...
    "npm": 'while [ "$1" != --prefix ]; do shift; done\n'
           'for spec in "${@:3}"; do\n'
           '  mkdir -p "$2/node_modules/${spec%@*}"\n'
           '  echo "\\"version\\": \\"${spec##*@}\\"" >"$2/node_modules/${spec%@*}/package.json"\n'
           'done\n',
    # apt-get OPTIONS download PACKAGE, or source --download-only PACKAGE/RELEASE
    "apt-get": 'package="${@: -1}" package="${package%/*}"\n'
               'case " $* " in\n'
               '  *" download "*) touch "${package}_1.0_all.deb" ;;\n'
               '  *" source "*) mkdir -p top && tar cf "${package}_1.0.orig.tar.gz" top && touch "${package}_1.0.dsc" ;;\n'
               'esac\n',
    "dpkg-deb": 'mkdir -p "$3"\n',
    # write_corpus.mjs SOURCE FROM TO
    "node": 'mkdir -p "$4"; for ((i = 0; i < SHADERS; i++)); do echo >"$4/$i.frag"; done; echo "$SHADERS"\n',
}
NPM_PACKAGES = ["three", "gl-transitions", "pixi-filters", "@cesium/engine", "butterchurn-presets",
                "@tensorflow/tfjs-backend-webgl", "keras-js", "onnxruntime-web", "babylonjs"]
DEBIAN_PACKAGES = ["glmark2-data", "dolphin-emu-data", "kodi-data", "libmovit8"]
SOURCE_PACKAGES = ["godot", "pytorch", "mesa", "dxvk"]
SOURCES = len(NPM_PACKAGES + DEBIAN_PACKAGES + SOURCE_PACKAGES)


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
        """Runs the script. Returns its exit status, its messages and its calls."""
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
        self.assertIn("%d shaders of %d sources" % (100 * SOURCES, SOURCES), messages)
        status, messages, calls = self.install()
        self.assertEqual((status, calls), (0, []), messages)
        self.assertIn("%d shaders of %d sources" % (100 * SOURCES, SOURCES), messages)

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
        self.assertIn("%d shaders of %d sources" % (100 * (SOURCES - 1), SOURCES - 1), messages)
        status, messages, calls = self.install()
        self.assertIn("%d shaders of %d sources" % (100 * SOURCES, SOURCES), messages)
        self.assertEqual([call for call in calls if call.startswith("npm")], [])
        self.assertEqual(len([call for call in calls if call.startswith("node")]), 1)

    def test_a_missing_source_package_is_skipped_and_tried_again(self):
        status, messages, _ = self.install(missing=SOURCE_PACKAGES)
        self.assertEqual(status, 0, messages)
        for package in SOURCE_PACKAGES:
            self.assertIn("%s: skipped, %s cannot be fetched: E: Unable to locate" % (package, package), messages)
        self.assertIn("%d sources" % (SOURCES - len(SOURCE_PACKAGES)), messages)
        self.assertIn("%d sources" % SOURCES, self.install()[1])

    def test_too_few_sources(self):
        status, messages, _ = self.install(missing=NPM_PACKAGES + DEBIAN_PACKAGES[:2] + SOURCE_PACKAGES, shaders=1000)
        self.assertEqual(status, 1, messages)
        self.assertIn("too few", messages)

    def test_too_few_shaders(self):
        each = 499 // SOURCES  # one fewer than the required 500
        status, messages, _ = self.install(shaders=each)
        self.assertEqual(status, 1, messages)
        self.assertIn("%d shaders of %d sources" % (each * SOURCES, SOURCES), messages)

    def test_listing_names_every_source_with_version_and_licence(self):
        self.install()
        with open(os.path.join(self.corpus, "SOURCES.txt"), encoding="utf-8") as file:
            listing = file.read()
        for package in NPM_PACKAGES + DEBIAN_PACKAGES + SOURCE_PACKAGES:
            self.assertRegex(listing, r"package: %s \d" % package)
        self.assertEqual(len(re.findall("license: .", listing)), SOURCES)

    def test_packages_that_belong_together_come_together(self):
        _, _, calls = self.install()
        installs = [call for call in calls if call.endswith(" butterchurn@2.6.7")]
        self.assertEqual(len(installs), 1)
        self.assertIn(" butterchurn-presets@2.4.7 ", installs[0])
        with open(os.path.join(self.corpus, "SOURCES.txt"), encoding="utf-8") as file:
            self.assertIn("butterchurn-presets 2.4.7 (npm), with butterchurn@2.6.7", file.read())

    def test_every_source_has_a_module_and_held_out_names_are_sources(self):
        folder = os.path.dirname(os.path.realpath(__file__))
        with open(SCRIPT, encoding="utf-8") as file:
            names = re.findall(r'^  "([\w-]+) +(?:npm|deb|src) ', file.read(), re.MULTILINE)
        with open(os.path.join(folder, "write_corpus.mjs"), encoding="utf-8") as file:
            modules = dict(re.findall(r"^  '([\w-]+)': '\./([\w.]+)',$", file.read(), re.MULTILINE))
        self.assertEqual(sorted(names), sorted(modules))
        for module in modules.values():
            self.assertTrue(os.path.isfile(os.path.join(folder, module)), module)
        with open(os.path.join(folder, "held_out.txt"), encoding="utf-8") as file:
            held_out = [line for line in file.read().splitlines() if not line.startswith("#")]
        self.assertGreater(len(held_out), 0)
        self.assertEqual([name for name in held_out if name not in names], [])

    def test_wrong_use(self):
        for arguments in ([], ["--help"], ["a", "b"]):
            status, messages, calls = self.install(arguments=arguments)
            self.assertEqual((status, calls), (2, []))
            self.assertIn("usage: install_corpus.sh DIR", messages)


if __name__ == "__main__":
    unittest.main()

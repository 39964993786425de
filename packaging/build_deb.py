#!/usr/bin/env python3
"""Makes a Debian package from the files of an installation, with Debian's own tools (debhelper).

usage: build_deb.py --output FILE --installation TAR --version VERSION --date YYYY-MM-DD --changelog FILE
       --debian FILE... [--system PATH=SOURCE]...
example: see packaging/packages.bzl

Installs the files of the tar file below usr, and each file of --system at PATH. --debian names the files of the folder
debian. Two runs with the same input write the same bytes.
Exit status: 0 on success, 1 if a tool is missing or fails, 2 for wrong usage.
"""
import argparse
import email.utils
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import make_installation  # noqa: E402

PACKAGE = "rewrought"
PROJECT_CHANGELOG = "RELEASES.md"
CHANGELOG = """%s (%s) unstable; urgency=medium

  * See /usr/share/doc/rewrought/RELEASES.md.gz.

 -- %s  %s
"""


def maintainer(control):
    with open(control, encoding="utf-8") as file:
        return next(line.split(": ", 1)[1].strip() for line in file if line.startswith("Maintainer: "))


def parse(words):
    parser = argparse.ArgumentParser(prog="build_deb.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("output", "installation", "version", "changelog"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--date", required=True, type=make_installation.seconds_of)
    parser.add_argument("--debian", nargs="+", required=True)
    parser.add_argument("--system", action="append", default=[], type=make_installation.pair)
    return parser.parse_args(words)


def prepare(arguments, folder):
    """Creates the source folder of the package, with all installed files."""
    debian = os.path.join(folder, "debian")
    root = os.path.join(debian, PACKAGE)
    os.makedirs(debian)
    for source in arguments.debian:
        shutil.copyfile(source, os.path.join(debian, os.path.basename(source)))
    os.chmod(os.path.join(debian, "rules"), 0o755)
    # dh_installsystemd expects the name of the package before the name of another unit.
    for name in os.listdir(debian):
        if name.startswith(PACKAGE + "-"):
            os.rename(os.path.join(debian, name), os.path.join(debian, PACKAGE + "." + name))
    with open(os.path.join(debian, "changelog"), "w", encoding="utf-8") as file:
        file.write(CHANGELOG % (PACKAGE, arguments.version, maintainer(os.path.join(debian, "control")),
                                email.utils.formatdate(arguments.date)))
    make_installation.unpack(arguments.installation, os.path.join(root, "usr"))
    for path, source in arguments.system:
        make_installation.install(source, os.path.join(root, path))
    # debhelper would install a file called CHANGELOG.md instead of Debian's changelog.
    make_installation.install(arguments.changelog, os.path.join(root, "usr/share/doc", PACKAGE, PROJECT_CHANGELOG))


def main(words):
    arguments = parse(words)
    for tool, package in (("dh", "debhelper"), ("dpkg-shlibdeps", "dpkg-dev"), ("make", "make")):
        if not shutil.which(tool):
            print("build_deb.py: %s is missing; run: apt-get install %s" % (tool, package), file=sys.stderr)
            return 1
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, PACKAGE)
        prepare(arguments, folder)
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(arguments.date), LC_ALL="C.UTF-8", HOME=parent)
        done = subprocess.run(["debian/rules", "binary"], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        packages = [name for name in os.listdir(parent) if name.endswith(".deb")]
        if done.returncode or len(packages) != 1:
            print("%s\nbuild_deb.py: debhelper failed; see above" % done.stdout, file=sys.stderr)
            return 1
        shutil.copyfile(os.path.join(parent, packages[0]), arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

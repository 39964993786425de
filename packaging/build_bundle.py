#!/usr/bin/env python3
"""Makes a relocatable tar file from the files of an installation, with all libraries that its programs need except
glibc.

usage: build_bundle.py --output FILE --installation TAR --name NAME --date YYYY-MM-DD [--file PATH=SOURCE]...
example: see packaging/packages.bzl

NAME is the only folder in the tar file. --file adds files, such as other programs. The programs find their libraries
in NAME/lib, relative to their own folder (RPATH). Two runs with the same input write the same bytes.
Exit status: 0 on success; 1 if a tool or a library is missing, if a file needs a newer glibc than GLIBC, or if the
result is larger than MAX_BYTES; 2 for wrong usage.
"""
import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import make_installation  # noqa: E402

GLIBC = (2, 36)  # the oldest version that must suffice; it is that of Debian 12
MAX_BYTES = 150 * 1000 * 1000
# The files of glibc. They must be those of the system, because they depend on its kernel, its loader, and each other.
OF_GLIBC = re.compile(r"(ld-linux-x86-64|libc|libm|libmvec|libpthread|libdl|librt|libresolv|libutil|libanl|libnsl|"
                      r"libthread_db|libBrokenLocale)\.so\.\d+$")
PROGRAMS = ("bin", "libexec/rewrought")
LIBRARIES = "lib"
DEPENDENCY = re.compile(r"^\s*(\S+) => (\S+)")
NEEDED_GLIBC = re.compile(r"Name: GLIBC_(\d+)\.(\d+)")


class Stop(Exception):
    """An error that the user can fix; the text says how."""


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Stop("%s failed: %s" % (" ".join(command), done.stderr.strip()))
    return done.stdout


def libraries_of(path):
    """Returns the libraries that a program needs, directly or indirectly, except glibc: their paths by name."""
    libraries = {}
    for line in output_of(["ldd", path]).splitlines():
        found = DEPENDENCY.match(line)
        if not found or OF_GLIBC.match(found[1]):
            continue
        if found[2] == "not":
            raise Stop("%s needs %s, which is not installed; run tools/install_packages.sh" % (path, found[1]))
        libraries[found[1]] = os.path.realpath(found[2])
    return libraries


def check_glibc(path):
    """Fails if a file needs a newer glibc than GLIBC."""
    newest = max((tuple(map(int, version)) for version in NEEDED_GLIBC.findall(output_of(["readelf", "-V", path]))),
                 default=(0, 0))
    if newest > GLIBC:
        raise Stop("%s needs glibc %d.%d, but the bundle must run with %d.%d; build it on Debian 12" %
                   ((path,) + newest + GLIBC))


def set_rpath(path, folder):
    """Makes a file look for its libraries in a folder that is relative to its own. RPATH, unlike RUNPATH, precedes
    LD_LIBRARY_PATH, so the libraries of other programs are not used by mistake."""
    output_of(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN" + folder, path])


def copyright_of(library):
    """Returns the name of the package of a library, and the path of its copyright file."""
    paths = {library, re.sub(r"^/usr/lib/", "/lib/", library), re.sub(r"^/lib/", "/usr/lib/", library)}
    for path in sorted(paths):
        done = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
        if done.returncode == 0:
            package = done.stdout.split(":")[0]
            return package, os.path.join("/usr/share/doc", package, "copyright")
    raise Stop("no package contains %s, so its license is unknown; use Debian's own library" % library)


def add_libraries(folder):
    """Copies the libraries of all programs, and their copyright files."""
    programs = [os.path.join(folder, part, name) for part in PROGRAMS for name in sorted(os.listdir(os.path.join(folder, part)))]
    programs = [path for path in programs if make_installation.is_elf(path)]
    libraries = {}
    for path in programs:
        libraries.update(libraries_of(path))
    originals = {os.path.realpath(path) for path in libraries.values()}
    for name, source in libraries.items():
        target = os.path.join(folder, LIBRARIES, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
        os.chmod(target, 0o644)
        set_rpath(target, "")
        check_glibc(target)
    for path in programs:
        set_rpath(path, "/" + os.path.relpath(os.path.join(folder, LIBRARIES), os.path.dirname(path)))
        check_glibc(path)
    for source in originals:
        package, text = copyright_of(source)
        make_installation.install(text, os.path.join(folder, "share/doc/rewrought/licenses", package))


def parse(words):
    parser = argparse.ArgumentParser(prog="build_bundle.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("output", "installation", "name"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--date", required=True, type=make_installation.seconds_of)
    parser.add_argument("--file", action="append", default=[], type=make_installation.pair)
    return parser.parse_args(words)


def build(arguments):
    for tool in ("patchelf", "readelf", "ldd", "dpkg-query"):
        if not shutil.which(tool):
            raise Stop("%s is missing; run: apt-get install patchelf binutils" % tool)
    with tempfile.TemporaryDirectory() as folder:
        make_installation.unpack(arguments.installation, folder)
        for path, source in arguments.file:
            source = os.path.realpath(source)
            if path.startswith(PROGRAMS) and not make_installation.is_elf(source):
                raise Stop("%s is not a program; run tools/install_packages.sh" % source)
            make_installation.install(source, os.path.join(folder, path))
        add_libraries(folder)
        with open(arguments.output, "wb") as raw, \
                gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=arguments.date) as file:
            plain = os.path.join(folder + ".tar")
            try:
                make_installation.write_tar(folder, plain, arguments.date, prefix=arguments.name + "/")
                with open(plain, "rb") as tar:
                    shutil.copyfileobj(tar, file)
            finally:
                os.unlink(plain)
    size = os.path.getsize(arguments.output)
    if size > MAX_BYTES:
        raise Stop("%s has %d MB, more than %d MB; remove libraries" % (arguments.output, size / 1e6, MAX_BYTES / 1e6))


def main(words):
    try:
        build(parse(words))
    except Stop as error:
        print("build_bundle.py: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

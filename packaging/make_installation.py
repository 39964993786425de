#!/usr/bin/env python3
"""Writes the files of an installation to a tar file. Both packages are made from it.

usage: make_installation.py --output FILE --date YYYY-MM-DD [--file PATH=SOURCE]... [--data SOURCE...]
       [--unpack PATH=TAR]... [--reference PROGRAM]
example: make_installation.py --output installation.tar --date 2026-11-29 --file bin/rewrought=bazel-bin/cli/rewrought

--file installs one file. --data installs files below share/rewrought with their paths in the repository. --unpack
installs the contents of a tar file below PATH. --reference installs the manual pages and completions that a program
writes to share. Strips programs. Two runs with the same input write the same bytes.
Exit status: 0 on success, 1 if a file is missing, 2 for wrong usage.
"""
import argparse
import calendar
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

DATA = "share/rewrought"
ELF = b"\x7fELF"


def seconds_of(date):
    """Returns the time of a date, in seconds since 1970."""
    return calendar.timegm(time.strptime(date, "%Y-%m-%d"))


def pair(text):
    path, separator, source = text.partition("=")
    if not separator or not path or path.startswith("/"):
        raise argparse.ArgumentTypeError("'%s' is not of the form PATH=SOURCE with a relative PATH" % text)
    return path, source


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(len(ELF)) == ELF


def install(source, target):
    """Copies a file and removes the symbols of a program. Only the executable bit of its mode is kept."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    program = os.access(source, os.X_OK)
    os.chmod(target, 0o755 if program else 0o644)
    if program and is_elf(target):
        subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", target], check=True)


def write_tar(folder, output, seconds, mode="w", prefix=""):
    """Writes all files below `folder`, in a fixed order and with fixed owners and times."""
    with tarfile.open(output, mode, format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(os.path.relpath(os.path.join(directory, name), folder)
                           for directory, folders, files in os.walk(folder) for name in folders + files):
            entry = tar.gettarinfo(os.path.join(folder, path), prefix + path)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = seconds
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            if entry.isreg():
                with open(os.path.join(folder, path), "rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)


def unpack(tar, folder):
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["tar", "-xf", tar, "-C", folder, "--no-same-owner"], check=True)


def parse(words):
    parser = argparse.ArgumentParser(prog="make_installation.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True)
    parser.add_argument("--date", required=True, type=seconds_of)
    parser.add_argument("--file", action="append", default=[], type=pair)
    parser.add_argument("--data", nargs="*", default=[])
    parser.add_argument("--unpack", action="append", default=[], type=pair)
    parser.add_argument("--reference")
    return parser.parse_args(words)


def main(words):
    arguments = parse(words)
    sources = [source for _, source in arguments.file + arguments.unpack] + arguments.data
    missing = [source for source in sources if not os.path.exists(source)]
    if missing:
        print("make_installation.py: %s is missing; build it first" % ", ".join(missing), file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        for path, source in arguments.file:
            install(source, os.path.join(folder, path))
        for source in arguments.data:
            install(source, os.path.join(folder, DATA, source))
        for path, tar in arguments.unpack:
            unpack(tar, os.path.join(folder, path))
        if arguments.reference:
            subprocess.run([arguments.reference, os.path.join(folder, "share")], check=True)
        write_tar(folder, arguments.output, arguments.date)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

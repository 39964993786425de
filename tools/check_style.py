#!/usr/bin/env python3
"""Checks what a formatter does not: header comments, file lengths, and text that is bound to one machine.

usage: check_style.py [--format] [ROOT]     exit status 0: clean, 1: not
--format: also columns and clang-format conformance of the C++ files
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers  # noqa: E402

MAX_LINES = 700
MAX_TEST_LINES = 900
MAX_COLUMNS = 120
# What a file's first comment starts with. A script's first line may be #!.
COMMENT_STARTS = {
    ".h": ("//", "/*"),
    ".cc": ("//", "/*"),
    ".c": ("//", "/*"),
    ".inc": ("//", "/*"),
    ".proto": ("//",),
    ".ts": ("//", "/*"),
    ".tsx": ("//", "/*"),
    ".py": ('"""', "#"),
    ".bzl": ('"""', "#"),
    ".sh": ("#",),
    ".textproto": ("#",),
}
CPP_SUFFIXES = (".h", ".cc", ".c", ".inc")
# Data, not prose: no limit on length.
DATA_SUFFIXES = (".textproto",)
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(work|root|home)/[\w.]")


def has_header_comment(lines, suffix):
    first = next((line for line in lines if line.strip() and not line.startswith("#!")), "")
    return first.startswith(COMMENT_STARTS[suffix])


def described_by_header(root, path):
    """True for x.cc and x_test.cc beside an x.h: the header's comment speaks for them."""
    stem, suffix = os.path.splitext(path)
    return suffix == ".cc" and os.path.exists(os.path.join(root, re.sub(r"_test$", "", stem) + ".h"))


def problems_of(root, path):
    """Yields the problems of one file as "path:line: text"."""
    suffix = os.path.splitext(path)[1]
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
    except UnicodeDecodeError:
        return  # a binary sample
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield "%s:%d: a path that exists on one machine only" % (path, number)
    if suffix not in COMMENT_STARTS:
        return
    if not described_by_header(root, path) and not has_header_comment(lines, suffix):
        yield "%s:1: no header comment that says what the file is for" % path
    if suffix in DATA_SUFFIXES:
        return
    limit = MAX_TEST_LINES if "_test." in path else MAX_LINES
    length = len(lines) - (lines[-1] == "")
    if length > limit:
        yield "%s:%d: %d lines, more than %d; split it by noun" % (path, limit + 1, length, limit)


def format_problems(root, paths):
    """Yields lines that are too long and C++ files that clang-format would change; needs clang-format on PATH."""
    for path in paths:
        if path.endswith(CPP_SUFFIXES):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if len(line.rstrip("\n")) > MAX_COLUMNS:
                        yield "%s:%d: more than %d columns" % (path, number, MAX_COLUMNS)
            done = subprocess.run(["clang-format", "--dry-run", "-Werror", path], cwd=root, capture_output=True, text=True)
            if done.returncode:
                yield "%s: clang-format would change it" % path


def check(root, with_format=False):
    """Returns all problems below root as lines of text."""
    paths = list(check_layers.files_below(root))
    third_party = os.path.join(root, "third_party")
    if os.path.isdir(third_party):
        paths += ["third_party/" + path for path in check_layers.files_below(third_party)]
    problems = [problem for path in paths for problem in problems_of(root, path)]
    return problems + (list(format_problems(root, paths)) if with_format else [])


def main(arguments):
    with_format = "--format" in arguments
    places = [argument for argument in arguments if argument != "--format"]
    root = places[0] if places else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    problems = check(root, with_format)
    for line in problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

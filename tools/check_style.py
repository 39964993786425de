#!/usr/bin/env python3
"""Checks the style of all files: header comments, file lengths, line lengths, clang-format, and folder sizes. Also
reports comments and pages that name missing files, types with the same full name, decisions that are not in the index,
machine-specific paths, and files opened without proto/read_file.h. Skips clang-format, and says so, unless its version
is that of Debian 12, because other versions format some code differently.

usage: check_style.py [--english] [ROOT]
--english: reports headless clauses and odd words instead (english_report.py), and always exits with 0.
Exit status: 0 if there are no problems, 1 otherwise.
Requires clang-format 14 on PATH on Debian 12 (tools/install_packages.sh). Newer releases do not have this version.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers  # noqa: E402
import english_report  # noqa: E402

MAX_LINES = 700
MAX_TEST_LINES = 900
MAX_COLUMNS = 120
MAX_FILES = 40  # in one folder
CLANG_FORMAT_VERSION = 14
# The accepted prefixes of a file's header comment. A script may start with a #! line.
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
# Data files have no limit on length.
DATA_SUFFIXES = (".textproto",)
# PATH_IN_PROSE matches a path below a folder of the tree; FILE_IN_PROSE matches the bare name of a source file.
PATH_IN_PROSE = re.compile(r"(?<![\w./$<:-])((?:[A-Za-z_][\w.-]*/)+[\w.-]*\w)")
FILE_IN_PROSE = re.compile(r"(?<![\w./-])([a-z][a-z0-9_]*\.(?:cc|h|sh|textproto))\b")
# Bare names of files that belong to Mesa, the C library or other projects, or that exporters write; x.h is a
# placeholder.
FOREIGN_FILE = re.compile(r"(nir|brw|elk|aco|agx|ir3|bi|r300|si|v3d|vc4)(_\w+)?\.|x\.|"
                          r"(assert|covered|fcntl|pthread|sqlite3|std\w+|string|tables|unistd)\.h$")
COMMENT_OF = {
    suffix: re.compile(pattern)
    for suffixes, pattern in [
        ((".h", ".cc", ".c", ".inc", ".proto", ".ts", ".tsx", ".mjs"), r"//(?!.*\").*$"),
        ((".py", ".sh", ".bzl", ".textproto", "BUILD"), r"^\s*#.*$"),
        ((".sql",), r"^--.*$"),
        ((".md",), r"^.*$"),
    ]
    for suffix in suffixes
}
NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]*) ?\{")
END_OF_NAMESPACE = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:struct|class|union|enum class) (\w+)(?: final)?(?: : [^;]*)? ?\{")
# The changelog may name files that no longer exist.
NOT_CITING = ("CHANGELOG.md",)
DECISIONS = "docs/decisions/"
# Code that opens a file for reading. O_ constants distinguish the system call from other functions called open.
OPENS = re.compile(r"\bstd::(?:ifstream|fstream|filebuf)\b|\bfopen\(|\bopen(?:at)?\(.*\bO_[A-Z]")
# Files and folders that may open files in other ways, because no user names those files, or because they are databases.
OPENERS = {
    "proto/read_file.cc": "defines the functions that open files with limits",
    "audit/verdict_file.cc": "appends to a file",
    "cli/main.cc": "opens /dev/null",
    "cli/night_steps.cc": "writes logs, and locks a folder",
    "corpus/glsl/glsl_reader.cc": "reads a file in memory, which a limited process wrote",
    "corpus/glsl/subprocess.cc": "opens /dev/null",
    "emitter/files/scratch_folder.cc": "locks a folder that it created",
    "emitter/pack_files.cc": "creates new files",
    "pipeline/run_budget.cc": "reads /proc",
    "pipeline/watch/done_before.cc": "reads its own program",
    "server/metrics.cc": "reads /proc",
    "store/": "opens databases and their locks",
    "verifier/worker/": "reads /proc, and opens /dev/null",
}
# Tests and tools may open files as they like.
OPENS_ANYTHING = re.compile(r"^(tests|tools|third_party)/|/testing/|/runtime/|_(test|fuzz|benchmark)\.cc$")
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(work|root|home)/[\w.]")


def has_header_comment(lines, suffix):
    first = next((line for line in lines if line.strip() and not line.startswith("#!")), "")
    return first.startswith(COMMENT_STARTS[suffix])


def described_by_header(root, path):
    """Returns True for x.cc and x_test.cc next to an x.h, whose header comment covers all three files."""
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
            yield "%s:%d: this path exists on one machine only" % (path, number)
    if suffix not in COMMENT_STARTS:
        return
    if not described_by_header(root, path) and not has_header_comment(lines, suffix):
        yield "%s:1: no header comment; describe the file's purpose" % path
    if suffix in DATA_SUFFIXES:
        return
    limit = MAX_TEST_LINES if "_test." in path else MAX_LINES
    length = len(lines) - (lines[-1] == "")
    if length > limit:
        yield "%s:%d: %d lines, more than %d; split the file by concept" % (path, limit + 1, length, limit)


class Tree:
    """The files of a tree; finds paths and file names in comments that the tree does not contain."""

    def __init__(self, paths):
        self.paths = set(paths)
        self.names = {os.path.basename(path) for path in paths}
        self.folders = set()
        for path in paths:
            while "/" in path:
                path = os.path.dirname(path)
                self.folders.add(path)

    def holds(self, path):
        return (path in self.paths or path in self.folders or
                any(path + suffix in self.paths for suffix in (".h", ".cc", ".proto", ".py", ".textproto")))

    def missing(self, path, comment):
        """Yields the paths and file names in a comment of the file `path` that the tree does not contain."""
        for named in PATH_IN_PROSE.findall(comment):
            if named.split("/")[0] in self.folders:
                if not self.holds(named) and not self.holds(os.path.join(os.path.dirname(path), named)):
                    yield named
        for named in FILE_IN_PROSE.findall(comment):
            if named not in self.names and not FOREIGN_FILE.match(named):
                yield named


def citation_problems(root, tree):
    """Yields comments, and lines of pages, that name a missing file."""
    for path in sorted(tree.paths):
        comment_of = COMMENT_OF.get(os.path.splitext(path)[1] or os.path.basename(path))
        if comment_of is None or path.startswith("third_party/") or path in NOT_CITING:
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                comment = comment_of.search(line.rstrip("\n"))
                if comment and "://" not in comment.group(0):
                    for named in tree.missing(path, comment.group(0)):
                        yield "%s:%d: names %s, which does not exist" % (path, number, named)


def column_problems(root, paths):
    """Yields overlong lines in C++, Markdown and TypeScript files, except table rows, which cannot be broken.
    web/check.sh checks the rest of the web UI's format, because its formatter needs npm."""
    for path in paths:
        if path.endswith(CPP_SUFFIXES + (".md", ".ts")):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if len(line.rstrip("\n")) > MAX_COLUMNS and not (path.endswith(".md") and line.startswith("|")):
                        yield "%s:%d: more than %d columns" % (path, number, MAX_COLUMNS)


def folder_problems(paths):
    counts = {}
    for path in paths:
        if os.path.splitext(path)[1] in COMMENT_STARTS and not path.endswith(DATA_SUFFIXES):
            folder = os.path.dirname(path)
            counts[folder] = counts.get(folder, 0) + 1
    for folder, count in sorted(counts.items()):
        if count > MAX_FILES:
            yield "%s: %d files, more than %d; move some of them to subfolders" % (folder, count, MAX_FILES)


def types_of(lines):
    """Yields (line number, full name) of each type that a file defines outside unnamed namespaces."""
    names = []
    for number, line in enumerate(lines, 1):
        opened = NAMESPACE.match(line)
        if opened:
            names.append(opened.group(1))
        elif END_OF_NAMESPACE.match(line) and names:
            names.pop()
        elif names and "" not in names and TYPE.match(line):
            yield number, "::".join(names + [TYPE.match(line).group(1)])


def name_problems(root, paths):
    """Yields types that two files define under the same full name. If both files are linked, the linker keeps the
    functions of only one of the types."""
    first = {}
    for path in paths:
        if path.endswith(CPP_SUFFIXES) and not path.startswith("third_party/"):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for number, name in types_of(file):
                    other = first.setdefault(name, path)
                    if other != path:
                        yield "%s:%d: type %s is also defined in %s" % (path, number, name, other)


def index_problems(root, paths):
    """Yields decisions that are missing from the index, and lines of the index without a decision."""
    index = os.path.join(DECISIONS, "README.md")
    if index not in paths:
        return
    headings = {}
    for path in paths:
        if path.startswith(DECISIONS) and path.endswith(".md") and path != index:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                headings.update((line[3:].strip(), path) for line in file if line.startswith("## "))
    with open(os.path.join(root, index), encoding="utf-8") as file:
        listed = {line[2:].strip() for line in file if line.startswith("- ")}
    for heading in sorted(set(headings) - listed):
        yield "%s: \"%s\" is not in %s" % (headings[heading], heading, index)
    for line in sorted(listed - set(headings)):
        yield "%s: no decision is named \"%s\"" % (index, line)


def opening_problems(root, paths):
    """Yields lines that open a file without proto/read_file.h, and entries of OPENERS that name a file without such a
    line."""
    unused = {opener for opener in OPENERS if opener in paths}
    for path in paths:
        if not path.endswith((".cc", ".h")) or OPENS_ANYTHING.search(path):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not OPENS.search(line.split("//")[0]):
                    continue
                if path.startswith(tuple(OPENERS)):
                    unused -= {path}
                else:
                    yield "%s:%d: opens a file without a limit; use proto/read_file.h" % (path, number)
    for path in sorted(unused):
        yield "%s: opens no file; remove it from OPENERS in tools/check_style.py" % path


def clang_format():
    """Returns the clang-format of the required version, or None if it is not installed."""
    versioned = shutil.which("clang-format-%d" % CLANG_FORMAT_VERSION)
    if versioned:
        return versioned
    any_version = shutil.which("clang-format")
    if any_version is None:
        return None
    done = subprocess.run([any_version, "--version"], capture_output=True, text=True)
    version = re.search(r"version (\d+)\.", done.stdout)
    return any_version if version and int(version.group(1)) == CLANG_FORMAT_VERSION else None


def format_problems(root, paths, formatter):
    """Yields the C++ files that `formatter` would change."""
    paths = [path for path in paths if path.endswith(CPP_SUFFIXES)]
    if not paths or formatter is None:
        return
    done = subprocess.run([formatter, "--dry-run"] + paths, cwd=root, capture_output=True, text=True)
    changed = {line.split(":")[0] for line in done.stderr.split("\n") if ": warning: " in line}
    if done.returncode and not changed:
        yield "clang-format: " + done.stderr.strip()
    for path in sorted(changed):
        yield "%s: clang-format would change it" % path


def check(root):
    """Returns all problems below root, one line of text each."""
    own = list(check_layers.files_below(root))
    third_party = os.path.join(root, "third_party")
    paths = own + (["third_party/" + path for path in check_layers.files_below(third_party)]
                   if os.path.isdir(third_party) else [])
    problems = [problem for path in paths for problem in problems_of(root, path)]
    for found in (citation_problems(root, Tree(paths)), column_problems(root, paths), folder_problems(paths),
                  name_problems(root, paths), index_problems(root, paths), opening_problems(root, paths),
                  format_problems(root, paths, clang_format())):
        problems += found
    return problems


def main(arguments):
    if "--english" in arguments:
        return english_report.main([argument for argument in arguments if argument != "--english"])
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    problems = check(root)
    if clang_format() is None:
        print("check_style.py: the format was not checked, because clang-format %d is not installed" % CLANG_FORMAT_VERSION)
    for line in problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

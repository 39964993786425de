#!/usr/bin/env python3
"""Checks the layering rule in every #include line and every BUILD file; prints each violation as file:line: message.

usage: check_layers.py [ROOT]
Exit status: 0 if there are no violations, 1 if there are, 2 if a BUILD file cannot be read.
"""
import ast
import os
import re
import sys

# A folder may use itself and folders of lower height, so folders of equal height never use each other.
HEIGHTS = {
    "proto": 0,
    "ir": 1,
    "machine": 2,
    "rules": 3,
    "corpus": 4,
    "enumerator": 4,
    "verifier": 4,
    "emitter": 4,
    "selection": 5,
    "store": 5,
    "audit": 6,
    "pipeline": 6,
    "lsp": 7,
    "server": 7,
    "cli": 8,
    "clients": 9,
    "web": 9,
}
# The layering rule does not apply to these folders: they may use everything, and only tests may use them.
OUTSIDE = ("packaging", "tests", "tools")
SKIPPED = (".git", "node_modules", "out", "third_party")
SOURCE_SUFFIXES = (".h", ".cc", ".c", ".inc")
TEST_FILE = re.compile(r"(^|/)testing/|_(test|fuzz|benchmark)\.[a-z]+$")
TEST_RULES = ("cc_test", "cc_unit_test", "cc_fuzz", "py_test", "sh_test", "test_suite")


class External:
    """A library that only some paths may include or depend on."""

    def __init__(self, name, include, targets, owners, transitive_users=None):
        self.name = name
        self.include = re.compile(include)
        self.targets = {"@system_libs//:" + target for target in targets}
        self.owners = owners  # path prefixes that may use it directly
        self.transitive_users = transitive_users  # path prefixes that may link it indirectly, or None for all


EXTERNALS = [
    External("SQLite", r"(^|/)sqlite3(ext)?\.h$", ["sqlite3"], ["store/", "tests/"]),
    External("gRPC", r"^grpc(pp|\+\+)?/|\.grpc\.pb\.h$", ["grpc++", "grpc++_reflection"],
             ["server/", "tests/"], ["server/", "cli/", "web/", "tests/", "proto/"]),
    External("HTTP", r"^boost/(asio|beast)", ["beast"],
             ["server/", "tests/"], ["server/", "cli/", "web/", "tests/"]),
    External("a solver", r"^(z3(\+\+|_[a-z0-9_]+)?\.h$|cvc5/)", ["z3"], ["verifier/worker"], ["verifier/worker"]),
]


def folder_of(path):
    """Returns the top-level folder of path, which is relative to the root."""
    return path.split("/")[0]


def starts_with_any(path, prefixes):
    return any(path.startswith(prefix) for prefix in prefixes)


def breach(user, user_is_test, used):
    """Returns the reason why the folder `user` may not use the folder `used`, or None if it may."""
    if user == used or user in OUTSIDE or used == "third_party":
        return None
    if used in OUTSIDE:
        return None if user_is_test else "%s is for tests only" % used
    for folder in (user, used):
        if folder not in HEIGHTS:
            return "%s has no layer; add it to HEIGHTS in tools/check_layers.py" % folder
    if HEIGHTS[used] < HEIGHTS[user]:
        return None
    if HEIGHTS[used] == HEIGHTS[user]:
        return "%s and %s are in the same layer and must not use each other" % (user, used)
    return "%s is above %s" % (used, user)


def files_below(root):
    """Yields the relative paths of the project's own files."""
    for directory, folders, names in os.walk(root):
        relative = os.path.relpath(directory, root)
        relative = "" if relative == "." else relative + "/"
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("bazel-"))
        for name in sorted(names):
            if name not in SKIPPED:  # .git is a file in a tree that `git worktree` created
                yield relative + name


def check_includes(root, path, top_folders):
    """Yields the violations in the #include lines of one source file."""
    user = folder_of(path)
    is_test = bool(TEST_FILE.search(path))
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        included = match.group(2)
        for external in EXTERNALS:
            if external.include.search(included) and not starts_with_any(path, external.owners):
                yield "%s:%d: %s is for %s only" % (path, number, external.name, " and ".join(external.owners))
        if match.group(1) == '"' and not os.path.exists(os.path.join(root, included)):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), included))
            if os.path.exists(os.path.join(root, beside)):
                included = beside
        if "/" not in included or included.split("/")[0] not in top_folders:
            continue
        reason = breach(user, is_test, folder_of(included))
        if reason:
            yield '%s:%d: includes "%s", but %s' % (path, number, match.group(2), reason)


class Target:
    """One rule of a BUILD file: its label, kind, line and the labels that it depends on."""

    def __init__(self, package, kind, line, arguments):
        self.package = package
        self.kind = kind
        self.line = line
        self.label = "//%s:%s" % (package, arguments["name"])
        self.is_test = kind in TEST_RULES or bool(arguments.get("testonly"))
        labels = []
        for attribute in ("deps", "implementation_deps", "srcs", "hdrs"):
            value = arguments.get(attribute) or []
            labels += [value] if isinstance(value, str) else value
        self.labels = [self.absolute(label) for label in labels]
        if kind == "cc_grpc":
            self.labels.append("@system_libs//:grpc++")
        # The paths of the target's own sources, or "package/name" if it has none.
        own = [label for label in self.labels if label.startswith("//%s:" % package)]
        sources = [label[2:].replace(":", "/") for label in own if label.endswith(SOURCE_SUFFIXES)]
        self.places = sources or [package + "/" + arguments["name"]]

    def absolute(self, label):
        if label.startswith("//"):
            return label if ":" in label else "%s:%s" % (label, label.split("/")[-1])
        if label.startswith("@"):
            return label
        return "//%s:%s" % (self.package, label.lstrip(":"))

    def lies_in(self, prefixes):
        return all(starts_with_any(place, prefixes) for place in self.places)


class UnreadableBuild(Exception):
    pass


def read_build(root, path):
    """Evaluates a BUILD file as Python and returns its targets. This suffices, because the project's BUILD files are
    also valid Python."""
    package = os.path.dirname(path)
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    targets = []

    def recorder(kind):
        def record(*_, **arguments):
            if "name" not in arguments:
                return
            line = sys._getframe(1).f_lineno
            # cc_unit adds the files that are named after the target (tools/cc_unit.bzl).
            if kind in ("cc_unit", "cc_unit_test"):
                name = arguments["name"]
                files = [name + suffix for suffix in (".h", ".cc")
                         if os.path.exists(os.path.join(root, package, name + suffix))]
                arguments = dict(arguments, srcs=files + list(arguments.get("srcs") or []))
            targets.append(Target(package, kind, line, arguments))
            if kind == "cc_unit" and os.path.exists(os.path.join(root, package, name + "_test.cc")):
                targets.append(Target(package, "cc_unit_test", line, {
                    "name": name + "_test",
                    "srcs": [name + "_test.cc"],
                    "deps": [":" + name] + list(arguments.get("deps") or []) + list(arguments.get("test_deps") or []),
                }))
        return record

    try:
        tree = ast.parse(text, path)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        scope = {name: recorder(name) for name in names}
        scope.update({
            "__builtins__": {},
            "True": True,
            "False": False,
            "None": None,
            "len": len,
            "range": range,
            "glob": lambda *_, **__: [],
            "select": lambda choices, **_: [label for labels in choices.values() for label in labels],
        })
        exec(compile(tree, path, "exec"), scope)
    except Exception as error:
        raise UnreadableBuild("%s: cannot evaluate this file: %s" % (path, error)) from error
    return targets


def check_targets(targets):
    """Yields the violations in the direct dependencies of all targets, and in the indirect dependencies on gRPC, HTTP
    and solvers."""
    by_label = {target.label: target for target in targets}

    def reach(label, wanted, seen):
        """Returns the direct dependency through which `label` links one of `wanted`, `label` itself if it is in
        `wanted`, or None."""
        if label in wanted:
            return label
        if label in seen or label not in by_label:
            return None
        seen.add(label)
        for dependency in by_label[label].labels:
            if reach(dependency, wanted, seen):
                return dependency
        return None

    for target in targets:
        where = "%s/BUILD:%d: %s" % (target.package, target.line, target.label)
        if not target.package:
            continue
        for label in target.labels:
            if label.startswith("//") and not label.startswith("//third_party"):
                used = folder_of(label[2:].split(":")[0])
                reason = breach(folder_of(target.package), target.is_test, used)
                if reason:
                    yield "%s depends on %s, but %s" % (where, label, reason)
        for external in EXTERNALS:
            direct = external.targets.intersection(target.labels)
            if direct and not target.lies_in(external.owners) and target.kind != "cc_grpc":
                yield "%s: %s is for %s only" % (where, external.name, " and ".join(external.owners))
            elif external.transitive_users is not None and not target.lies_in(external.transitive_users):
                through = reach(target.label, external.targets, set())
                if through:
                    yield "%s links %s through %s" % (where, external.name, through)


def check(root):
    """Returns all violations below root, one line of text each; raises UnreadableBuild."""
    top_folders = {name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name))}
    breaches = []
    targets = []
    for path in files_below(root):
        if path.endswith(SOURCE_SUFFIXES) and "/" in path:
            breaches += check_includes(root, path, top_folders)
        elif os.path.basename(path) in ("BUILD", "BUILD.bazel"):
            targets += read_build(root, path)
    return breaches + list(check_targets(targets))


def main(arguments):
    root = arguments[0] if arguments else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        breaches = check(root)
    except UnreadableBuild as error:
        print(error, file=sys.stderr)
        return 2
    for line in breaches:
        print(line)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

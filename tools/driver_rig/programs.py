"""Finds the shader files below the given paths and which of them make one program."""
import hashlib
import os

import rig

# As tools/driver_rig/runner/shader_file.h has them.
STAGES = {"vert": "vertex", "vs": "vertex", "tesc": "tess_control", "tese": "tess_evaluation", "geom": "geometry",
          "gs": "geometry", "frag": "fragment", "fs": "fragment", "ps": "fragment", "comp": "compute", "cs": "compute"}


class Program:
    """One program: name, the files of its stages, and a hash of what they say."""

    def __init__(self, name, files):
        self.name = name
        self.files = files  # path on this machine -> its name in results
        digest = hashlib.sha256()
        for path in files:
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
        self.hash = digest.hexdigest()[:16]

    def file_of(self, stage):
        """The name of the file that holds the stage, for results."""
        for name in self.files.values():
            if STAGES.get(name.rpartition(".")[2]) == stage:
                return name
        return self.name


def find(paths):
    """The programs below the paths, sorted. Files of one folder and stem that are different stages are one program.

    Names start with the last part of the given path, so that they are the same on another machine.
    Raises rig.UserError if a path does not exist or holds no shader.
    """
    groups = {}
    for root in paths:
        root = os.path.abspath(root)
        if not os.path.exists(root):
            raise rig.UserError(f"{root} does not exist")
        for path in sorted(walk(root)):
            name = os.path.relpath(path, os.path.dirname(root))
            stem, _, suffix = name.rpartition(".")
            group = groups.setdefault(stem, {})
            if STAGES.get(suffix) in {STAGES.get(key) for key in group} - {None} or suffix == "shader_test":
                group = groups.setdefault(name, {})
            group[suffix] = (path, name)
    programs = [program_of(stem, group) for stem, group in sorted(groups.items()) if group]
    if not programs:
        raise rig.UserError(f"no shaders below {', '.join(paths)} (suffixes: shader_test, {', '.join(sorted(STAGES))})")
    return programs


def walk(root):
    if os.path.isfile(root):
        if is_shader(root):
            yield root
        return
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            if is_shader(name):
                yield os.path.join(folder, name)


def is_shader(path):
    name = os.path.basename(path)
    return not name.startswith(".") and name.rpartition(".")[2] in list(STAGES) + ["shader_test"]


def program_of(stem, group):
    files = dict(sorted(group.values()))
    return Program(next(iter(files.values())) if len(files) == 1 else stem, files)

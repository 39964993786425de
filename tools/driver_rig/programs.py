"""Finds the shader files below the given paths, and groups them into programs.

OpenGL drivers accept GLSL and .shader_test files. Vulkan drivers accept SPIR-V modules (.spv or .STAGE.spv), and GLSL
after translation by spirv.py.
"""
import hashlib
import os

import rig

# The same suffixes as in tools/driver_rig/runner/shader_file.h.
STAGES = {"vert": "vertex", "vs": "vertex", "tesc": "tess_control", "tese": "tess_evaluation", "geom": "geometry",
          "gs": "geometry", "frag": "fragment", "fs": "fragment", "ps": "fragment", "comp": "compute", "cs": "compute"}
OTHERS = {"gl": "shader_test", "vulkan": "spv"}  # additional suffixes


class Program:
    """One program: its name, the files of its stages, and a hash of their contents."""

    def __init__(self, name, files):
        self.name = name
        self.files = files  # path on this machine -> its name in results
        self.inputs = list(files)  # the files that the runner reads
        digest = hashlib.sha256()
        for path in files:
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
        self.hash = digest.hexdigest()[:16]

    def file_of(self, stage):
        """Returns the name that the file of the stage has in results."""
        for name in self.files.values():
            if stage_of(split(name)[1]) == stage:
                return name
        return self.name


def split(name):
    """Splits "a.frag" into ("a", "frag"), "a.frag.spv" into ("a", "frag.spv"), and "a.b.spv" into ("a.b", "spv")."""
    stem, _, suffix = name.rpartition(".")
    before, _, stage = stem.rpartition(".")
    return (before, f"{stage}.spv") if suffix == "spv" and before and stage in STAGES else (stem, suffix)


def stage_of(suffix):
    return STAGES.get(suffix.removesuffix(".spv"))


def find(paths, api="gl"):
    """Returns the programs below the paths that an API ("gl" or "vulkan") accepts, sorted. Files with the same folder
    and stem but different stages form one program.

    Names start with the last component of the given path, so that they are the same on other machines.
    Raises rig.UserError if a path does not exist, or if no path contains shaders.
    """
    groups = {}
    for root in paths:
        root = os.path.abspath(root)
        if not os.path.exists(root):
            raise rig.UserError(f"{root} does not exist")
        for path in sorted(walk(root, api)):
            name = os.path.relpath(path, os.path.dirname(root))
            stem, suffix = split(name)
            group = groups.setdefault(stem, {})
            # the stage is already present, or unknown
            if stage_of(suffix) in {stage_of(key) for key in group} | {None}:
                group = groups.setdefault(name, {})
            group[suffix] = (path, name)
    programs = [program_of(stem, group) for stem, group in sorted(groups.items()) if group]
    if not programs:
        raise rig.UserError(f"no shaders below {', '.join(paths)} (suffixes: {OTHERS[api]}, {', '.join(sorted(STAGES))})")
    return programs


def walk(root, api):
    if os.path.isfile(root):
        if is_shader(root, api):
            yield root
        return
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            path = os.path.join(folder, name)
            if is_shader(name, api) and os.path.isfile(path):  # a pipe would block the trial
                yield path


def is_shader(path, api):
    name = os.path.basename(path)
    return not name.startswith(".") and name.rpartition(".")[2] in list(STAGES) + [OTHERS[api]]


def program_of(stem, group):
    files = dict(sorted(group.values()))
    return Program(next(iter(files.values())) if len(files) == 1 else stem, files)

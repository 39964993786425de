"""Finds the shader files below the given paths and which of them make one program.

OpenGL drivers take GLSL and .shader_test files; Vulkan drivers SPIR-V modules (.spv, or .STAGE.spv) and GLSL, which
spirv.py translates.
"""
import hashlib
import os

import rig

# As tools/driver_rig/runner/shader_file.h has them.
STAGES = {"vert": "vertex", "vs": "vertex", "tesc": "tess_control", "tese": "tess_evaluation", "geom": "geometry",
          "gs": "geometry", "frag": "fragment", "fs": "fragment", "ps": "fragment", "comp": "compute", "cs": "compute"}
OTHERS = {"gl": "shader_test", "vulkan": "spv"}  # besides these


class Program:
    """One program: name, the files of its stages, and a hash of what they say."""

    def __init__(self, name, files):
        self.name = name
        self.files = files  # path on this machine -> its name in results
        self.inputs = list(files)  # what the runner is given
        digest = hashlib.sha256()
        for path in files:
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
        self.hash = digest.hexdigest()[:16]

    def file_of(self, stage):
        """The name of the file that holds the stage, for results."""
        for name in self.files.values():
            if stage_of(split(name)[1]) == stage:
                return name
        return self.name


def split(name):
    """("a", "frag") of "a.frag", ("a", "frag.spv") of "a.frag.spv", ("a.b", "spv") of "a.b.spv"."""
    stem, _, suffix = name.rpartition(".")
    before, _, stage = stem.rpartition(".")
    return (before, f"{stage}.spv") if suffix == "spv" and before and stage in STAGES else (stem, suffix)


def stage_of(suffix):
    return STAGES.get(suffix.removesuffix(".spv"))


def find(paths, api="gl"):
    """The programs below the paths that an api ("gl" or "vulkan") takes, sorted. Files of one folder and stem that are
    different stages are one program.

    Names start with the last part of the given path, so that they are the same on another machine.
    Raises rig.UserError if a path does not exist or holds no shader.
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
            if stage_of(suffix) in {stage_of(key) for key in group} | {None}:  # a second one, or one that names none
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
            if is_shader(name, api):
                yield os.path.join(folder, name)


def is_shader(path, api):
    name = os.path.basename(path)
    return not name.startswith(".") and name.rpartition(".")[2] in list(STAGES) + [OTHERS[api]]


def program_of(stem, group):
    files = dict(sorted(group.values()))
    return Program(next(iter(files.values())) if len(files) == 1 else stem, files)

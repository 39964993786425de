"""Translates GLSL into SPIR-V for Vulkan drivers, once for each text: glslang's relaxed rules give what OpenGL's GLSL leaves
out (bindings, locations, a block for loose uniforms), together for all stages of a program.

What was translated, or glslang's reason why not, lies in the build folder by the program's hash.
"""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

import programs
import rig

OPTIONS = ["-V", "-R", "-l", "--auto-map-bindings", "--auto-map-locations", "--target-env", "vulkan1.3"]
OLDEST_ES, RAISED_ES = "300", "310es"  # glslang makes SPIR-V of ES from 3.10 on, of which 3.00 is a part
SECONDS = 60
SUFFIXES = {"vertex": "vert", "tess_control": "tesc", "tess_evaluation": "tese", "geometry": "geom", "fragment": "frag",
            "compute": "comp"}
REFUSED = "refused.txt"


def prepare(found, build, say=None):
    """Sets the inputs of programs that are GLSL. Answers (programs, [(program, glslang's words)]): those that the drivers
    can be given, and those that glslang refuses. say: takes a line of progress. Raises rig.UserError without glslang."""
    ready, refused = [], []
    for done, program in enumerate(found):
        glsl = {path: programs.split(name)[1] for path, name in program.files.items() if not name.endswith(".spv")}
        words = translate(program, glsl, build) if glsl else ""
        if words:
            refused.append((program, words))
        else:
            ready.append(program)
        if say and glsl and (done + 1) % 200 == 0:
            say(f"GLSL to SPIR-V: {done + 1} of {len(found)}")
    return ready, refused


def translate(program, glsl, build):
    """"" or why glslang refuses the program. glsl: {path: suffix} of its files that are GLSL."""
    options = hashlib.sha256(" ".join(OPTIONS).encode()).hexdigest()[:8]
    folder = os.path.join(build, "spirv", options, program.hash)
    if not os.path.isdir(folder):
        make(glsl, folder)
    refused = os.path.join(folder, REFUSED)
    if os.path.exists(refused):
        with open(refused, encoding="utf-8", errors="replace") as file:
            return file.read()
    made = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    program.inputs = made + [path for path in program.files if path not in glsl]
    return ""


def make(glsl, folder):
    """The folder with a module for each stage, or with REFUSED; whole or not at all."""
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as scratch:
        names, raised = [], []
        for path, suffix in glsl.items():
            names.append(f"shader.{SUFFIXES[programs.stage_of(suffix)]}")
            target = os.path.join(scratch, names[-1])
            shutil.copyfile(path, target)
            with open(target, encoding="utf-8", errors="replace") as file:
                version = re.search(r"^[ \t]*#[ \t]*version[ \t]+(\d+)[ \t]+es\b", file.read(), re.M)
            if version and version[1] == OLDEST_ES:
                raised = ["--glsl-version", RAISED_ES]
        words = run_glslang(OPTIONS + raised + names, scratch)
        for name in names:
            os.remove(os.path.join(scratch, name))
        made = [name for name in os.listdir(scratch) if name.endswith(".spv")]
        if words or len(made) != len(names):
            for name in made:
                os.remove(os.path.join(scratch, name))
            with open(os.path.join(scratch, REFUSED), "w", encoding="utf-8") as file:
                file.write("glslang: " + (words or "makes no module"))
        kept = scratch + ".made"
        shutil.copytree(scratch, kept)
    try:
        os.rename(kept, folder)
    except OSError:  # another run was faster
        shutil.rmtree(kept)


def run_glslang(arguments, folder):
    """"" or what it says of an error."""
    try:
        done = subprocess.run(["glslangValidator"] + arguments, cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False)
    except FileNotFoundError:
        raise rig.UserError("glslangValidator, which translates GLSL for Vulkan drivers, is not installed; "
                            "start tools/install_packages.sh, or give SPIR-V modules (.spv)") from None
    except subprocess.TimeoutExpired:
        return f"no answer after {SECONDS} s"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
    return "\n".join(lines[:5] or [f"exit {done.returncode}"]) if done.returncode else ""

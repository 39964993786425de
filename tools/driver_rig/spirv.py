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
# glslang makes SPIR-V of ES from 3.10 on, of which 3.00 is a part. Where a text has a function of a built-in's name it
# refuses that; what it then takes is desktop GLSL, which has no precisions.
OLDEST_ES, RAISED = re.compile(rb"^([ \t]*#[ \t]*version[ \t]+)300[ \t]+es\b", re.M), [b"310 es", b"450"]
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
    options = hashlib.sha256(repr([OPTIONS, RAISED]).encode()).hexdigest()[:8]
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
        kept, words = os.path.join(scratch, "kept"), ""
        for version in RAISED:
            shutil.rmtree(kept, ignore_errors=True)
            os.mkdir(kept)
            names, is_raised = put_texts(glsl, kept, version)
            refused = run_glslang(OPTIONS + names, kept)
            for name in names:
                os.remove(os.path.join(kept, name))
            made = os.listdir(kept)
            if not refused and len(made) == len(names):
                words = ""
                break
            words = words or refused or "makes no module"
            if not is_raised:
                break
        if words:
            for name in made:
                os.remove(os.path.join(kept, name))
            with open(os.path.join(kept, REFUSED), "w", encoding="utf-8") as file:
                file.write("glslang: " + words)
        try:
            os.rename(kept, folder)
        except OSError:  # another run was faster
            pass


def put_texts(glsl, folder, version):
    """Writes the texts into the folder, with this version if they are OLDEST_ES. Their names, and whether one was."""
    names, is_raised = [], False
    for path, suffix in glsl.items():
        with open(path, "rb") as file:
            text, count = OLDEST_ES.subn(rb"\g<1>" + version, file.read(), count=1)
        is_raised |= count > 0
        names.append(f"shader.{SUFFIXES[programs.stage_of(suffix)]}")
        with open(os.path.join(folder, names[-1]), "wb") as file:
            file.write(text)
    return names, is_raised


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

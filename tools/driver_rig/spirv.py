"""Translates GLSL to SPIR-V for Vulkan drivers, each source once. glslang's relaxed rules add the parts that OpenGL's
GLSL omits (bindings, locations, a block for loose uniforms), for all stages of a program together.

The modules, or glslang's error, are stored in the build folder under the program's hash.
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
# glslang requires ESSL 3.10, of which 3.00 is a subset. ESSL 3.10 rejects functions named like a built-in; such sources
# compile as desktop GLSL, which ignores precision qualifiers.
OLDEST_ES, RAISED = re.compile(rb"^([ \t]*#[ \t]*version[ \t]+)300[ \t]+es\b", re.M), [b"310 es", b"450"]
SECONDS = 60
SUFFIXES = {"vertex": "vert", "tess_control": "tesc", "tess_evaluation": "tese", "geometry": "geom", "fragment": "frag",
            "compute": "comp"}
REFUSED = "refused.txt"


def prepare(found, build, say=None):
    """Translates GLSL programs and sets their inputs to the modules. Returns the programs that are ready, and
    [(program, glslang's error)] for those that glslang rejects. say: receives progress messages. Raises rig.UserError
    if glslang is missing."""
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
    """Translates the program. Returns glslang's error, or "". glsl: {path: suffix} of the program's GLSL files."""
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
    """Creates the folder, which contains a module for each stage or the file REFUSED. The folder is complete once it
    exists."""
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
            words = words or refused or "glslang wrote no module"
            if not is_raised:
                break
        if words:
            for name in made:
                os.remove(os.path.join(kept, name))
            with open(os.path.join(kept, REFUSED), "w", encoding="utf-8") as file:
                file.write("glslang: " + words)
        try:
            os.rename(kept, folder)
        except OSError:  # another run created the folder first
            pass


def put_texts(glsl, folder, version):
    """Writes the sources into the folder, replacing an OLDEST_ES version with this version. Returns the names, and
    whether any version was replaced."""
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
    """Runs glslang. Returns its errors, or ""."""
    try:
        done = subprocess.run(["glslangValidator"] + arguments, cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False)
    except FileNotFoundError:
        raise rig.UserError("glslangValidator, which translates GLSL for Vulkan drivers, is not installed; "
                            "run tools/install_packages.sh, or pass SPIR-V modules (.spv)") from None
    except subprocess.TimeoutExpired:
        return f"timeout after {SECONDS} s"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
    return "\n".join(lines[:5] or [f"exit {done.returncode}"]) if done.returncode else ""

#!/usr/bin/python3
"""Imitates tools/driver_rig/build without Mesa: writes a source with a patch, a library that names the rules, and a
runner."""
import hashlib
import os
import shutil
import sys
import tomllib

FOLDER = os.path.dirname(os.path.abspath(__file__))


def value(option, count=1):
    at = sys.argv.index(option) + 1 if option in sys.argv else None
    return sys.argv[at:at + count] if at else None


def main():
    out = value("--out")[0]
    source, library = os.path.join(out, "mesa-trixie"), os.path.join(out, "build/src/gallium/targets/dri")
    os.makedirs(source, exist_ok=True)
    os.makedirs(library, exist_ok=True)
    with open(os.path.join(source, "VERSION"), "w", encoding="utf-8") as file:
        file.write("25.0.7\n")
    if value("--source-only"):
        with open(os.path.join(source, "rig_patch"), "w", encoding="utf-8") as file:
            file.write(value("--source-only")[0])
        return
    if os.path.exists(os.path.join(FOLDER, "no_compiler")):
        sys.exit("build: compiling failed; the full output is in " + out + "/log")
    _, rules = value("--trial", 2)
    shutil.copyfile(rules, os.path.join(out, "rules.py"))
    with open(rules, "rb") as file, open(os.path.join(library, "libgallium-0.so"), "w", encoding="utf-8") as so:
        so.write(hashlib.sha256(file.read()).hexdigest())
    with open(os.path.join(FOLDER, "drivers.toml"), "rb") as file:
        shims = {os.path.join(out, "build", driver["shim"]) for driver in tomllib.load(file)["driver"] if "shim" in driver}
    for shim in shims:
        os.makedirs(os.path.dirname(shim), exist_ok=True)
        with open(shim, "w", encoding="utf-8"):
            pass
    shutil.copy(os.path.join(FOLDER, "fake_runner.py"), os.path.join(out, "runner"))


main()

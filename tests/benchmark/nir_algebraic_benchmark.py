#!/usr/bin/env python3
"""Compares the times of Mesa's nir_opt_algebraic and of the `c` format's runtime on one shader in one run, and the
sizes of their tables.

usage: nir_algebraic_benchmark.py PRINT SOURCE RIG [MACHINE]...    (RIG: the output of tools/driver_rig/build)
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile


def command_of(build, name):
    """Returns the compiler and its flags for the source file whose path ends with name."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        command = [one["command"] for one in json.load(file) if one["file"].endswith(name)][0]
    words = shlex.split(command)
    words = words[1:] if words[0].endswith("ccache") else words
    flags = words[:words.index("-c")]
    for option in ("-MQ", "-MF", "-o"):
        del flags[flags.index(option):flags.index(option) + 2]
    return flags


def table_bytes(build):
    """Returns the size of the loaded sections of nir_opt_algebraic.c's object file, in bytes, and the number of rules
    in its passes."""
    nir = os.path.join(build, "src/compiler/nir")
    found = subprocess.run(["size", os.path.join(nir, "libnir.a.p/meson-generated_.._nir_opt_algebraic.c.o")],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1].split()
    rules = 0
    with open(os.path.join(nir, "nir_opt_algebraic.c"), encoding="utf-8") as file:
        # A rule is listed once for each state of the automaton in which it may match.
        for one_pass in re.findall(r"static const struct transform \w*_transforms\[\] = \{(.*?)\n\};", file.read(), re.S):
            rules += len(set(re.findall(r"\{ \d+, \d+, \d+ \}", one_pass)))
    return sum(int(number) for number in found[:3]), rules


def main():
    printer, source, rig = (os.path.abspath(path) for path in sys.argv[1:4])
    build = os.path.join(rig, "build")
    total, rules = table_bytes(build)
    print(f"nir_opt_algebraic: {rules} rules in {total} bytes, {total / rules:.0f} per rule")
    for machine in sys.argv[4:] or ["intel_gen9", "agx_g13", "ir3_a6xx", "rdna"]:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([printer, folder, machine, "10000"], check=True)
            with open(os.path.join(folder, "tables.h"), encoding="utf-8") as file:
                rules, total = re.search(r"(\d+) rules in (\d+) bytes", file.read()).groups()
            print(f"{machine}: {rules} rules in {total} bytes, {int(total) / int(rules):.0f} per rule")
            program = os.path.join(folder, "benchmark")
            own = [os.path.join(folder, name) for name in ("tables.c", "select.c", "piece.c", "legal.c")]
            libraries = ["src/compiler/nir/libnir.a", "src/compiler/libcompiler.a", "src/util/libmesa_util.a",
                         "src/util/libmesa_util_sse41.a", "src/util/blake3/libblake3.a", "src/c11/impl/libmesa_util_c11.a"]
            subprocess.run(command_of(build, "nir/nir_search.c") +
                           [f"-DRW_BENCHMARK_TABLES=rewrought_{machine}", "-w", "-I", folder, source, *own, "-o", program,
                            "-Wl,--start-group", *libraries, "-Wl,--end-group", "-lm", "-lpthread", "-lz", "-lzstd", "-ldl"],
                           cwd=build, check=True)
            subprocess.run([program, os.path.join(folder, "SHADER.txt")], check=True)


if __name__ == "__main__":
    main()

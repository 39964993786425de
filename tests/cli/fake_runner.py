#!/usr/bin/python3
"""Imitates the rig's runner for an invented driver. Comments in a shader determine the result of compiling it:

    // size 100                          the number of instructions; msm adds 10 nops and no stalls
    // WORDS PLACE DRIVER EFFECT         the effect of the rule whose tuple contains WORDS: "-3" instructions, "-3/4"
                                         for 4 more nops on msm, "hang", "crash", or "wait" as long as the file `wait`
                                         exists next to the runner; PLACE and DRIVER (msm, panfrost) may be *

Appends a line to `compiled.log`, next to the runner, for each compiled program. The driver's name in the line ends with
"-code" if the driver prints code, and with "-nir" if it writes NIR. The NIR computes 1 / sqrt(x), in two places.
"""
import json
import os
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
PLACES = ("main_rest", "before_late", "after_late")
DRIVER = os.environ["MESA_LOADER_DRIVER_OVERRIDE"]
NIR = """shader: MESA_SHADER_FRAGMENT
name: GLSL1
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000 = 0.000000)
    32     %1 = @load_interpolated_input (%0 (0x0)) (base=32, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32     %2 = load_const (0x3f800000 = 1.000000)
    32     %3 = fsqrt %1
    32     %4 = fdiv %2 (1.000000), %3
                @store_output (%4, %0 (0x0)) (base=4, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
                // succs: b1
    block b1:
}
"""


def rules():
    """Returns the texts of the pass's tuples, in order."""
    with open(os.path.join(FOLDER, "rules.py"), encoding="utf-8") as file:
        return [line for line in file if line.startswith("    ((")]


def on(place, number):
    for part in os.environ.get("RIG_RULES", "").split(","):
        name, _, digits = part.partition(":")
        if name == place and number // 4 < len(digits):
            return int(digits[number // 4], 16) >> number % 4 & 1
    return False


def compile_shader(text, tuples):
    """Returns (instructions, nops, the applied rules)."""
    size, nops, applied = 0, 10, []
    for line in text.split("\n"):
        words = line.split()
        if words[:2] == ["//", "size"]:
            size += int(words[2])
        if len(words) != 5 or words[0] != "//" or words[3] not in ("*", DRIVER):
            continue
        for place in PLACES:
            for number, rule in enumerate(tuples):
                if words[2] in ("*", place) and words[1] in rule and on(place, number):
                    applied.append(f"{place} {number} 1")
                    if words[4] == "hang":
                        time.sleep(1000)
                    if words[4] == "crash":
                        os.abort()
                    while words[4] == "wait" and os.path.exists(os.path.join(FOLDER, "wait")):
                        time.sleep(0.05)
                    instructions, _, more = words[4].partition("/")
                    size += 0 if instructions == "wait" else int(instructions)
                    nops += int(more or 0)
    return size, nops, applied


def code(size):
    """Returns code in the format of ir3."""
    lines = ["Native code for unnamed FRAG shader GLSL1 with sha1 0:"] + [f"mul.f r{i}.x, c0.x" for i in range(size // 10)]
    return "".join(f"MESA: info: {line}\n" for line in lines + ["end", "nop"])


def write_nir(number):
    for place in ("main", "late"):
        os.makedirs(os.path.join(os.environ["RIG_NIR"], place), exist_ok=True)
        with open(os.path.join(os.environ["RIG_NIR"], place, f"{number}.alone.fragment.nir"), "w", encoding="utf-8") as file:
            file.write(NIR)


def message(size, nops):
    if DRIVER == "msm":
        return f"FRAG shader: {size + nops} inst, {nops} nops, {size} non-nops, 0 sstall, 0 systall, 16 waves"
    return f"MESA_SHADER_FRAGMENT shader: {size} inst, {size / 8} cycles"


def main():
    results, tuples = os.fdopen(int(os.environ["RIG_RESULTS"]), "w"), rules()

    def say(**answer):
        print(json.dumps(answer), file=results, flush=True)

    say(driver="made up")
    for line in sys.stdin:
        number, *files = line.rstrip("\n").split("\t")
        if number == "set":
            os.environ[files[0]] = files[1]
            continue
        with open(os.path.join(FOLDER, "compiled.log"), "a", encoding="utf-8") as log:
            what = "-code" if "RIG_PRINTED" in os.environ else "-nir" if "RIG_NIR" in os.environ else ""
            log.write(f"{DRIVER}{what} {os.path.basename(files[0])} {os.environ.get('RIG_RULES', '')}\n")
        if "RIG_NIR" in os.environ:
            write_nir(number)
        with open(files[0], encoding="utf-8") as file:
            size, nops, applied = compile_shader(file.read(), tuples)
        printed = {"printed": code(size)} if "RIG_PRINTED" in os.environ and "IR3_SHADER_DEBUG" in os.environ else {}
        say(program=int(number), mode="alone", api="core", stages=["fragment"], messages=[message(size, nops)], error="",
            applied=applied, **printed)
        say(done=int(number))


main()

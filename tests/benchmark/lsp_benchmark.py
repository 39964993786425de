"""Measures how soon the language server reports the verdict on a rule that is typed into a Mesa tree's rule file.

usage: lsp_benchmark.py REWROUGHT NIR_DIR [--verdicts FILE] [--changes N]

NIR_DIR is the tree's src/compiler/nir. Without --verdicts, the server verifies the rest of the file at the same time.
FILE, an audit's verdicts, is copied and not changed. Every change inserts another rule, which no change has had before.
"""
import argparse
import collections
import os
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lsp"))
import lsp_client  # noqa: E402 pylint: disable=wrong-import-position

# Each pattern has two numbers. The rules are proved or refuted by vectors, normal forms, or a solver.
PATTERNS = [
    "(('iadd', ('imul', a, %d), a), ('imul', a, %d)),",
    "(('fadd', ('fneg', a), ('fmul', a, %d.0)), ('fmul', a, %d.0)),",
    "(('ior', ('iand', a, b), ('iand', ('inot', a), ('iadd', b, %d))), ('ixor', b, ('iand', a, ('iadd', b, %d)))),",
    "(('fmin', ('fmax(nnan)', a, %d.0), ('fneg', %d.0)), ('fmax', ('fmin', a, 100.0), 50.0)),",
    "(('ushr', ('ishl@32', a, %d), %d), ('iand', a, 255)),",
    "(('flt', ('fadd', a, %d.0), ('fadd', b, %d.0)), ('flt', a, b)),",
    "(('ixor', ('iand@32', a, %d), ('iand', b, %d)), ('iand', ('ixor', a, b), 7)),",
    "(('umin', ('ushr@32', a, %d), ('ushr', b, %d)), ('ushr', ('umin', a, b), 3)),",
]
VERDICTS = ("proved", "refuted", "unknown", "inexact", "unsupported", "vacuous")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rewrought")
    parser.add_argument("nir")
    parser.add_argument("--verdicts")
    parser.add_argument("--changes", type=int, default=80)
    options = parser.parse_args()
    path = os.path.join(os.path.abspath(options.nir), "nir_opt_algebraic.py")
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = lines.index("optimizations = [") + 1
    with tempfile.TemporaryDirectory() as folder:
        verdicts = os.path.join(folder, "verdicts")
        if options.verdicts:
            shutil.copyfile(options.verdicts, verdicts)
        client = lsp_client.Client([options.rewrought, "lsp", "--verdicts", verdicts], seconds=120)
        start = time.monotonic()
        client.open(path, "\n".join(lines))
        arrived, _ = client.wait_for(path, lambda all_of: any(one["code"] == "shadowed" for one in all_of))
        print("opened in %.2f s" % (arrived - start))
        times, codes = [], collections.Counter()
        for number in range(options.changes):
            rule = PATTERNS[number % len(PATTERNS)] % (number // len(PATTERNS) + 3, number // len(PATTERNS) + 4)
            start = client.change(path, "\n".join(lines[:at] + ["   " + rule] + lines[at:]))

            def verdict(all_of):
                return [one for one in all_of if one["range"]["start"]["line"] == at and one["code"] in VERDICTS]
            arrived, diagnostics = client.wait_for(path, verdict)
            times.append(1000 * (arrived - start))
            codes[verdict(diagnostics)[0]["code"]] += 1
            time.sleep(0.3)
        client.close()
    times.sort()
    print("%d changes: median %.0f ms, nine of ten within %.0f ms, at most %.0f ms; %s" % (
        len(times), statistics.median(times), times[9 * len(times) // 10], times[-1],
        ", ".join("%d %s" % (count, code) for code, count in sorted(codes.items()))))


if __name__ == "__main__":
    main()

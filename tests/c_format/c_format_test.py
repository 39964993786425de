#!/usr/bin/env python3
"""Tests the files of the `c` format in a driver's own build: compiles them as C11 with warnings as errors, and runs
them in a minimal driver, with sanitizers."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

C11 = ["gcc", "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]
SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


class CFormatTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([SAMPLE, cls.folder.name], check=True, stdout=subprocess.DEVNULL)
        cls.pack = os.path.join(cls.folder.name, "mesa-25.0", "strict")
        cls.sources = [os.path.join(cls.pack, name) for name in sorted(os.listdir(cls.pack)) if name.endswith(".c")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def built(self, driver, flags):
        program = os.path.join(self.folder.name, "driver")
        subprocess.run(C11 + flags + ["-I", self.pack, driver] + self.sources + ["-o", program], check=True)
        return program

    def answer(self, driver, flags, *arguments):
        ran = subprocess.run([self.built(driver, flags), *arguments], check=True, stdout=subprocess.PIPE, text=True)
        return ran.stdout.splitlines()

    def test_the_smallest_driver(self):
        for flags in (["-O2"], ["-O0"] + SANITIZERS):
            with self.subTest(flags):
                self.assertEqual(self.answer(DRIVER, flags, "iscdbm"), [
                    # Two rules of the pack apply: a negated sum is one instruction, and so is a select with its
                    # compare.
                    "v3: ADD r(D), neg_i v0(D), neg_i v1(D)",
                    "i: status 0, 1 instructions, 0 uncovered",
                    "v3: SEL r(D), v0(D), v1(D) .L",
                    "s: status 0, 1 instructions, 0 uncovered",
                    # The constant -5 becomes an immediate.
                    "v3: ADD r(D), neg_i v0(D), 0xfffffffb(D)",
                    "c: status 0, 1 instructions, 0 uncovered",
                    # The sum has another use, so it is a separate instruction that the negation reads.
                    "v2: ADD r(D), v0(D), v1(D)",
                    "v3: MOV r(D), neg_i v2(D)",
                    "d: status 0, 2 instructions, 0 uncovered",
                    "b: status 2, 0 instructions, 0 uncovered",
                    "m: status 1, 0 instructions, 0 uncovered",
                ])

    def test_any_dag_ends_well_or_as_an_error(self):
        self.assertEqual(self.answer(RANDOM, ["-O1"] + SANITIZERS),
                         ["360 well, 40 without memory, 0 bad; code was selected"])

    def test_what_no_rule_selects_is_an_error_of_the_drivers_build(self):
        with open(os.path.join(self.pack, "covered.h"), encoding="utf-8") as file:
            missing = re.findall(r"#ifndef (RW_DRIVER_HAS_\w+)", file.read())
        self.assertIn("RW_DRIVER_HAS_fquantize2f16_32", missing)

        def build(defines, more=""):
            source = os.path.join(self.folder.name, "use.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write("".join(f"#define {name}\n" for name in defines) + '#include "covered.h"\n' + more +
                           "int main(void) { return 0; }\n")
            ran = subprocess.run(C11 + ["-I", self.pack, source, "-o", source + ".out"], stderr=subprocess.PIPE, text=True)
            return ran.returncode, ran.stderr

        code, said = build(missing[1:])
        self.assertNotEqual(code, 0)
        op, size = re.fullmatch(r"RW_DRIVER_HAS_(\w+)_(\d+)", missing[0]).groups()
        self.assertIn(f"intel_gen9: {op} of {size} bit", said)
        self.assertIn(f"define {missing[0]} if the driver has its own code", said)
        self.assertEqual(said.count("error: #error"), 1)
        self.assertEqual(build(missing), (0, ""))
        self.assertEqual(build(missing, "REWROUGHT_INTEL_GEN9_NEEDS(fadd, 32);\n"), (0, ""))
        code, said = build(missing, "REWROUGHT_INTEL_GEN9_NEEDS(fquantize2f16, 32);\n")
        self.assertNotEqual(code, 0)
        self.assertIn("rewrought_intel_gen9_covers_fquantize2f16_32", said)

    def test_as_part_of_a_cpp_driver(self):
        source = os.path.join(self.folder.name, "use.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write('#include "tables.h"\nint main() { return rw_find_op(&rewrought_intel_gen9, "none") != RW_UNKNOWN_OP; }\n')
        objects = []
        for path in self.sources:
            objects.append(os.path.join(self.folder.name, os.path.basename(path) + ".o"))
            subprocess.run(C11 + ["-O2", "-c", path, "-o", objects[-1]], check=True)
        program = os.path.join(self.folder.name, "use")
        subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", self.pack, source] + objects +
                       ["-o", program], check=True)
        subprocess.run([program], check=True)


if __name__ == "__main__":
    SAMPLE, DRIVER, RANDOM = (os.path.abspath(path) for path in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])

"""Tests parsing the messages of each driver, in the form that Mesa 25.0.7 writes them."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import messages  # noqa: E402
import rig  # noqa: E402


def read(row, *texts):
    return messages.Reader(rig.load_table("statistics.toml")[row]).read(list(texts))


class MessagesTest(unittest.TestCase):
    def expect(self, row, text, stage, variant, numbers):
        """Expects one record with this stage and variant, whose numbers include `numbers`."""
        records, unread = read(row, text)
        self.assertEqual(unread, [])
        self.assertEqual([(record["stage"], record["variant"]) for record in records], [(stage, variant)])
        self.assertEqual({name: records[0]["numbers"].get(name) for name in numbers}, numbers)
        return records[0]["numbers"]

    def test_ir3(self):
        found = self.expect(
            "ir3", "FRAG shader: 34 inst, 6 nops, 28 non-nops, 4 mov, 0 cov, 76 dwords, 2 last-baryf, 0 last-helper, "
            "1 half, 3 full, 8 constlen, 6 cat0, 4 cat1, 12 cat2, 8 cat3, 0 cat4, 2 cat5, 2 cat6, 0 cat7, 0 stp, 0 ldp, "
            "10 sstall, 1 (ss), 20 systall, 1 (sy), 16 waves, 0 loops, 3 preamble inst, 1 early-preamble",
            "fragment", "", {"inst": 34, "non-nops": 28, "(ss)": 1, "waves": 16, "preamble inst": 3, "early-preamble": 1})
        self.assertEqual(len(found), 29)
        self.expect("ir3", "BVERT shader: 9 inst, 2 nops, 7 non-nops, 0 sstall, 3 systall", "vertex", "binning",
                    {"inst": 9, "nops": 2, "systall": 3})

    def test_intel(self):
        found = self.expect(
            "intel", "FS SIMD16 shader: 21 inst, 1 loops, 230 cycles, 4:5 spills:fills, 3 sends, scheduled with mode "
            "latency-sensitive, Promoted 2 constants, compacted 336 to 208 bytes.", "fragment", "SIMD16",
            {"inst": 21, "loops": 1, "cycles": 230, "spills": 4, "fills": 5, "sends": 3})
        self.assertEqual(found["bytes"], 208)
        self.assertNotIn("constants", found)
        self.expect("intel", "VS vec4 shader: 7 inst, 0 loops, 60 cycles, 0:0 spills:fills, 1 sends, compacted 112 to 96 "
                    "bytes.", "vertex", "vec4", {"inst": 7, "cycles": 60, "bytes": 96})

    def test_panfrost(self):
        found = self.expect(
            "panfrost", "MESA_SHADER_FRAGMENT shader: 9 inst, 0.156250 cycles, 0.031250 fma, 0.015625 cvt, 0.062500 sfu, "
            "0.125000 v, 0.000000 t, 0.000000 ls, 8 quadwords, 2 threads, 0 loops, 0:1 spills:fills", "fragment", "",
            {"inst": 9, "cycles": 0.15625, "sfu": 0.0625, "quadwords": 8, "threads": 2, "spills": 0, "fills": 1})
        self.assertEqual(len(found), 13)
        self.expect("panfrost", "MESA_SHADER_POSITION shader: 28 instrs, 24 tuples, 2.000000 cycles, 0.916667 arith, 2 threads, "
                    "320 code size, 0:3 spills:fills, 0 spill cost, 10 registers used", "vertex", "position",
                    {"inst": 28, "cycles": 2, "fills": 3, "code size": 320, "registers": 10})  # Mesa 26.2
        self.expect("panfrost", "MESA_SHADER_POSITION shader: 5 inst, 0.1 cycles", "vertex", "position", {"inst": 5})
        self.expect("midgard", "MESA_SHADER_VERTEX shader: 9 inst, 4 bundles, 5 quadwords, 3 registers, 4 threads, 0 loops, "
                    "0:1 spills:fills", "vertex", "", {"inst": 9, "bundles": 4, "threads": 4, "fills": 1})

    def test_aco_says_two_things_of_one_shader(self):
        records, unread = read(
            "aco", "ACO Stats: 4 Hash: 99 Instructions: 12 Copies: 1 Latency: 77 Inverse Throughput: 9 Pre-Sched SGPRs: 8",
            "Shader Stats: SGPRS: 16 VGPRS: 8 Code Size: 64 Max Waves: 16 DivergentLoop: 0 (PS, W64)",
            "ACO Stats: 0 Hash: 98 Instructions: 5 Latency: 9 Inverse Throughput: 2",
            "Shader Stats: SGPRS: 24 VGPRS: 4 Max Waves: 8 (VS, W32)")
        self.assertEqual(unread, [])
        self.assertEqual([record["stage"] for record in records], ["fragment", "vertex"])
        self.assertEqual(records[0]["numbers"], {
            "Instructions": 12, "Copies": 1, "Latency": 77, "Inverse Throughput": 9, "Pre-Sched SGPRs": 8, "SGPRS": 16,
            "VGPRS": 8, "Code Size": 64, "Max Waves": 16, "DivergentLoop": 0})
        self.assertEqual(records[1]["numbers"], {"Instructions": 5, "Latency": 9, "Inverse Throughput": 2, "SGPRS": 24,
                                                 "VGPRS": 4, "Max Waves": 8})

    def test_others(self):
        self.expect("v3d", "MESA_SHADER_FRAGMENT shader: 16 inst, 4 threads, 0 loops, 6 uniforms, 4 max-temps, 0:2 "
                    "spills:fills, 0 sfu-stalls, 16 inst-and-stalls, 3 nops", "fragment", "",
                    {"inst": 16, "max-temps": 4, "fills": 2, "inst-and-stalls": 16})
        self.assertEqual(read("v3d", "Falling back to strategy 'lower thread count' for MESA_SHADER_FRAGMENT prog 1/1"),
                         ([], []))
        self.expect("vc4", "MESA_SHADER_VERTEX shader: 20 inst, 1 threads, 30 uniforms, 5 max-temps, 44 estimated-cycles",
                    "vertex", "", {"inst": 20, "estimated-cycles": 44})
        self.expect("r300", "FS shader: 4 inst, 4 vinst, 1 sinst, 0 predicate, 0 flowcontrol, 0 loops, 1 tex, 0 presub, 0 "
                    "omod, 2 temps, 1 consts, 0 lits, 14 cycles", "fragment", "", {"inst": 4, "cycles": 14})
        self.expect("r600", "VS shader: 30 dw, 4 gprs, 5 alu_groups, 0 loops, 7 cf, 1 stack", "vertex", "", {"dw": 30})
        self.expect("nouveau", "type: 4, local: 0, shared: 0, gpr: 8, inst: 12, bytes: 96, cached: 0", "fragment", "",
                    {"gpr": 8, "inst": 12, "bytes": 96})

    def test_vulkan(self):
        found = self.expect(
            "radv", "compute [compute]: 139396527006368678 Driver pipeline hash | 128 SGPRs | 24 VGPRs | 928 Code size | "
            "32 Subgroups per SIMD | 2251405778 Hash | 196 Instructions | 23326 Latency | 1458 Inverse Throughput | "
            "24 Pre-Sched SGPRs | 0 VOPD", "compute", "",
            {"Instructions": 196, "Latency": 23326, "Code size": 928, "Pre-Sched SGPRs": 24, "VOPD": 0, "Hash": None})
        self.assertNotIn("Driver pipeline hash", found)
        short = "9 Instructions | 70 Latency | 5 Inverse Throughput | 16 Subgroups per SIMD"
        self.expect("radv", f"vertex+geometry [vertex + geometry]: {short}", "vertex+geometry", "", {"Instructions": 9})
        self.expect("radv", f"geometry [geometry copy]: {short}", "geometry", "copy", {"Latency": 70})
        self.expect("turnip", "vertex [Binning VS]: 16 Max Waves Per Core | 62 Instruction Count | 9 NOPs Count | "
                    "7 Estimated cycles stalled on SS | 8 Estimated cycles stalled on SY | 12 Early preamble", "vertex", "binning",
                    {"Instruction Count": 62, "NOPs Count": 9, "non-nops": 53, "Early preamble": 12,
                     "Estimated cycles stalled on SY": 8})
        self.expect("anv", "fragment [SIMD2x8 fragment]: 62 Instruction Count | 9 SEND Count | 900 Cycle Count", "fragment",
                    "SIMD2x8", {"Instruction Count": 62, "Cycle Count": 900})
        self.expect("anv", "compute [compute]: 62 Instruction Count | 900 Cycle Count", "compute", "", {"Cycle Count": 900})

    def test_a_shader_without_the_numbers_of_trials_is_not_understood(self):
        for row, text in (("radv", "compute [compute]: 196 Instructions | 23326 Latencies"),
                          ("turnip", "compute [CS]: 62 Instruction Count | 16 Max Waves Per Core"),  # without NOPs, there are no non-nops
                          ("aco", "Shader Stats: SGPRS: 24 VGPRS: 4 (VS, W32)"),
                          ("ir3", "FRAG shader: 34 inst, 6 nops, 28 non-nops, 10 sstall"),
                          ("ir3", "FRAG shader: 34 inst, 6 nops, 10 sstall, 20 systall")):
            self.assertEqual(read(row, text), ([], [text]))

    def test_variants_are_told_apart(self):
        text = "FS SIMD8 shader: 3 inst, 0 loops, 9 cycles."
        records, _ = read("intel", text, text.replace("SIMD8", "SIMD16"), text)
        self.assertEqual([record["variant"] for record in records], ["SIMD8", "SIMD16", "SIMD8 2"])

    def test_what_is_not_understood_is_said(self):
        for text in ("LLVM diagnostic (error): x", "FRAG shader: 3 spills:fills", "XX shader: 3 inst", "FRAG shader: nothing", "FRAG shader: "):
            records, unread = read("ir3", text)
            self.assertEqual((records, unread), ([], [text]))

    def test_tables(self):
        table = rig.load_table("statistics.toml")
        drivers = rig.load_drivers()
        self.assertEqual(len(set(rig.names(drivers))), len(drivers))
        self.assertEqual({driver["statistics"] for driver in drivers}, set(table))
        stages = {"vertex", "tess_control", "tess_evaluation", "geometry", "fragment", "compute"}
        for name, row in table.items():
            named = {part for stage in row["stages"].values() for part in stage.split("/")[0].split("+")}
            self.assertLessEqual(named, stages, name)
            self.assertEqual({"value", "name"}, set(re.compile(row["number"]).groupindex), name)
        self.assertEqual(rig.names(rig.select(drivers, ["v3d-42"])), ["v3d-42"])
        with self.assertRaisesRegex(rig.UserError, "no driver v4d; the drivers are .*v3d-42"):
            rig.select(drivers, ["v4d"])


if __name__ == "__main__":
    unittest.main()

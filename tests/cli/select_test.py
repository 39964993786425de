"""Tests the contract of `rewrought select`: one object with programs and figures for each shader, drawings, and
errors.

usage: select_test.py REWROUGHT PRINT_SAMPLE   (reads corpus/samples below the working directory)
"""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import unittest

import command_line

SAMPLES = "corpus/samples"
MACHINES = ["agx_g13", "i915", "intel_gen11", "intel_gen125", "intel_gen4", "intel_gen6", "intel_gen7", "intel_gen8",
            "intel_gen9", "ir3_a3xx", "ir3_a6xx", "nv40", "r200", "r300", "r500", "rdna", "sm70", "v3d_42", "valhall", "vc4",
            "vec4"]

# A shader in TGSI, as r300 and similar drivers print it. It writes two halves of a register and computes four dot
# products.
TGSI = """FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0][0..3]
DCL TEMP[0..1], LOCAL
  0: MUL TEMP[0].xy, IN[0], IN[1]
  1: ADD TEMP[0].zw, IN[0], IN[1]
  2: DP4 TEMP[1].x, TEMP[0], CONST[0][0]
  3: DP4 TEMP[1].y, TEMP[0], CONST[0][1]
  4: DP4 TEMP[1].z, TEMP[0], CONST[0][2]
  5: DP4 TEMP[1].w, TEMP[0], CONST[0][3]
  6: MOV OUT[0], TEMP[1]
  7: END
"""

# This shader contains a product that two sums use, a select with its compare, a modifier, and a loop that reads a value
# from outside.
SHADER = """shader: MESA_SHADER_FRAGMENT
name: GLSL1
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_ubo (%0, %0) (access=none)
    32x2   %2 = @load_input (%0) (base=0)
    32     %3 = fmul %2.x, %2.y
    32     %4 = fadd %3, %1
    32     %5 = fneg %2.x
    32     %6 = fadd %3, %5
     1     %7 = flt %2.x, %2.y
    32     %8 = bcsel %7, %4, %6
                // succs: b1
    loop {
        block b1:   // preds: b0 b1
        32    %9 = (float32)tex %8 (coord), 0 (texture)
        32    %10 = fadd %9, %2.y
                    @store_output (%10, %0) (base=4)
                    // succs: b1
    }
    block b2:
                @store_output (%8, %0) (base=4)
}
"""


class SelectTest(command_line.CommandLineTest):
    def select(self, *arguments, code=0):
        result = self.run_it("select", *arguments)
        self.assertEqual(result.code, code, result.err)
        return result

    def objects(self, *arguments, code=0):
        return self.select(*arguments, "--json", code=code).objects()

    def shader(self):
        return self.write("one.nir", SHADER)

    def test_one_object_per_shader_then_the_sums(self):
        one, total = self.objects(self.shader(), "--machine", "agx_g13")
        self.assertEqual(one["shader"], "one.nir")
        self.assertEqual(one["machine"], "agx_g13")
        self.assertEqual(one["stage"], "fragment")
        self.assertEqual(one["uncovered"], {})
        # There are two fused multiply-adds for three ops, a fused compare and select, and an addition.
        self.assertEqual(one["selected"]["instructions"], 4)
        self.assertGreater(one["selected"]["register_peak"], 3)
        self.assertEqual(one["selected"]["threads"], 1024)
        self.assertEqual(total["shaders"], 1)
        self.assertEqual(total["selected"]["instructions"], 4)
        # The loop body is counted ten times.
        self.assertGreater(one["selected"]["weighted_cycles"], one["selected"]["cycles"])

    def test_covers_differ_as_they_should(self):
        counts = {cover: self.objects(self.shader(), "--machine", "agx_g13", "--cover", cover)[0]["selected"]["instructions"]
                  for cover in ("noltis", "tree", "one-per-op")}
        self.assertEqual(counts, {"noltis": 4, "tree": 5, "one-per-op": 7})

    def test_every_machine_runs_what_it_selects(self):
        for machine in MACHINES:
            *shaders, total = self.objects(SAMPLES, "--machine", machine, "--emulate", "4")
            self.assertGreater(len(shaders), 5)
            emulation = total["emulation"]
            self.assertGreater(emulation["checks"], 100)
            self.assertEqual(emulation["differences"], 0, [s["emulation"]["examples"] for s in shaders])
            kinds = ("equal", "allowed", "permitted", "contracted", "deviating", "undecided", "differences")
            self.assertEqual(sum(emulation[kind] for kind in kinds), emulation["checks"])

    def test_vectors_need_no_merges(self):
        shader = self.write("one.tgsi", TGSI)
        for machine in ("vec4", "i915", "r200", "r300", "r500", "nv40", "intel_gen4", "intel_gen6"):
            one, _ = self.objects(shader, "--machine", machine, "--emulate", "4")
            self.assertEqual(one["selected"]["instructions"], 6, machine)
            self.assertEqual(one["emulation"]["differences"], 0, one["emulation"]["examples"])
        self.assertIn(".mask(zw)", self.select(shader, "--machine", "r300", "--program").out)

    def test_machines_side_by_side(self):
        rows = self.run_it("machines", "--shaders", self.shader(), "--emulate", "2", "--json").objects()
        self.assertEqual(sorted(row["id"] for row in rows), sorted(MACHINES))
        for row in rows:
            self.assertEqual((row["shaders"], row["agreed"], row["differences"]), (1, 1, 0), row)
        text = self.run_it("machines", "--shaders", self.shader()).out
        self.assertEqual(len(text.splitlines()), len(MACHINES) + 1)
        self.assert_refused(self.run_it("machines", "--packs", self.folder), "--shaders")
        self.assert_refused(self.run_it("machines", "--shaders", self.shader(), "--packs", self.path("none")), "none")
        self.assert_refused(self.run_it("machines", "--shaders", self.folder + "/none"), "no such file")

    def test_programs_are_printed(self):
        text = self.select(self.shader(), "--machine", "agx_g13", "--program").out
        self.assertIn("block 0\n", text)
        self.assertIn("fcmpsel(", text)
        self.assertIn("loop depth 1", text)
        self.assertIn("-v", text)  # the negation is a modifier
        self.assertNotIn("fneg", text)

    def test_drawing(self):
        path = self.path("one.dot")
        self.select(self.shader(), "--machine", "agx_g13", "--dot", path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("digraph"))
        for part in ("cluster_before", "cluster_after", "fmul@32", "ffma(", "color=red", "loop depth 1"):
            self.assertIn(part, text)
        self.assertEqual(text.count("{"), text.count("}"))
        # This name contains characters that would end a DOT label.
        evil = SHADER.replace("load_input", "load_in\\\"]; }")
        self.select(self.write("evil.nir", evil), "--machine", "agx_g13", "--dot", path)
        with open(path, encoding="utf-8") as file:
            self.assertNotIn('load_in"]', file.read())

    def test_drawings_are_of_one_shader(self):
        os.mkdir(self.path("two"))
        for name in ("a.nir", "b.nir"):
            self.write("two/" + name, SHADER)
        result = self.select(self.path("two"), "--machine", "agx_g13", "--dot", self.path("x.dot"), code=2)
        self.assertIn("--only", result.err)
        self.select(self.path("two"), "--machine", "agx_g13", "--dot", self.path("x.dot"), "--only", "b.nir")
        result = self.select(self.shader(), "--machine", "agx_g13", "--dot", self.path("no/such/folder.dot"), code=2)
        self.assertIn("folder.dot", result.err)

    def test_archives_and_folders(self):
        with tarfile.open(self.path("all.tar.xz"), "w:xz") as archive:
            archive.add(self.shader(), "inner/one.nir")
        one, _ = self.objects(self.path("all.tar.xz"), "--machine", "valhall")
        self.assertTrue(one["shader"].endswith("one.nir"))

    def test_driver_figures(self):
        os.mkdir(self.path("many"))
        rows = ["file\tinstructions\tcycles"]
        for i in range(1, 6):
            extra = "".join("    32     %%%d = fmul %%8, %%%d\n                @store_output (%%%d, %%0) (base=4)\n"
                            % (20 + j, 2 if j == 0 else 19 + j, 20 + j) for j in range(i))
            self.write("many/s%d.nir" % i, SHADER.replace("    loop {", extra.replace("%2\n", "%2.x\n") + "    loop {"))
            rows.append("s%d.nir\t%d\t%d" % (i, 10 + i, 100 - i))
        figures = self.write("figures.tsv", "\n".join(rows) + "\n")
        objects = self.objects(self.path("many"), "--machine", "agx_g13", "--driver-figures", figures)
        pairs = {(o["ours"], o["theirs"]): o for o in objects if "ours" in o}
        self.assertAlmostEqual(pairs["instructions", "instructions"]["pearson"], 1.0)
        self.assertAlmostEqual(pairs["instructions", "instructions"]["spearman"], 1.0)
        self.assertEqual(pairs["instructions", "instructions"]["shaders"], 5)
        self.assertLess(pairs["cycles", "cycles"]["spearman"], 0)
        bad = self.write("bad.tsv", "file\tx\nname\n")
        result = self.select(self.shader(), "--machine", "agx_g13", "--driver-figures", bad, code=2)
        self.assertIn("bad.tsv: line 2", result.err)
        result = self.select(self.shader(), "--machine", "agx_g13", "--driver-figures", self.write("none.tsv", "a\tb\n"), code=2)
        self.assertIn("no column 'file'", result.err)

    def test_a_baseline_is_a_tree(self):
        os.makedirs(self.path("empty"), exist_ok=True)
        result = self.select(self.shader(), "--machine", "agx_g13", "--baseline", self.path("empty"), code=2)
        self.assert_refused(result, "empty")

    def test_fusion_heuristics_are_compared(self):
        lines = [json.loads(line) for line in
                 self.select(self.shader(), "--machine", "agx_g13", "--compare-fusion", "--json").out.splitlines()]
        by_name = {line["fuse"]: line["selected"]["instructions"] for line in lines}
        self.assertEqual(by_name["always"], 4)
        self.assertEqual(by_name["never"], 5)
        self.assertEqual(by_name["used-once"], 4)
        self.assertEqual(by_name["constant-selected"], 5)
        self.assertEqual(by_name["uniform-compared"], 5)

    def test_packs(self):
        subprocess.run([SAMPLE, self.path("packs")], check=True, stdout=subprocess.DEVNULL)
        pack = os.path.join(self.path("packs"), "mesa-25.0", "strict")
        # This shader contains a minimum, which the pack implements with one SEL, and an absorption, which is one of its
        # NIR rules.
        shader = self.write("pack.nir", """shader: MESA_SHADER_COMPUTE
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_ssbo (%0, %0) (access=none)
    32     %2 = @load_ssbo (%0, %0) (access=none)
     1     %3 = ilt %1, %2
    32     %4 = bcsel %3, %1, %2
    32     %5 = ior %1, %2
    32     %6 = iand %5, %4
    32     %7 = iand %5, %1
                @store_ssbo (%6, %0) (access=none)
                @store_ssbo (%7, %0) (access=none)
}
""")
        base, _ = self.objects(shader, "--machine", "intel_gen9")
        self.assertEqual((base["selected"]["instructions"], base["rewritten"], base["pack_tiles"]), (5, 0, 0))
        with_pack, total = self.objects(shader, "--machine", "intel_gen9", "--pack", pack, "--emulate", "8")
        self.assertEqual((with_pack["rewritten"], with_pack["pack_tiles"]), (1, 1))
        self.assertEqual(with_pack["selected"]["instructions"], 3)
        self.assertEqual(total["emulation"]["differences"], 0)
        # `machines` must print the same figures, next to those of base selection, for the only machine that has a pack.
        shutil.copytree(pack, os.path.join(self.path("by_machine"), "intel_gen9"))
        rows = self.run_it("machines", "--shaders", shader, "--packs", self.path("by_machine"), "--emulate", "8", "--json").objects()
        row = next(row for row in rows if row["id"] == "intel_gen9")
        self.assertEqual((row["instructions_selected"], row["strict_pack"]["instructions_selected"]), (5, 3))
        self.assertEqual((row["strict_pack"]["used"], row["strict_pack"]["differences"]), (2, 0))
        self.assertFalse([row["id"] for row in rows if "strict_pack" in row and row["id"] != "intel_gen9"])
        text = self.select(shader, "--machine", "intel_gen9", "--pack", os.path.join(pack, "pack.json"), "--program").out
        self.assertIn(").cmod(L)", text)
        self.assertNotIn("CMP", text)
        # One of the pack's NIR rules matches once and saves an instruction of two cycles.
        each = self.objects(shader, "--machine", "intel_gen9", "--pack", pack, "--each-rule")
        fits = [row for row in each if row["applied"]]
        self.assertGreater(len(each), len(fits))
        self.assertEqual([(row["applied"], row["shaders"], row["helped"], row["hurt"]) for row in fits], [(1, 1, 1, 0)])
        self.assertLess(fits[0]["instructions"], 0)
        self.assertEqual(each[0], fits[0])
        self.assertIn(fits[0]["text"], self.select(shader, "--machine", "intel_gen9", "--pack", pack, "--each-rule").out)
        self.assertIn("NIR rules", self.select(shader, "--machine", "intel_gen9", "--each-rule", code=2).err)
        self.assertIn("--emulate", self.select(shader, "--machine", "intel_gen9", "--each-rule", "--emulate", "2", code=2).err)
        wrong = self.select(shader, "--machine", "agx_g13", "--pack", pack, code=2)
        self.assertIn("the pack is for intel_gen9, not for agx_g13", wrong.err)

    def test_wrong_use_is_named(self):
        shader = self.shader()
        self.assertIn("agx_g13", self.select(shader, "--machine", "agx", code=2).err)
        self.assertIn("no such file", self.select(self.path("nothing"), "--machine", "agx_g13", code=2).err)
        self.assertIn("no shader found", self.select(self.write("x.txt", "hello\n"), "--machine", "agx_g13", code=2).err)
        self.assertIn("'zzz'", self.select(shader, "--machine", "agx_g13", "--only", "zzz", code=2).err)
        self.assertIn("pack.json", self.select(shader, "--machine", "agx_g13", "--pack", self.folder, code=2).err)
        broken = self.write("pack.json", "{\"entries\": [1]}")
        self.assertIn("pack.json", self.select(shader, "--machine", "agx_g13", "--pack", broken, code=2).err)
        for arguments in (["--fuse", "sometimes"], ["--cover", "none"], ["--emulate", "-1"], ["--emulate", "many"], ["--nothing"]):
            self.select(shader, "--machine", "agx_g13", *arguments, code=2)
        self.select(code=2)
        self.assertIn("Examples:", self.select("--help").out)

    def test_hostile_shaders(self):
        deep = ["shader: MESA_SHADER_FRAGMENT", "name: deep", "impl main {", "    block b0:   // preds:",
                "    32     %0 = load_const (0x00000000)", "    32     %1 = @load_input (%0) (base=0)"]
        for i in range(2, 20000):
            deep.append("    32     %%%d = fmul %%%d, %%%d" % (i, i - 1, i - 1))
        deep += ["                @store_output (%19999, %0) (base=4)", "}", ""]
        one, _ = self.objects(self.write("deep.nir", "\n".join(deep)), "--machine", "ir3_a6xx")
        self.assertEqual(one["selected"]["instructions"], 19998)
        cut = self.select(self.write("cut.nir", SHADER[:400]), "--machine", "intel_gen9", code=2)
        self.assertIn("text ends inside braces", cut.err)
        for name, text in (("empty", "shader: MESA_SHADER_FRAGMENT\nimpl main {\n    block b0:\n}\n"),
                           ("later", SHADER.replace("%3, %1", "%10, %99")), ("bits", SHADER.replace("32     %3", "64     %3"))):
            self.select(self.write(name + ".nir", text), "--machine", "intel_gen9", "--emulate", "1")


if __name__ == "__main__":
    SAMPLE = os.path.abspath(sys.argv.pop(2))
    command_line.main()

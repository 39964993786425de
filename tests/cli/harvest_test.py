"""Tests the contract of `rewrought harvest`: file types recognized by content, counts, unchanged files that are not
read twice, and bad inputs and databases.

usage: harvest_test.py REWROUGHT   (reads corpus/samples below the working directory)
"""
import contextlib
import glob
import gzip
import io
import json
import os
import resource
import runpy
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tarfile
import time
import unittest
import zipfile
import zlib

import command_line

sys.path.insert(0, "tests")
from site_rows import sites  # noqa: E402

SAMPLES = "corpus/samples"
SHADERS = 300  # for a harvest that is interrupted
SPIRV = sorted(glob.glob(SAMPLES + "/spirv/*.spv"))
FIELDS = ["shaders", "new", "skipped", "reasons", "fragments", "distinct", "ops", "opaque", "nir_versions", "notes", "noted",
          "skipped_inputs"]
GLSL = "#version 330\nuniform vec4 a; out vec4 c;\nvoid main() { c = a * 2.0 + vec4(1.0); }\n"
SHADER_TEST = ("[require]\nGLSL >= 1.30\n\n[vertex shader passthrough]\n\n[fragment shader]\n"
               "#version 130\nuniform vec4 b; out vec4 c;\nvoid main() { c = b * 3.0 + vec4(1.0); }\n")


def nir_shader(number):
    """Returns NIR text whose fragments are unique to the number: a chain with its own constants."""
    lines = ["shader: MESA_SHADER_FRAGMENT", "name: generated%d" % number, "impl main {", "    block b0:   // preds:",
             "    32     %0 = load_const (0x00000000)", "    32     %1 = @load_ubo (%0, %0) (access=none)"]
    for i in range(2, 60, 2):
        lines.append("    32     %%%d = load_const (0x%08x)" % (i, 0x3f800000 + 1000 * number + i))
        lines.append("    32     %%%d = %s %%%d, %%%d" % (i + 1, ("fadd", "fmul", "fmax")[i % 3], i - 1, i))
    lines += ["                @store_output (%59, %0) (base=4)", "                // succs: b1", "    block b1:", "}", ""]
    return "\n".join(lines)


class HarvestTest(command_line.CommandLineTest):
    def harvest(self, *paths, db="t.db", code=0, **options):
        result = self.run_it("harvest", *paths, "--db", self.path(db), "--json", **options)
        self.assertEqual(result.code, code, result.err)
        if code != 0:
            return result
        objects = result.objects()
        self.assertEqual(len(objects), 1)
        self.assertEqual(list(objects[0]), FIELDS)
        self.assertEqual(objects[0]["skipped"], sum(objects[0]["reasons"].values()))
        return objects[0]

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def test_samples(self):
        report = self.harvest(SAMPLES)
        self.assertEqual(report["shaders"], report["new"])
        self.assertGreaterEqual(report["shaders"], len(SPIRV) + 4)
        self.assertGreater(report["fragments"], report["distinct"])
        self.assertGreater(report["distinct"], 500)
        self.assertGreater(report["ops"]["fmul"], 100)
        self.assertGreater(report["opaque"]["phi"], 0)
        again = self.harvest(SAMPLES)
        self.assertEqual((again["shaders"], again["new"], again["fragments"]), (report["shaders"], 0, 0))

    def test_a_table_without_json(self):
        result = self.run_it("harvest", SAMPLES, "--db", self.path("t.db"))
        self.assertEqual(result.code, 0)
        for word in ("shaders", "new", "skipped, by reason:", "not a shader", "ops:", "fmul", "opaque values:"):
            self.assertIn(word, result.out)

    def test_notes_and_versions(self):
        """The report counts constructs that are not understood and names their lines, also in archives."""
        start = "shader: MESA_SHADER_FRAGMENT\nmax_subgroup_size: 64\nimpl main {\n    block b0:  // preds:\n    32 %0 = load_const (0x0)\n"
        mystery = start + "    32 %1 = fmystery %0\n    32 %2 = fadd %1, %0 // exact\n    32 %3 = fmystery %2\n}\n"
        folder = self.path("nir")
        os.mkdir(folder)
        self.write("nir/a.nir", mystery)
        self.write("nir/b.nir", start + "    32 %1 = fadd %0, %0 // mystery\n}\n")
        with zipfile.ZipFile(os.path.join(folder, "c.zip"), "w") as archive:
            archive.writestr("d.nir", mystery.replace("fadd", "fmul"))
        report = self.harvest(folder)
        self.assertEqual(report["nir_versions"], {"Mesa 26.1 to 26.2": 2})
        self.assertEqual(report["notes"], {"no row for op fmystery": 4})
        places = [(os.path.relpath(one["input"], folder), one["line"], one["note"]) for one in report["noted"]]
        self.assertEqual(places, [(name, line, "no row for op fmystery") for name in ("a.nir", "c.zip/d.nir") for line in (6, 8)])
        self.assertEqual(report["reasons"], {"NIR text not understood": 1})
        self.assertIn("line 6: unknown comment on an instruction: // mystery", report["skipped_inputs"][0]["reason"])
        table = self.run_it("harvest", folder, "--db", self.path("other.db")).out
        for words in ("        2  Mesa 26.1 to 26.2\n", "        4  no row for op fmystery\n", folder + "/a.nir:6\n", "and 1 more\n"):
            self.assertIn(words, table)

    def test_reports_can_be_summed(self):
        """tools/demo_summary.py sums the reports of all sources."""
        report = self.harvest(SAMPLES + "/nir")
        total = runpy.run_path("tools/demo_summary.py")["sum_harvests"]([report, report])
        self.assertEqual(total["shaders"], 2 * report["shaders"])
        self.assertEqual(total["ops"], {op: 2 * count for op, count in report["ops"].items()})

    def test_inputs_are_told_by_content(self):
        inputs = {"circle.txt": self.read(SPIRV[0]), "loop.spv": self.read(SAMPLES + "/nir/loop.nir"), "x.data": SHADER_TEST, "good.frag": GLSL}
        for name, content in inputs.items():
            report = self.harvest(self.write(name, content))
            self.assertEqual((report["shaders"], report["new"], report["skipped"]), (1, 1, 0), (name, report))
            self.assertGreater(report["fragments"], 0, name)
        # The same content is recognized under another name.
        self.assertEqual(self.harvest(self.write("other.bin", inputs["circle.txt"]))["new"], 0)

    def test_confined_passes_over_what_takes_too_much(self):
        """Files that exceed a limit are skipped, with a message that names both; the files after them are read."""
        folder = self.path("hostile")
        os.mkdir(folder)

        def put(name, content):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)

        def pack(name, content):
            stream = io.BytesIO()
            with tarfile.open(fileobj=stream, mode="w:gz") as archive:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
            return stream.getvalue()

        # Each function calls the previous one twice, so 662 bytes with twelve functions contain 4,096 copies after
        # inlining.
        calls = "".join("vec4 f%d(vec4 x){return f%d(x)+f%d(x.yzwx);}\n" % (i, i - 1, i - 1) for i in range(1, 25))
        put("a_calls.frag", ("#version 450\nlayout(location=0) in vec4 a; layout(location=0) out vec4 o;\n"
                             "vec4 f0(vec4 x){return x*x+a;}\n" + calls + "void main(){o=f24(a);}\n").encode())
        put("b_nested.tar.gz", pack("zeros.gz", gzip.compress(bytes(48 << 20))))
        put("c_twice.gz", gzip.compress(pack("good.frag", GLSL.encode())))
        put("d_bomb.tar.gz", pack("zeros.txt", bytes(128 << 20)))
        put("z_good.frag", GLSL.encode())
        start = time.time()
        result = self.run_it("harvest", folder, "--db", self.path("t.db"), "--confined", "--json")
        self.assertLess(time.time() - start, 40)
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.objects()[0]["shaders"], 1)
        for words in ("a_calls.frag: more than 100000 instructions with its calls inlined",
                      "b_nested.tar.gz/zeros.gz: archive inside an archive", "c_twice.gz: compressed more than once",
                      "d_bomb.tar.gz: archive exceeds a limit: more than "):
            self.assertIn(words, result.err)

    def test_folders_and_archives_give_the_same(self):
        folder = self.path("mix")
        os.mkdir(folder)
        for path in SPIRV[:4] + [SAMPLES + "/nir/loop.nir"]:
            shutil.copy(path, folder)
        with open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8") as file:
            file.write("no shader\n")
        with tarfile.open(self.path("mix.tar.xz"), "w:xz") as archive:
            archive.add(folder, "mix")
        with tarfile.open(self.path("mix.tar.gz"), "w:gz") as archive:
            archive.add(folder, "mix")
        with zipfile.ZipFile(self.path("mix.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(os.listdir(folder)):
                archive.write(os.path.join(folder, name), name)
        expected = self.harvest(folder, db="folder.db")
        self.assertEqual((expected["shaders"], expected["skipped"]), (5, 1))
        expected.pop("skipped_inputs")
        noted = expected.pop("noted")
        self.assertEqual(len(noted), 2)
        for name in ("mix.tar.xz", "mix.tar.gz", "mix.zip"):
            report = self.harvest(self.path(name), db=name + ".db")
            (skipped,) = report.pop("skipped_inputs")
            self.assertEqual([(one["line"], one["note"]) for one in report.pop("noted")], [(one["line"], one["note"]) for one in noted])
            self.assertEqual(skipped["reason"], "not a shader")
            self.assertTrue(skipped["input"].startswith(self.path(name)) and skipped["input"].endswith("notes.txt"), skipped)
            self.assertEqual(report, expected, name)

    def fossilize(self, modules, cut=0):
        """Returns a Fossilize archive in the format that its layer writes, with SPIR-V modules and a pipeline."""
        def entry(kind, name, content, deflated):
            payload = zlib.compress(content) if deflated else content
            return b"%024x%016x" % (kind, name) + struct.pack("<4I", len(payload), 2 if deflated else 1, zlib.crc32(payload),
                                                              len(content)) + payload
        archive = b"\x81FOSSILIZEDB\0\0\0\x06" + entry(6, 99, b'{"version":6,"graphicsPipelines":{}}', True)
        for number, module in enumerate(modules):
            words = bytearray()
            for word in struct.unpack("<%dI" % (len(module) // 4), module):
                while word >= 0x80:
                    words.append(word & 0x7f | 0x80)
                    word >>= 7
                words.append(word)
            text = json.dumps({"version": 6, "shaderModules": {"%016x" % number: {
                "varintOffset": 0, "varintSize": len(words), "codeSize": len(module), "flags": 0}}})
            archive += entry(4, number, text.encode() + b"\0" + bytes(words), number % 2 == 0)
        return archive[:len(archive) - cut]

    def test_fossilize_archives(self):
        """Archives of a game's shaders yield the same results as the files themselves, even if the archives are
        truncated or read in the sandbox."""
        folder = self.path("spirv")
        os.mkdir(folder)
        for path in SPIRV[:6]:
            shutil.copy(path, folder)
        expected = self.harvest(folder, db="files.db")
        modules = [self.read(path) for path in SPIRV[:6]]
        archive = self.write("game.foz", self.fossilize(modules))
        self.assertEqual(self.harvest(archive, db="foz.db"), expected)
        self.assertEqual(self.harvest(archive, db="files.db")["new"], 0)  # the same content from another container
        confined = self.run_it("harvest", archive, "--db", self.path("confined.db"), "--confined", "--json")
        self.assertEqual((confined.code, confined.objects()[0]), (0, expected))
        cut = self.run_it("harvest", self.write("cut.foz", self.fossilize(modules, 10)), "--db", self.path("cut.db"), "--json")
        self.assertEqual(cut.objects()[0]["new"], 5)
        self.assertIn("cut.foz: damaged archive: cut off at byte ", cut.err)
        damaged = bytearray(self.fossilize(modules))
        damaged[-1] ^= 1
        result = self.run_it("harvest", self.write("bad.foz", bytes(damaged)), "--db", self.path("bad.db"), "--confined", "--json")
        self.assertEqual(result.objects()[0]["new"], 5)
        self.assertIn("bad.foz/0000000000000005.spv: damaged shader module: damaged: the checksum does not match", result.err)

    def test_what_mesa_captures(self):
        """Reads a folder written by Mesa through MESA_SHADER_CAPTURE_PATH (capture_shader_program); its stages are
        not separated by blank lines."""
        folder = self.path("capture")
        os.mkdir(folder)
        vertex = "#version 310 es\nin highp vec4 p;\nvoid main() { gl_Position = p * 2.0 + p; }\n"
        fragment = "#version 310 es\nprecision highp float;\nuniform vec4 u; out vec4 c;\nvoid main() { c = u * u + u; }\n"
        for number in (3, 21):
            with open(os.path.join(folder, "%d.shader_test" % number), "w", encoding="utf-8") as file:
                file.write("[require]\nGLSL ES >= 3.10\n%s\n[vertex shader]\n%s\n[fragment shader]\n%s\n" % (
                    "GL_ARB_separate_shader_objects\nSSO ENABLED\n" if number == 21 else "", vertex,
                    fragment.replace("+ u", "+ u * %d.0" % number)))
        report = self.harvest(folder)
        # The vertex shader occurs twice with the same content.
        self.assertEqual((report["shaders"], report["skipped"]), (4, 0), report)

    def test_shards_put_together_give_the_whole(self):
        """Splits files and the members of an archive among shards. Exactly one shard must read each of them."""
        whole = self.harvest(SAMPLES, db="whole.db")
        parts = [self.run_it("harvest", SAMPLES, "--db", self.path("part%d.db" % k), "--shard", "%d/3" % k, "--json").objects()[0]
                 for k in (1, 2, 3)]
        self.assertEqual(sum(part["shaders"] for part in parts), whole["shaders"])
        self.assertEqual(sum(part["skipped"] for part in parts), whole["skipped"])
        self.assertTrue(all(part["new"] > 0 for part in parts), parts)
        merged = self.run_it("merge", *[self.path("part%d.db" % k) for k in (3, 1, 2)], "--db", self.path("merged.db"))
        self.assertEqual(merged.code, 0, merged.err)
        self.assertEqual(self.contents("merged.db"), self.contents("whole.db"))
        with tarfile.open(self.path("all.tar"), "w", dereference=True) as archive:
            archive.add(SAMPLES, "all")
        members = [self.run_it("harvest", self.path("all.tar"), "--db", self.path("m%d.db" % k), "--shard", "%d/2" % k,
                               "--json").objects()[0]["shaders"] for k in (1, 2)]
        self.assertEqual(sum(members), whole["shaders"])
        self.assertGreater(min(members), 0)
        self.assert_refused(self.run_it("harvest", SAMPLES, "--db", self.path("x.db"), "--shard", "4/3"), "--shard 4/3", "such as 2/4")

    def test_shaders_cut_anew_leave_nothing_behind(self):
        """After the shaders are read again with another fragment size, the sites equal those of a fresh database, and
        the old sites' space is free."""
        self.assertEqual(self.run_it("harvest", SPIRV[0], SPIRV[1], "--db", self.path("anew.db"), "--max-ops", "3").code, 0)
        for path in SPIRV[:2]:
            self.assertEqual(self.harvest(path, db="anew.db")["new"], 1)
        self.harvest(*SPIRV[:2], db="fresh.db")
        self.assertEqual(self.contents("anew.db"), self.contents("fresh.db"))
        with contextlib.closing(sqlite3.connect(self.path("anew.db"))) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM stale_sites").fetchone(), (0,))
            (least,) = database.execute("SELECT min(first_key) FROM site_blocks").fetchone()
            self.assertGreater(least, 2)  # the keys that both shaders had at first

    def contents(self, name):
        """Returns shaders, their occurrences and sites, without database-specific ids."""
        with contextlib.closing(sqlite3.connect(self.path(name))) as database:
            names = sorted(database.execute("SELECT hex(digest), o.name FROM shaders JOIN occurrences o ON shader_id = id"))
            return names, sorted(sites(database))

    def test_the_same_content_twice_in_one_run(self):
        """Copies that several threads read at the same time count as one new shader."""
        folder = self.path("copies")
        os.mkdir(folder)
        for number in range(8):
            shutil.copy(SPIRV[0], os.path.join(folder, "%d.spv" % number))
        one = self.harvest(SPIRV[0], db="one.db")
        for attempt in range(3):
            report = self.harvest(folder, db="copies%d.db" % attempt)
            self.assertEqual(report["shaders"], 8)
            self.assertEqual({key: report[key] for key in FIELDS[1:] if key != "noted"},
                             {key: one[key] for key in FIELDS[1:] if key != "noted"})

    def test_bad_shaders_are_skipped_and_counted(self):
        folder = self.path("bad")
        os.mkdir(folder)
        whole = self.read(SPIRV[0])
        contents = {"empty.spv": b"", "text.spv": b"just text\n", "cut.spv": whole[:len(whole) // 2 + 1], "header.spv": whole[:20],
                    "garbage.bin": bytes(range(256)) * 20, "flipped.spv": whole[:200] + bytes(255 - b for b in whole[200:]),
                    "broken.frag": "#version 330\nvoid main() { gl_FragColor = ; }\n", "cut.zip": b"PK\x03\x04" + b"\x00" * 40,
                    "huge_line.nir": b"shader: MESA_SHADER_FRAGMENT\nimpl main {\n  block b0:\n" + b"x" * 2_000_000 + b"\n}\n",
                    "deep.frag": "#version 330\nout vec4 c; void main() { c = vec4(" + "(" * 20000 + "1.0" + ")" * 20000 + "); }\n"}
        for name, content in contents.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        shutil.copy(SPIRV[1], folder)
        report = self.harvest(folder)
        # One shader is valid. All others are skipped, except that the line of NIR text may count as an empty shader.
        self.assertLessEqual(1, report["new"])
        self.assertGreaterEqual(report["skipped"], len(contents) - 2)
        for reason in ("empty file", "not a shader", "not valid SPIR-V", "GLSL does not compile"):
            self.assertIn(reason, report["reasons"])

    def test_skipped_files_are_named(self):
        path = self.write("broken.frag", "#version 330\nvoid main() {\n  gl_FragColor = ;\n}\n")
        result = self.run_it("harvest", path, "--db", self.path("t.db"))
        self.assertIn(path + ": GLSL does not compile: line 3: ", result.err)

    def test_one_unreadable_file_among_many(self):
        """The summary names the unreadable file, and all other files are read."""
        folder = self.path("many")
        os.mkdir(folder)
        for number in range(6):
            with open(os.path.join(folder, "%d.frag" % number), "w", encoding="utf-8") as file:
                file.write(GLSL.replace("2.0", "%d.5" % number))
        for number in range(60):
            with open(os.path.join(folder, "%d.txt" % number), "w", encoding="utf-8") as file:
                file.write("text %d\n" % number)
        lost = os.path.join(folder, "lost.frag")
        os.symlink(os.path.join(folder, "nowhere"), lost)
        result = self.run_it("harvest", folder, "--db", self.path("t.db"))
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("1  cannot be read\n               %s\n" % lost, result.out)
        self.assertIn("and 55 more\n", result.out)
        report = self.harvest(folder, db="json.db")
        self.assertEqual((report["new"], report["reasons"]), (6, {"cannot be read": 1, "not a shader": 60}))
        self.assertIn({"input": lost, "reason": "cannot be read: No such file or directory"}, report["skipped_inputs"])

    def test_nothing_to_read_is_an_error(self):
        os.mkdir(self.path("empty"))
        empty = self.run_it("harvest", self.path("empty"), "--db", self.path("t.db"))
        self.assertEqual(empty.code, 2)
        self.assertIn("no shader could be read; the inputs contain no files", empty.err)
        wgsl = self.write("a.wgsl", "@fragment fn main() {}")
        result = self.run_it("harvest", wgsl, "--db", self.path("t.db"), "--json")
        self.assertEqual(result.code, 2)
        self.assertIn("a.wgsl: WGSL cannot be read: convert it with `naga", result.err)
        self.assertIn("no shader could be read; the reasons are above", result.err)
        self.assertEqual((result.objects()[0]["shaders"], result.objects()[0]["skipped"]), (0, 1))
        # One of several shards may have no shaders.
        codes = [self.run_it("harvest", wgsl, "--db", self.path("s%d.db" % k), "--shard", "%d/2" % k).code for k in (1, 2)]
        self.assertEqual(codes, [0, 0])

    def test_included_files(self):
        """A shader whose include changes is a new shader, and equal sources that include different files are different
        shaders."""
        for folder, factor in (("one", "2.0"), ("two", "3.0")):
            os.makedirs(self.path("inc/" + folder))
            self.write("inc/%s/x.frag" % folder, "#version 450\n#include \"lib.glsl\"\nlayout(location = 0) out vec4 c;\n"
                       "void main() { c = f(gl_FragCoord) * f(vec4(1.0) - gl_FragCoord); }\n")
            self.write("inc/%s/lib.glsl" % folder, "vec4 f(vec4 x) { return x * x + %s; }\n" % factor)
        report = self.harvest(self.path("inc"))
        self.assertEqual((report["new"], report["reasons"]), (2, {"GLSL without a main function": 2}))
        self.assertEqual(self.harvest(self.path("inc"))["new"], 0)
        self.write("inc/one/lib.glsl", "vec4 f(vec4 x) { return x * x + 5.0; }\n")
        self.assertEqual(self.harvest(self.path("inc"))["new"], 1)
        # Files outside the harvested folders are not read, unless --include names their folder.
        self.write("secret.glsl", "vec4 f(vec4 x) { return x; }\n")
        self.write("inc/one/x.frag", "#version 450\n#include \"../../secret.glsl\"\nout vec4 c;\nvoid main() { c = f(vec4(1)); }\n")
        result = self.run_it("harvest", self.path("inc/one"), "--db", self.path("t.db"))
        self.assertEqual(result.code, 2)
        self.assertIn("x.frag: GLSL does not compile: line 2: '#error' : cannot find ../../secret.glsl beside this file", result.err)
        confined = self.run_it("harvest", self.path("inc/one"), "--db", self.path("c.db"), "--confined", "--include", self.folder, "--json")
        self.assertEqual((confined.code, confined.objects()[0]["new"]), (0, 1), confined.err)

    def test_skips_name_the_line_in_the_file(self):
        """Messages about skipped shaders name the line even if the shader is only a part of a file, and many files of
        one kind do not hide the others."""
        folder = self.path("skips")
        os.mkdir(folder)
        test = "[require]\nGLSL >= 1.30\n\n[fragment shader]\nvoid main() {\n  nonsense;\n}\n"
        script = "// comment\nconst a = 1;\nconst s = `\nuniform vec4 u;\nvoid main() { gl_FragColor = nonsense; }`;\n"
        for name, content in {"z.shader_test": test, "z.js": script, **{"a%d.txt" % i: "no shader\n" for i in range(200)}}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        result = self.run_it("harvest", folder, "--db", self.path("t.db"))
        self.assertEqual(result.code, 2)
        self.assertIn("z.shader_test:fragment: GLSL does not compile: line 6: 'nonsense'", result.err)
        self.assertIn("z.js:3: GLSL does not compile: line 5: 'nonsense'", result.err)
        self.assertIn(os.path.join(folder, "a0.txt") + ": not a shader", result.err)
        self.assertIn("150 more", result.err)

    def rows(self, name):
        """Returns all rows of all tables with their ids, as text."""
        with contextlib.closing(sqlite3.connect(self.path(name))) as database:
            return list(database.iterdump())

    def test_two_harvests_give_the_same_rows(self):
        """Two harvests produce identical rows and ids regardless of thread timing. This also holds for archives, and
        with and without a persistent compiler process."""
        folder = self.path("mix")
        shutil.copytree(SAMPLES, folder)
        for number in range(40):
            with open(os.path.join(folder, "%d.frag" % number), "w", encoding="utf-8") as file:
                file.write(GLSL.replace("2.0", "%d.5" % (number % 30)))
        reports = [self.harvest(folder, db="%d.db" % i) for i in range(2)]
        reports.append(self.harvest(folder, db="2.db", env=dict(os.environ, REWROUGHT_GLSL_WORKER="/nowhere")))
        self.assertEqual(reports[0]["new"] + 10, reports[0]["shaders"])
        self.assertEqual(reports[1:], reports[:1] * 2)
        self.assertEqual(self.rows("1.db"), self.rows("0.db"))
        self.assertEqual(self.rows("2.db"), self.rows("0.db"))

    def test_a_missing_path(self):
        result = self.harvest(self.path("nothing"), code=2)
        self.assert_refused(result, "nothing", "no such file")

    def test_default_database(self):
        environment = dict(os.environ, XDG_DATA_HOME=self.path("xdg"))
        result = self.run_it("harvest", SPIRV[0], "--json", env=environment)
        self.assertEqual(result.code, 0, result.err)
        self.assertTrue(os.path.exists(self.path("xdg/rewrought/rewrought.db")))

    # The following tests use unusable databases.

    def test_folders_of_the_database_are_made(self):
        self.assertEqual(self.harvest(SPIRV[0], db="x/y/z.db")["new"], 1)

    def test_database_in_a_place_that_cannot_be(self):
        self.write("file", "x")
        self.assert_refused(self.harvest(SPIRV[0], db="file/t.db", code=2), "file", "--db")
        self.assert_refused(self.run_it("harvest", SPIRV[0], "--db", self.folder), self.folder, "--db")

    def test_not_a_database(self):
        path = self.write("t.db", "no database " * 100)
        self.assert_refused(self.harvest(SPIRV[0], code=2), "t.db", "not a database", "--db")
        self.assertEqual(self.read(path), b"no database " * 100)

    def test_baseline_that_is_no_tree(self):
        result = self.run_it("harvest", SPIRV[0], "--db", self.path("t.db"), "--baseline", self.path("nowhere"))
        self.assertEqual(result.code, 2)
        self.assertIn("nowhere", result.err)
        self.assertFalse(os.path.exists(self.path("t.db")))

    def test_damaged_database(self):
        self.harvest(SAMPLES)
        path = self.path("t.db")
        self.write("t.db", self.read(path)[:5000])
        self.assert_refused(self.harvest(SPIRV[0], code=2), "t.db", "damaged")

    def test_read_only_database(self):
        self.harvest(SPIRV[0])
        path = self.path("t.db")
        before = self.read(path)
        os.chmod(path, 0o444)
        prefix = []
        if os.geteuid() == 0:
            # Root can write everywhere unless it drops that capability.
            if shutil.which("setpriv") is None:
                self.skipTest("no setpriv")
            prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        done = subprocess.run(prefix + command_line.command("harvest", SPIRV[1], "--db", path, "--json"), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("read-only", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.read(path), before)

    def test_full_disk(self):
        self.assert_refused(self.run_it("harvest", SPIRV[0], "--db", "/dev/full"), "/dev/full")

    @unittest.skipIf(os.environ.get("REWROUGHT_SANITIZER") == "thread", "the sanitizer maps a longer file of its own")
    def test_full_disk_on_the_way(self):
        """With a file size limit of 200 kB, committed shaders are kept, and a later run resumes."""
        self.harvest(SPIRV[0])
        path = self.path("t.db")
        done = subprocess.run(command_line.command("harvest", SAMPLES, "--db", path, "--json"), capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("t.db", done.stderr)
        self.assertEqual(done.stdout, "")
        whole = self.harvest(SAMPLES, db="fresh.db")
        rest = self.harvest(SAMPLES)
        self.assertEqual(rest["shaders"], whole["shaders"])
        self.assertLess(rest["new"], whole["new"])
        self.assertEqual(self.harvest(SAMPLES)["new"], 0)

    # The following tests interrupt a harvest.

    def make_shaders(self, count):
        folder = self.path("generated")
        os.mkdir(folder)
        for number in range(count):
            with open(os.path.join(folder, "%05d.nir" % number), "w", encoding="utf-8") as file:
                file.write(nir_shader(number))
        return folder

    def stored_shaders(self, path):
        """Returns the number of committed shaders, which another connection can see."""
        try:
            with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as database:
                return database.execute("SELECT count(*) FROM shaders").fetchone()[0]
        except sqlite3.OperationalError:
            return 0  # not created yet, or busy

    def stopped(self, folder, how):
        """Starts a harvest, sends a signal once a shader is stored, and returns the result."""
        path = self.path("t.db")
        with subprocess.Popen(command_line.command("harvest", folder, "--db", path, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            deadline = time.time() + 30
            while time.time() < deadline and process.poll() is None and self.stored_shaders(path) == 0:
                time.sleep(0.01)
            process.send_signal(how)
            out, err = process.communicate(timeout=30)
        return command_line.Result(process.returncode, out, err)

    def test_interrupted_keeps_what_was_read(self):
        folder = self.make_shaders(SHADERS)
        result = self.stopped(folder, signal.SIGINT)
        self.assertEqual(result.code, 130, result.err)
        kept = result.objects()[0]["new"]
        self.assertTrue(0 < kept < SHADERS, kept)
        self.assertEqual(self.harvest(folder)["new"], SHADERS - kept)

    def test_killed_loses_nothing_committed(self):
        folder = self.make_shaders(SHADERS)
        self.assertEqual(self.stopped(folder, signal.SIGKILL).code, -signal.SIGKILL)
        report = self.harvest(folder)
        self.assertEqual(report["shaders"], SHADERS)
        self.assertLess(report["new"], SHADERS)
        self.assertEqual(self.harvest(folder)["new"], 0)


if __name__ == "__main__":
    command_line.main()

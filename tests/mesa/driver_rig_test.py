"""Tests a small driver rig from end to end. Builds two of Mesa's OpenGL drivers and one Vulkan driver without LLVM,
compiles shaders with equal results in two runs, writes NIR that harvest can read, and tries rules. Also tests that the
packs' C code recognizes the instructions from which positions are computed.

usage: driver_rig_test.py WORKSPACE REWROUGHT
The build is cached in $XDG_CACHE_HOME/rewrought/driver_rig if that variable is set, otherwise in the test's own
folder.
"""
import json
import os
import re
import subprocess
import sys
import time
import unittest

ROOT = os.path.dirname(os.path.realpath(sys.argv[1]))
TOOLS = os.path.join(ROOT, "tools/driver_rig")
sys.path.insert(0, TOOLS)
sys.dont_write_bytecode = True
import rig  # noqa: E402
import supervisor  # noqa: E402
import trial_rules  # noqa: E402

REWROUGHT = os.path.abspath(sys.argv[2])
SCRATCH = os.environ["TEST_TMPDIR"]
CACHE = os.environ.get("XDG_CACHE_HOME")
OUT = os.path.join(CACHE, "rewrought/driver_rig") if CACHE else os.path.join(SCRATCH, "driver_rig")
DRIVERS = ["v3d-42", "r300-rv515"]
VULKAN = "radv-navi31"
ALL = ",".join(DRIVERS + [VULKAN])
SHADERS = {
    # This program has two stages, in a GLSL version that both drivers support.
    "plain.vert": "#version 120\nattribute vec4 p; varying vec2 uv;\nuniform mat4 m;\n"
                  "void main() { uv = p.zw * 0.5 + 0.5; gl_Position = m * vec4(p.xy, 0.0, 1.0); }\n",
    "plain.frag": "#version 120\nvarying vec2 uv; uniform sampler2D s; uniform vec4 c;\n"
                  "void main() { vec4 t = texture2D(s, uv); gl_FragColor = t * c + (1.0 - t) * c.wzyx; }\n",
    "es.frag": "#version 100\nprecision mediump float; uniform vec4 a, b; void main() { gl_FragColor = a * b + a * b.x; }\n",
    "wrong.frag": "#version 120\nvoid main() { gl_FragColor = nothing; }\n",
    "both.shader_test": "[require]\nGLSL >= 1.20\n[vertex shader passthrough]\n[fragment shader]\n#version 120\n"
                        "uniform vec4 a;\nvoid main() { gl_FragColor = sqrt(abs(a)) + a.x * a.y; }\n[test]\ndraw rect\n",
}
VULKAN_SHADERS = {
    "sum.comp": b"#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                b"void main() { uint i = gl_GlobalInvocationID.x; b[i] = (b[i] * 3u + (b[i + 1u] ^ i)) >> (i & 7u); }\n",
    "lit.vert": b"#version 330\nin vec4 p; out vec2 uv; uniform mat4 m;\nvoid main() { uv = p.zw; gl_Position = m * p; }\n",
    "lit.frag": b"#version 330\nin vec2 uv; out vec4 c; uniform sampler2D s; uniform vec4 k;\n"
                b"void main() { c = texture(s, uv) * k + k.wzyx; }\n",
    "tri.vert": b"#version 450\nlayout(location = 0) in vec4 p; layout(location = 0) out vec4 c;\n"
                b"void main() { c = p.wzyx; gl_Position = p; }\n",
    "tri.geom": b"#version 450\nlayout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
                b"layout(location = 0) in vec4 c[]; layout(location = 0) out vec4 d;\nvoid main() {\n"
                b"for (int i = 0; i < 3; ++i) { d = c[i]; gl_Position = gl_in[i].gl_Position; EmitVertex(); } }\n",
    "tri.frag": b"#version 450\nlayout(location = 0) in vec4 d; layout(location = 0) out vec4 o;\n"
                b"layout(input_attachment_index = 0, set = 1, binding = 3) uniform subpassInput s;\n"
                b"void main() { o = d * d + subpassLoad(s); }\n",
    "wrong.comp": b"#version 450\nvoid main() { nothing = 1; }\n",
    "cut.spv": b"\x03\x02\x23\x07" + bytes(16) + b"\x11\x00\x09\x00",
}

# Sums of products with a common factor and another addend in between. Mesa has no rule for them, but a search finds
# one.
SUMS = """#version 330
in vec4 v; out vec4 c; uniform vec4 k;
void main() { c = vec4((v.x * k.x + v.w) + v.y * k.x, (v.y * k.y + v.x) + v.z * k.y, (v.z * k.z + v.y) + v.w * k.z, 1.0); }
"""
ASKED = ("is_used_for_position", "is_not_used_for_position")
# Vertex shaders by name, and for each product (with 0.4375 and 0.8125) whether the position is computed from it.
POSITIONS = {
    "data": ("gl_Position = vec4(a * 0.4375, 1.0); o = a.x * 0.8125;", (True, False)),
    "neither": ("gl_Position = vec4(a, 1.0); o = a.x * 0.4375 + a.y * 0.8125;", (False, False)),
    "select": ("gl_Position = vec4(a, 1.0); if (a.x * 0.4375 > k) gl_Position.y = a.z; o = a.y * 0.8125;",
               (True, False)),
    "condition": ("float p = a.z; if (a.x * 0.4375 > k) for (int i = 0; i < n; ++i) p = p * p + a.y; "
                  "gl_Position = vec4(p); o = a.y * 0.8125;", (True, False)),
    "which": ("float p = a.z, q = a.y; if (a.x * 0.4375 > k) { p = a.y; for (int i = 0; i < n; ++i) q = q * q + a.y; } "
              "gl_Position = vec4(p); o = q + a.x * 0.8125;", (True, False)),
    "chain": ("gl_Position = vec4((a.x * 0.4375 + k) * 0.3); o = a.y * 0.8125;", (True, False)),
    "loop": ("float s = a.x * 0.4375; for (int i = 0; i < n; ++i) s = s * s + k; gl_Position = vec4(s); o = k * 0.8125;",
             (True, False)),
    "both": ("float s = a.x * 0.4375; gl_Position = vec4(s); o = s + a.y * 0.8125;", (True, False)),
    "array": ("float s[8]; for (int i = 0; i < 8; ++i) s[i] = a.x * k; s[n] = a.y * 0.4375; gl_Position = vec4(s[n + 1]); "
              "o = a.x * 0.8125;", (True, False)),
}


def command(*args, **kwargs):
    return subprocess.run(args, capture_output=True, text=True, **kwargs)


class DriverRigTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shaders = os.path.join(SCRATCH, "shaders")
        os.makedirs(cls.shaders, exist_ok=True)
        for name, text in SHADERS.items():
            with open(os.path.join(cls.shaders, name), "w") as file:
                file.write(text)
        cls.vulkan = os.path.join(SCRATCH, "vulkan")
        os.makedirs(cls.vulkan, exist_ok=True)
        for name, content in VULKAN_SHADERS.items():
            with open(os.path.join(cls.vulkan, name), "wb") as file:
                file.write(content)
        cls.build_args = [os.path.join(TOOLS, "build"), "--drivers", ALL, "--out", OUT]
        built = command(*cls.build_args)
        assert built.returncode == 0, built.stderr[-4000:]

    def run_rig(self, *args, out=None):
        done = command(os.path.join(TOOLS, "run"), "--build", OUT, "--driver", *DRIVERS, "--shaders", self.shaders,
                       *(["--out", out] if out else []), *args)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout

    def lines(self, path):
        with open(path) as file:
            return [json.loads(line) for line in file][1:]

    def test_a_second_build_does_nothing(self):
        start = time.time()
        again = command(*self.build_args)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertLess(time.time() - start, 20)
        self.assertNotIn("configuring", again.stderr)

    def test_numbers_and_errors(self):
        path = os.path.join(SCRATCH, "first.jsonl")
        totals = self.run_rig(out=path)
        lines = self.lines(path)
        for driver in DRIVERS:
            found = {(line["file"], line["mode"], line.get("stage")): line for line in lines if line["driver"] == driver}
            for key in (("shaders/plain.vert", "linked", "vertex"), ("shaders/plain.frag", "linked", "fragment"),
                        ("shaders/plain.frag", "alone", "fragment"), ("shaders/both.shader_test", "linked", "fragment"),
                        ("shaders/es.frag", "alone", "fragment")):
                self.assertGreater(found[key]["numbers"]["inst"], 0, key)
            wrong = found["shaders/wrong.frag", "alone", "fragment"]
            self.assertEqual(wrong["problem"], "compile")
            self.assertIn("nothing", wrong["text"])
            self.assertEqual({line["problem"] for line in found.values() if "problem" in line}, {"compile"})
            self.assertIn(driver + " alone: ", totals)

    def test_two_runs_say_the_same(self):
        paths = [os.path.join(SCRATCH, name) for name in ("one.jsonl", "two.jsonl")]
        first, second = (self.run_rig("--jobs", "2", out=path) for path in paths)
        self.assertEqual(first, second)
        with open(paths[0]) as one, open(paths[1]) as two:
            self.assertEqual(one.read(), two.read())
        # This run resumes from the first run's results.
        self.run_rig(out=paths[0])
        with open(paths[0]) as one, open(paths[1]) as two:
            self.assertEqual(one.read(), two.read())

    def test_nir_is_harvested(self):
        nir = os.path.join(SCRATCH, "nir")
        self.run_rig("--nir", nir)
        for driver in DRIVERS:
            folder = os.path.join(nir, driver, "main")
            self.assertIn("plain.alone.fragment.nir", os.listdir(os.path.join(folder, "shaders")))
            done = command(REWROUGHT, "harvest", folder, "--db", os.path.join(SCRATCH, driver + ".db"), "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            counts = json.loads(done.stdout)
            print(driver, counts)
            self.assertGreater(int(re.search(r'"fragments": ?"?(\d+)', done.stdout)[1]), 3)

    def run_vulkan(self, *args):
        done = command(os.path.join(TOOLS, "run"), "--build", OUT, "--driver", VULKAN, "--shaders", self.vulkan, *args)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def test_vulkan(self):
        paths = [os.path.join(SCRATCH, name) for name in ("vulkan.jsonl", "vulkan2.jsonl")]
        for path in paths:
            self.run_vulkan("--out", path)
        with open(paths[0]) as one, open(paths[1]) as two:
            self.assertEqual(one.read(), two.read())
        lines = self.lines(paths[0])
        shaders = {(line["file"], line["mode"], line["stage"]): line["numbers"] for line in lines if "numbers" in line}
        self.assertEqual(sorted(shaders), [
            ("vulkan/lit.frag", "alone", "fragment"), ("vulkan/lit.frag", "linked", "fragment"),
            ("vulkan/lit.vert", "alone", "vertex"), ("vulkan/lit.vert", "linked", "vertex"),
            ("vulkan/sum.comp", "alone", "compute"), ("vulkan/tri", "linked", "vertex+geometry"),
            ("vulkan/tri.frag", "alone", "fragment"), ("vulkan/tri.frag", "linked", "fragment"),
            ("vulkan/tri.vert", "alone", "vertex")])
        for key, numbers in shaders.items():
            self.assertGreater(numbers["Instructions"], 3, key)
            self.assertGreater(numbers["Latency"], 3, key)
        problems = {line["program"]: (line["problem"], line["text"]) for line in lines if "problem" in line}
        self.assertEqual(sorted(problems), ["vulkan/cut.spv", "vulkan/wrong.comp"])
        self.assertEqual(problems["vulkan/cut.spv"][0], "unreadable")
        self.assertIn("ends within an instruction", problems["vulkan/cut.spv"][1])
        self.assertEqual(problems["vulkan/wrong.comp"][0], "compile")
        self.assertIn("'nothing' : undeclared identifier", problems["vulkan/wrong.comp"][1])

    def test_nir_of_compute_shaders_is_harvested(self):
        nir = os.path.join(SCRATCH, "vulkan_nir")
        self.run_vulkan("--nir", nir)
        folder = os.path.join(nir, VULKAN, "main")
        self.assertIn("sum.comp.alone.compute.nir", os.listdir(os.path.join(folder, "vulkan")))
        done = command(REWROUGHT, "harvest", folder, "--db", os.path.join(SCRATCH, "vulkan.db"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(int(re.search(r'"fragments": ?"?(\d+)', done.stdout)[1]), 3)

    def trial(self):
        """Tries the rules that a search finds in SUMS on v3d-42, and returns the trial's folder."""
        out = os.path.join(SCRATCH, "trial")
        if os.path.exists(os.path.join(out, "v3d-42.trial.json")):
            return out
        shader, database = os.path.join(SCRATCH, "sums", "sums.frag"), os.path.join(SCRATCH, "trial.db")
        os.makedirs(os.path.dirname(shader), exist_ok=True)
        with open(shader, "w", encoding="utf-8") as file:
            file.write(SUMS)
        for arguments in (["harvest", shader, "--source", "sums"], ["discover", "--machine", "v3d_42", "--deterministic"],
                          ["trial", "--driver", "v3d-42", "--rig", TOOLS, "--build", OUT, "--out", out, "--build-drivers",
                           ALL, "--shaders", shader]):
            done = command(REWROUGHT, *arguments, "--db", database)
            self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertIn("of 1 programs", done.stdout)
        return out

    def test_a_trial_shows_what_a_rule_gives(self):
        with open(os.path.join(self.trial(), "v3d-42.trial.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["drivers"][0]["machine"], "v3d_42")
        chosen = [place for row in document["rules"] for place in row["trial"]["places"] if place["chosen"]]
        # In three places, the rule saves one of two products.
        self.assertEqual([place["in_set"]["instructions"] for place in chosen], [-3])
        self.assertEqual([place["in_set"]["time"] for place in chosen], [-3])
        self.assertRegex(document["rules"][0]["trial"]["example"]["code"], "(?m)^-.*fmul")

    def test_what_positions_are_computed_from(self):
        """Uses a rule for each answer about each product, so that the applied rules show the answers of
        positions.c."""
        helpers = {}
        for helper in ("mesa_25.h", "positions.c"):
            with open(os.path.join(ROOT, "emitter/nir", helper), encoding="utf-8") as file:
                helpers[helper] = file.read()
        rules = []
        for factor in (0.4375, 0.8125):
            for asked in ASKED:
                text = f"(('fmul({asked})', 'a@32', {factor}), ('fmul', 'a', {factor / 4}))"
                rule = trial_rules.Rule(f"{asked}{factor}", "strict", "v3d_42")
                rule.tuples, rule.texts, rule.second, rule.helpers = [eval(text)], [text], [False], helpers
                rules.append(rule)
        pass_file = os.path.join(SCRATCH, "nir_opt_positions.py")
        with open(pass_file, "w", encoding="utf-8") as file:
            file.write(trial_rules.pass_text(rules))
        patch = os.path.join(self.trial(), "trial.patch")
        if not os.path.exists(patch):
            patch = os.path.join(OUT, "mesa-trixie", "rig_patch")
        built = command(os.path.join(TOOLS, "build"), "--drivers", ALL, "--out", OUT, "--trial", patch, pass_file)
        self.assertEqual(built.returncode, 0, built.stderr[-3000:])
        driver, = rig.select(rig.load_drivers(), ["v3d-42"])
        switches = trial_rules.Switches(rules)
        for name, (body, answers) in POSITIONS.items():
            path = os.path.join(SCRATCH, name + ".vert")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#version 330\nin vec3 a; out float o; uniform float k; uniform int n;\n"
                           f"void main() {{ {body} }}\n")
            for place in ("main_rest", "before_late"):
                setting = switches.text(frozenset((number, place) for number in range(len(rules))))
                applied = self.applied(driver, setting, path, switches, rules)
                for factor, used in zip((0.4375, 0.8125), answers):
                    told = {asked for asked in ASKED if f"{asked}{factor}" in applied}
                    # After v3d's lowering of outputs, the position is no longer marked, so any value may be part of it.
                    wanted = ASKED[not used] if place == "main_rest" else ASKED[0]
                    self.assertEqual(told, {wanted}, f"{name}, {place}: the product with {factor}")

    def applied(self, driver, setting, path, switches, rules):
        """Returns the ids of the rules that were applied somewhere in the shader."""
        environment = dict(rig.environment(driver, OUT), RIG_TRACE="1", RIG_RULES=setting)
        runner = supervisor.Runner([rig.runner(driver, OUT)], environment, 60)
        said, problem = runner.compile(0, [path])
        runner.close()
        self.assertIsNone(problem, path)
        self.assertEqual([one["error"] for one in said if one.get("error")], [], path)
        return {rules[number].id for one in said for number, _ in switches.pairs(one.get("applied", []))}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Tests the translation of GLSL to SPIR-V for Vulkan drivers, and the errors for drivers that are not built."""
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
import results  # noqa: E402
import rig  # noqa: E402
import spirv  # noqa: E402

SHADERS = {
    # This program has loose uniforms, and inputs without locations, as OpenGL allows.
    "lit.vert": "#version 330\nin vec4 p; out vec2 uv; uniform mat4 m;\nvoid main() { uv = p.zw; gl_Position = m * p; }\n",
    "lit.frag": "#version 330\nin vec2 uv; out vec4 c; uniform sampler2D s; uniform vec4 k;\n"
                "void main() { c = texture(s, uv) * k; }\n",
    "es.frag": "#version 300 es\nprecision highp float; out vec4 c; uniform float k;\nvoid main() { c = vec4(k); }\n",
    "named.frag": "#version 300 es\nprecision highp float; out vec4 c; uniform vec4 k;\n"
                  "float average(const in vec3 v) { return dot(v, vec3(0.3333333)); }\n"
                  "void main() { c = vec4(average(k.xyz)); }\n",
    "sum.comp": "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                "void main() { b[gl_GlobalInvocationID.x] += 3u; }\n",
    "wrong.comp": "#version 450\nvoid main() { nothing = 1; }\n",
    "old.frag": "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }\n",
}


class SpirvTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.build = os.path.join(folder.name, "s"), os.path.join(folder.name, "build")
        os.makedirs(self.root)
        for name, text in SHADERS.items():
            with open(os.path.join(self.root, name), "w", encoding="utf-8") as file:
                file.write(text)

    def prepare(self):
        return spirv.prepare(programs.find([self.root], "vulkan"), self.build)

    def test_each_stage_becomes_a_module(self):
        ready, _ = self.prepare()
        self.assertEqual([program.name for program in ready], ["s/es.frag", "s/lit", "s/named.frag", "s/sum.comp"])
        self.assertEqual([os.path.basename(path) for path in ready[1].inputs], ["frag.spv", "vert.spv"])
        for program in ready:
            for path in program.inputs:
                with open(path, "rb") as file:
                    self.assertEqual(struct.unpack("<I", file.read(4))[0], 0x07230203)

    def test_a_function_of_a_built_in_s_name_is_desktop_glsl(self):
        folder = os.path.join(self.build, "texts")
        os.makedirs(folder)
        path = os.path.join(self.root, "named.frag")
        for version, words in zip(spirv.RAISED, ("redeclaration of existing name", "")):
            names, is_raised = spirv.put_texts({path: "frag"}, folder, version)
            self.assertTrue(is_raised)
            self.assertIn(words, spirv.run_glslang(spirv.OPTIONS + names, folder))

    def test_what_glslang_refuses_is_named_with_its_words(self):
        _, refused = self.prepare()
        words = {program.name: text for program, text in refused}
        self.assertEqual(sorted(words), ["s/old.frag", "s/wrong.comp"])
        self.assertIn("shader.comp:2: 'nothing' : undeclared identifier", words["s/wrong.comp"])
        line = results.lines_of_refused("radv-navi31", *refused[1])[0]
        self.assertEqual((line["problem"], line["program"]), ("compile", "s/wrong.comp"))
        self.assertIsNone(results.wrong_with(line))

    def test_a_text_is_translated_once(self):
        before = [(program.inputs, [os.stat(path).st_mtime_ns for path in program.inputs]) for program in self.prepare()[0]]
        after = [(program.inputs, [os.stat(path).st_mtime_ns for path in program.inputs]) for program in self.prepare()[0]]
        self.assertEqual(before, after)
        with open(os.path.join(self.root, "sum.comp"), "a", encoding="utf-8") as file:
            file.write("// other\n")
        self.assertNotEqual(self.prepare()[0][3].inputs, before[3][0])

    def test_without_glslang(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.update, {"PATH": path})
        os.environ["PATH"] = self.root
        with self.assertRaisesRegex(rig.UserError, "glslangValidator.*tools/install_packages.sh"):
            self.prepare()


class RigTest(unittest.TestCase):
    def test_rows_of_drivers(self):
        for driver in rig.load_drivers():
            self.assertEqual(sum(key in driver for key in ("gallium", "vulkan")), 1, driver["name"])
            self.assertEqual("vulkan" in driver, "library" in driver, driver["name"])
            self.assertIn("gallium" if "gallium" in driver else "library", driver)

    def test_a_vulkan_driver_has_its_own_runner_and_library(self):
        radv, turnip, ir3 = (rig.select(rig.load_drivers(), [name])[0]
                             for name in ("radv-navi31", "turnip-a630", "ir3-a630"))
        self.assertEqual(rig.runner(radv, "/b"), "/b/runner-vulkan")
        self.assertEqual(rig.runner(ir3, "/b"), "/b/runner")
        self.assertNotIn("LD_PRELOAD", rig.environment(radv, "/b"))
        self.assertEqual(rig.environment(turnip, "/b")["RIG_VULKAN"],
                         "/b/build/src/freedreno/vulkan/libvulkan_freedreno.so")
        self.assertIn("freedreno_noop", rig.environment(turnip, "/b")["LD_PRELOAD"])
        self.assertNotIn("RIG_VULKAN", rig.environment(ir3, "/b"))

    def test_a_driver_that_is_not_built_and_a_build_that_changed(self):
        with tempfile.TemporaryDirectory() as build:
            radv = rig.select(rig.load_drivers(), ["radv-navi31"])[0]
            with self.assertRaisesRegex(rig.UserError, "has no drivers"):
                rig.build_id(build)
            with self.assertRaisesRegex(rig.UserError, "radv-navi31 is not built.*--drivers radv-navi31"):
                rig.check_built(radv, build)
            library = os.path.join(build, "build", radv["library"])
            os.makedirs(os.path.dirname(library))
            for path in (library, os.path.join(build, "runner-vulkan")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("one")
            rig.check_built(radv, build)
            first = rig.build_id(build)
            with open(library, "a", encoding="utf-8") as file:
                file.write("other")
            self.assertNotEqual(rig.build_id(build), first)


if __name__ == "__main__":
    unittest.main()

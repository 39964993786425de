"""Tests the supervisor with a runner that hangs, crashes or uses too much memory, and finding programs in folders."""
import collections
import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import messages  # noqa: E402
import programs  # noqa: E402
import results  # noqa: E402
import rig  # noqa: E402
import supervisor  # noqa: E402

# Follows the runner's protocol. A file's name determines how to handle it.
FAKE = r'''
import json, os, signal, subprocess, sys, time
out = os.fdopen(int(os.environ["RIG_RESULTS"]), "w", buffering=1)
if os.environ.get("FAKE") == "no driver":
    sys.exit("runner: no render node opens")
print(json.dumps({"driver": "fake"}), file=out)
for line in sys.stdin:
    number, path = line.rstrip("\n").split("\t")[:2]
    print(json.dumps({"start": int(number)}), file=out)
    if "hang" in path:
        subprocess.Popen(["sleep", "1000"])
        time.sleep(1000)
    if "slow" in path:
        time.sleep(0.3)
    if "crash" in path:
        print("an assertion of the driver", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGABRT)
    if "memory" in path:
        bytearray(10 << 30)
    print(json.dumps({"program": int(number), "mode": "alone", "api": "core", "stages": ["fragment"],
                      "messages": ["FRAG shader: 3 inst, 1 non-nops, 0 sstall, 0 systall"], "error": ""}), file=out)
    print(json.dumps({"done": int(number)}), file=out)
'''


class SupervisorTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        fake = os.path.join(self.folder.name, "fake.py")
        with open(fake, "w") as file:
            file.write(FAKE)
        self.started = 0
        self.command = ["/usr/bin/python3", fake]

    def start(self, environment=None):
        self.started += 1
        return supervisor.Runner(self.command, environment or {}, time_limit=1.5)

    def compile_all(self, names):
        crew = supervisor.Crew(self.start)
        try:
            return [crew.compile(number, [name]) for number, name in enumerate(names)]
        finally:
            crew.close()

    def test_a_hang_is_named_and_the_others_go_on(self):
        start = time.time()
        outcomes = self.compile_all(["a.frag", "hang.frag", "b.frag", "c.frag"])
        self.assertEqual([problem for _, problem, _ in outcomes], [None, "hang", None, None])
        self.assertEqual([len(answers) for answers, _, _ in outcomes], [1, 0, 1, 1])
        self.assertEqual(self.started, 2)
        self.assertLess(time.time() - start, 30)  # the runner sleeps for 1000 seconds

    def test_slow_is_no_hang(self):
        self.assertEqual([problem for _, problem, _ in self.compile_all(["slow.frag"] * 6)], [None] * 6)
        self.assertEqual(self.started, 1)

    def test_a_crash_is_named_with_its_last_words(self):
        outcomes = self.compile_all(["crash.frag", "a.frag", "memory.frag", "b.frag"])
        self.assertEqual([problem for _, problem, _ in outcomes], ["crash", None, "crash", None])
        self.assertEqual(outcomes[0][2], "signal 6 (SIGABRT): an assertion of the driver")
        self.assertIn("MemoryError", outcomes[2][2])

    def test_a_driver_that_does_not_start(self):
        with self.assertRaisesRegex(supervisor.RunnerFailed, "no render node opens"):
            self.start({"FAKE": "no driver"})

    def test_a_runner_is_replaced_in_time(self):
        count = 2 * supervisor.PROGRAMS_PER_RUNNER + 1
        self.assertEqual({problem for _, problem, _ in self.compile_all(["a.frag"] * count)}, {None})
        self.assertEqual(self.started, 3)

    def test_lines_of_results(self):
        Program = collections.namedtuple("Program", "name hash file_of")
        program = Program("p", "0", lambda stage: "p.frag")
        reader = messages.Reader(rig.load_table("statistics.toml")["ir3"])
        outcomes = self.compile_all(["a.frag", "hang.frag"])
        lines = results.lines_of("ir3-a630", program, outcomes[0][0], None, "", reader)
        self.assertEqual([line["numbers"] for line in lines], [{"inst": 3, "non-nops": 1, "sstall": 0, "systall": 0}])
        lines = results.lines_of("ir3-a630", program, outcomes[1][0], "hang", "no output", reader)
        self.assertEqual([(line["problem"], line["file"]) for line in lines], [("hang", "p")])
        answer = {"program": 0, "mode": "linked", "api": "es", "stages": ["vertex", "fragment"], "error": "",
                  "messages": ["FRAG shader: 3 inst, 2 non-nops, 0 sstall, 0 systall", "odd"]}
        lines = results.lines_of("ir3-a630", program, [answer], None, "", reader)
        self.assertEqual([(line["stage"] if "stage" in line else "", line.get("problem")) for line in lines],
                         [("fragment", None), ("", "unread"), ("vertex", "silent")])
        radv = messages.Reader(rig.load_table("statistics.toml")["radv"])
        merged = dict(answer, stages=["vertex", "geometry"],
                      messages=["vertex+geometry [vertex + geometry]: 9 Instructions | 70 Latency | 5 Inverse Throughput | "
                                "16 Subgroups per SIMD"])
        lines = results.lines_of("radv-navi31", program, [merged], None, "", radv)
        # neither stage counts as silent
        self.assertEqual([line.get("stage") for line in lines], ["vertex+geometry"])
        answer.update(error="0:1: no", stages=["fragment"])
        lines = results.lines_of("ir3-a630", program, [answer], None, "", reader)
        self.assertEqual([(line["problem"], line["text"], line["file"]) for line in lines], [("compile", "0:1: no", "p.frag")])


class ProgramsTest(unittest.TestCase):
    def test_stages_of_one_stem_are_one_program(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("x/a.vert", "x/a.frag", "x/b.frag", "y/a.frag", "y/a.shader_test", "y/readme.md", ".git/c.frag",
                         "y/c.vert", "y/c.vs"):
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                with open(os.path.join(root, name), "w") as file:
                    file.write(name)
            base = os.path.basename(root)
            found = {program.name: sorted(program.files.values()) for program in programs.find([root])}
            self.assertEqual(found, {
                f"{base}/x/a": [f"{base}/x/a.frag", f"{base}/x/a.vert"],
                f"{base}/x/b.frag": [f"{base}/x/b.frag"],
                f"{base}/y/a.frag": [f"{base}/y/a.frag"],
                f"{base}/y/a.shader_test": [f"{base}/y/a.shader_test"],
                # Two vertex shaders do not form one program.
                f"{base}/y/c.vert": [f"{base}/y/c.vert"],
                f"{base}/y/c.vs": [f"{base}/y/c.vs"],
            })
            first = programs.find([root])[0]
            self.assertEqual(first.file_of("vertex"), f"{base}/x/a.vert")
            with open(os.path.join(root, "x/a.vert"), "a") as file:
                file.write("more")
            self.assertNotEqual(programs.find([root])[0].hash, first.hash)
            with self.assertRaisesRegex(rig.UserError, "no shaders below"):
                programs.find([os.path.join(root, "y", "readme.md")])
        with self.assertRaisesRegex(rig.UserError, "does not exist"):
            programs.find([root])

    def test_vulkan_takes_modules_and_glsl(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("a.vert.spv", "a.frag.spv", "b.spv", "c.comp", "c.comp.spv", "d.shader_test", "e_frag.spv"):
                with open(os.path.join(root, name), "w") as file:
                    file.write(name)
            base = os.path.basename(root)
            found = {program.name: sorted(program.files.values()) for program in programs.find([root], "vulkan")}
            self.assertEqual(found, {
                f"{base}/a": [f"{base}/a.frag.spv", f"{base}/a.vert.spv"], f"{base}/b.spv": [f"{base}/b.spv"],
                f"{base}/c.comp": [f"{base}/c.comp"], f"{base}/c.comp.spv": [f"{base}/c.comp.spv"],
                f"{base}/e_frag.spv": [f"{base}/e_frag.spv"]})
            self.assertEqual(programs.find([root], "vulkan")[0].file_of("vertex"), f"{base}/a.vert.spv")
            self.assertEqual([program.name for program in programs.find([root])], [f"{base}/c.comp", f"{base}/d.shader_test"])
            with self.assertRaisesRegex(rig.UserError, "no shaders below .*suffixes: spv, comp"):
                programs.find([os.path.join(root, "d.shader_test")], "vulkan")


if __name__ == "__main__":
    unittest.main()

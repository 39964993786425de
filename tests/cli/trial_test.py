#!/usr/bin/env python3
"""Tests rewrought trial with a fake rig and fake drivers: stored results, messages, and resuming."""
import collections
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import command_line

# The lines of Mesa's files for Mali next to which a patch inserts its code.
TREE = {
    "src/compiler/nir/nir_clone.c": "   ns->num_inputs = s->num_inputs;\n",
    "VERSION": "25.0.7\n",
    "src/compiler/nir/nir.h": "typedef struct {\n} nir_shader;\n"
                              "bool nir_opt_algebraic_distribute_src_mods(nir_shader *shader);\n",
    "src/compiler/nir/meson.build": "nir_intrinsics_h = custom_target(\n  [files_libnir, nir_opt_algebraic_c, nir_opcodes_c,\n",
    "src/panfrost/compiler/bifrost_compile.c": "      NIR_PASS(progress, nir, nir_opt_loop_unroll);\n"
                                               "   bool late_algebraic = true;\n"
                                               "   /* This opt currently helps on Bifrost but not Valhall */\n",
}
SHADER = """#version 330
in vec4 v; flat in ivec4 i; out vec4 c;
void main() { c = vec4(1.0 / sqrt(v.z), float(i.x + i.y + i.z), float(~i.x + i.y + 1), 0.0); }
"""
# Words that identify the tuples of the four rules that the search finds.
RSQ, RCP, ADD3, SUB = "frsq", "frcp", "iadd3", "isub"


class TrialTest(command_line.CommandLineTest):
    @classmethod
    def setUpClass(cls):
        """Creates a database with four rules for ir3_a6xx; each test gets a copy."""
        cls.shared = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, True)
        os.environ["REWROUGHT_STATE_DIR"] = cls.shared
        shader = os.path.join(cls.shared, "a.frag")
        with open(shader, "w", encoding="utf-8") as file:
            file.write(SHADER)
        cls.rules = os.path.join(cls.shared, "rules.db")
        for arguments in (("harvest", shader, "--source", "made"), ("discover", "--machine", "ir3_a6xx", "--deterministic")):
            subprocess.run(command_line.command(*arguments, "--db", cls.rules), check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        self.db = self.path("rules.db")
        shutil.copy(self.rules, self.db)
        self.rig = self.path("rig")
        os.makedirs(self.path("build"), exist_ok=True)
        shutil.copytree(RIG, self.rig)
        for name in os.listdir(self.rig):
            os.chmod(os.path.join(self.rig, name), 0o755)
        for name, program in (("build", "fake_build.py"), ("fake_runner.py", "fake_runner.py"),
                              ("matcher_harness.py", "fake_harness.py")):
            shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), program), os.path.join(self.rig, name))
            os.chmod(os.path.join(self.rig, name), 0o755)

    def shaders(self, folder, *texts):
        os.makedirs(self.path(folder), exist_ok=True)
        for number, text in enumerate(texts):
            self.write(f"{folder}/{number}.frag", text)
        return self.path(folder)

    def arguments(self, *more, drivers=("ir3-a630",)):
        return ("trial", "--db", self.db, "--machine", "ir3_a6xx", "--rig", self.rig, "--build", self.path("build"), "--out",
                self.path("out"), "--driver", *drivers, "--jobs", 1, *more)

    def ranked(self, *more):
        """Returns {words: the rule's row} for the measured rules."""
        rows = self.run_it("rank", "--db", self.db, "--machine", "ir3_a6xx", "--by", "measured", "--json", *more).objects()
        return {words: row for row in rows for words in (RSQ, RCP, ADD3, SUB) if words in row["rule"]}

    def compiled(self):
        """Counts the compilations by driver, program and rules."""
        with open(self.path("build/compiled.log"), encoding="utf-8") as file:
            return collections.Counter(line.strip() for line in file)

    def wait_for(self, process, words):
        """Waits until the driver has started a compilation whose line contains the words."""
        log = self.path("build/compiled.log")
        for _ in range(600):
            if os.path.exists(log) and any(words in line for line in self.compiled()):
                return
            self.assertIsNone(process.poll(), "ended too early")
            time.sleep(0.05)
        self.fail("never compiled " + words)

    def assert_no_runner(self):
        """Expects that the compiling processes end with the trial, even if they would hang otherwise."""
        for _ in range(100):
            runners = []
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{process}/cmdline", "rb") as file:
                        runners += [process] if self.path("build/runner").encode() in file.read() else []
                except OSError:
                    pass  # the process has ended
            if not runners:
                return
            time.sleep(0.05)
        self.fail("still there: " + ", ".join(runners))

    def test_what_gains_is_kept_ranked_and_exported_and_what_does_harm_is_named(self):
        found = self.shaders("found", f"// size 100\n// {RSQ} before_late * -10\n// {RCP} * * 5\n",
                             f"// size 100\n// {SUB} * * hang\n", f"// size 100\n// {ADD3} after_late msm crash\n")
        held_out = self.shaders("held_out", f"// size 200\n// {RSQ} before_late * -30\n")
        done = self.run_it(*self.arguments("--shaders", found, "--held-out", held_out, "--watchdog", 1))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("time = inst + sstall + systall\n", done.out)
        self.assertIn("time 330 -> 320 (-3.03%; 1 better, 0 worse)", done.out)
        self.assertIn("non-nops 200 -> 170 (-15.00%; 1 better, 0 worse)", done.out)
        rows = self.ranked("--driver", "ir3-a630")
        trials = {words: row["trials"][0] for words, row in rows.items()}
        self.assertEqual({words for words, trial in trials.items() if trial["chosen"]}, {RSQ})
        self.assertAlmostEqual(trials[RSQ]["saved_time_percent"], 100 * 10 / 330)
        self.assertAlmostEqual(trials[RSQ]["saved_instructions_percent"], 100 * 10 / 300)
        self.assertLess(trials[RCP]["saved_time_percent"], 0)
        self.assertEqual(list(rows)[0], RSQ)
        report = self.run_it("report", "--db", self.db, "--machine", "ir3_a6xx").out
        self.assertIn(f"{rows[SUB]['id'][:12]}: hang on found/1.frag", report)
        self.assertIn(f"{rows[ADD3]['id'][:12]}: crash on found/2.frag", report)
        for words in ("time = inst + sstall + systall\n", "discovery chosen      time 330 -> 320 (-3.03%; 1 better, 0 worse)",
                      "held out  chosen      time 210 -> 180 (-14.29%;", "non-nops 200 -> 170 (-15.00%;",
                      "time by source:  held_out -14.29%", "before_late in found/0.frag (alone fragment): 110 -> 100 time",
                      "\n           mul.f r8.x, c0.x\n          -mul.f r9.x, c0.x\n"):
            self.assertIn(words, report)
        self.assertNotIn("+mul", report)
        self.assertNotIn("not modeled", done.err)
        self.assertIn("whole shaders in the model of ir3_a6xx: Spearman", report)
        modelled = [line for line in report.splitlines() if "instructions modelled" in line and RSQ in line]
        # Three instructions become one, in each of three programs.
        self.assertRegex(modelled[0], " -6 instructions modelled ")
        packs = self.run_it("export", "--db", self.db, "--machine", "ir3_a6xx", "--measured", "-o", self.path("packs"))
        self.assertEqual(packs.code, 0, packs.err)
        with open(self.path("packs/ir3_a6xx/inexact/nir.py"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(RSQ, text)
        self.assertNotIn(RCP, text)
        self.assertIn("'before_late': rules[:1]", text)

    def test_what_hurts_one_driver_alone_and_only_the_model_likes_is_named(self):
        found = self.shaders("found", f"// size 100\n// {RSQ} before_late msm -10\n// {RSQ} before_late panfrost 7\n{SHADER}")
        done = self.run_it(*self.arguments("--shaders", found, drivers=("ir3-a630", "valhall-g57")))
        self.assertEqual(done.code, 0, done.err)
        trials = {trial["driver"]: trial for trial in self.ranked()[RSQ]["trials"]}
        self.assertEqual({name: trial["chosen"] for name, trial in trials.items()}, {"ir3-a630": True, "valhall-g57": False})
        self.assertAlmostEqual(trials["ir3-a630"]["saved_instructions_percent"], 10)
        self.assertAlmostEqual(trials["ir3-a630"]["saved_time_percent"], 100 * 10 / 110)
        self.assertAlmostEqual(trials["valhall-g57"]["saved_instructions_percent"], -7)
        report = self.run_it("report", "--db", self.db, "--machine", "ir3_a6xx").out
        valhall = report[report.index("valhall-g57"):]
        self.assertRegex(valhall, rf"-\d+ instructions modelled +\+7\.0000% time measured .*{RSQ}")
        export = self.run_it("export", "--db", self.db, "--machine", "ir3_a6xx", "--measured", "--driver", "valhall-g57", "-o",
                             self.path("packs"))
        self.assertIn("no driver gains more with it than with the other rules alone", export.out + export.err)

    def test_what_saves_instructions_but_no_time_is_named(self):
        """With EFFECT/NOPS, nops take the place of the instructions that a rule saves."""
        found = self.shaders("found", f"// size 100\n// {RSQ} * * -10\n// {RCP} * msm -4/5\n")
        done = self.run_it(*self.arguments("--shaders", found))
        self.assertEqual(done.code, 0, done.err)
        row = self.ranked()[RCP]
        (trial,) = row["trials"]
        self.assertFalse(trial["chosen"])
        self.assertEqual(trial["no_time"]["numbers"], {"time": 1, "inst": 1, "nops": 5, "non-nops": -4})
        report = self.run_it("report", "--db", self.db, "--machine", "ir3_a6xx").out
        for text in (done.out, report):
            self.assertIn("1 rules save instructions (non-nops) but no time:\n", text)
            self.assertRegex(text, row["id"][:12] + ":? time \\+1, non-nops -4 at [a-z_]+; worse: inst \\+1, nops \\+5")
        self.assertRegex(self.run_it("rank", "--db", self.db, "--machine", "ir3_a6xx", "--by", "measured").out,
                         r"ir3-a630 +no time +\+[0-9.]+% +-[0-9.]+%")

    def test_a_driver_is_kept_when_it_is_done(self):
        found = self.shaders("found", f"// size 100\n// {RSQ} * * -10\n// {RCP} * panfrost wait\n")
        waiting = self.write("build/wait", "")
        arguments = self.arguments("--shaders", found, "--watchdog", 600, drivers=("ir3-a630", "valhall-g57"))
        process = subprocess.Popen(command_line.command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(process, "panfrost 0.frag main_rest")
        process.kill()
        process.wait()
        self.assert_no_runner()
        trials = {words: [trial["driver"] for trial in row["trials"]] for words, row in self.ranked().items()}
        self.assertEqual(set(map(tuple, trials.values())), {("ir3-a630",)})
        self.assertIn(RSQ, trials)
        # Only the second driver remains.
        before = sum(count for line, count in self.compiled().items() if line.startswith("msm "))
        os.remove(waiting)
        again = self.run_it(*arguments)
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual(sum(count for line, count in self.compiled().items() if line.startswith("msm ")), before)
        self.assertEqual([trial["driver"] for trial in self.ranked()[RSQ]["trials"]], ["ir3-a630", "valhall-g57"])
        # The second driver's patch has its own calls and its own pass, regardless of the rules' machine.
        for name, text in TREE.items():
            os.makedirs(os.path.dirname(self.path("mesa/" + name)), exist_ok=True)
            self.write("mesa/" + name, text)
        export = ("export", "--db", self.db, "--machine", "ir3_a6xx", "--driver", "valhall-g57", "--tree",
                  self.path("mesa"), "-o", self.path("packs"), "--rig", self.rig)
        patch = self.patch(export)
        calls = patch[patch.index("+++ b/src/panfrost/compiler/bifrost_compile.c"):]
        self.assertIn("+         NIR_PASS(progress, nir, nir_opt_rewrought_valhall_g57_inexact_main_rest);", calls)
        self.assertIn(RSQ, patch)
        # A rule that changes a result when the tree's matcher applies it is omitted.
        folder = self.path("packs/ir3_a6xx/inexact")
        verify = ("pack", "verify", "--quick", folder, "--tree", self.path("mesa"), "--rig", self.rig)
        with unittest.mock.patch.dict(os.environ, {"DIFFERS": RSQ}):
            found = self.run_it(*verify)
            self.assertEqual(found.code, 1, found.err)
            self.assertRegex(found.out, "(?m)^[0-9a-f]{64}: the tree's matcher changes a result: differs .*, shader 7$")
            self.assertIn("the harness's report", found.err)
            shutil.rmtree(self.path("packs"))
            self.assert_refused(self.run_it(*export), "0 agree, 1 do not", "no rule of the pack is a NIR rule")
            self.assertFalse(os.path.exists(self.path("packs")))
        self.patch(export)
        self.assertEqual(self.run_it(*verify).code, 0)

    def patch(self, export):
        """Exports the packs and returns the patch."""
        done = self.run_it(*export)
        self.assertEqual(done.code, 0, done.err)
        with open(self.path("packs/valhall-g57.patch"), encoding="utf-8") as file:
            return file.read()

    def test_a_matcher_that_cannot_run_is_named(self):
        folder = self.path("packs/ir3_a6xx")
        self.run_it("export", "--db", self.db, "--machine", "ir3_a6xx", "-o", self.path("packs"))
        self.write("rig/matcher_harness.py", "#!/bin/sh\nexit 2\n")
        verify = ("pack", "verify", "--quick", folder, "--tree", self.path("mesa"))
        self.assert_refused(self.run_it(*verify, "--rig", self.rig), "--shaders 0")
        self.assert_refused(self.run_it(*verify, "--rig", self.path("nothing")), "cannot start", "--rig")
        self.assertEqual(self.run_it(*verify, "--shaders", 0).code, 0)

    def test_a_driver_that_fails_takes_nothing_from_the_others(self):
        found = self.shaders("found", f"// size 100\n// {RSQ} * * -10\n")
        failed = self.run_it(*self.arguments("--shaders", found, drivers=("etnaviv-gc2000", "ir3-a630")))
        self.assertEqual(failed.code, 2)
        self.assertIn("statistics.toml has no estimate of time for etnaviv-gc2000", failed.err)
        self.assertIn("the trial failed on etnaviv-gc2000;", failed.err)
        self.assertEqual([trial["driver"] for trial in self.ranked()[RSQ]["trials"]], ["ir3-a630"])

    def test_a_trial_stands_without_the_model(self):
        found = self.shaders("found", f"// size 100\n// {RSQ} * * -10\n")
        self.run_it(*self.arguments("--shaders", found, "--no-model"))
        self.assertFalse(any(line.startswith("msm-nir") for line in self.compiled()))
        os.remove(self.path("rig/run"))
        done = self.run_it(*self.arguments("--shaders", found))
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("not modeled: ", done.err)
        self.assertTrue(self.ranked()[RSQ]["trials"][0]["chosen"])
        self.assertNotIn("whole shaders", self.run_it("report", "--db", self.db, "--machine", "ir3_a6xx").out)

    def test_ctrl_c_and_on(self):
        found = self.shaders("found", *[f"// size {100 + number}\n// {RSQ} * * -10\n" for number in range(5)],
                             f"// size 100\n// {RCP} main_rest * wait\n")
        waiting, arguments = self.write("build/wait", ""), self.arguments("--shaders", found, "--watchdog", 600)
        process = subprocess.Popen(command_line.command(*arguments),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for(process, "msm 5.frag main_rest")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assert_no_runner()
        self.assertIn(b"run it again with the same --out to resume", said)
        self.assertEqual(self.ranked(), {})
        os.remove(waiting)
        again = self.run_it(*arguments)
        self.assertEqual(again.code, 0, again.err)
        self.assertTrue(self.ranked()[RSQ]["trials"][0]["chosen"])
        # Each program is compiled without rules before the choice and again for the reported set. The compilation that
        # waited was started twice.
        self.assertEqual({count for line, count in self.compiled().items()
                          if line.startswith("msm ") and len(line.split()) == 2}, {2})

    def night(self, *more):
        config = self.write("night.textproto", 'machines: "ir3_a6xx"\nexport_dir: "%s"\ndb: "%s"\n' % (self.path("packs"), self.db))
        return self.run_it("nightly", config, "--out", self.path("night"), "--rig", self.rig, "--trial-build", self.path("build"),
                           "--trial-option=--jobs=1", *more)

    def test_a_night_tries_its_rules(self):
        """The trial step of `rewrought nightly` stores its results in the database and names them in the mail. A
        failing driver does not end the night."""
        found = self.shaders("found", f"// size 100\n// {RSQ} * * -10\n")
        held_out = self.shaders("held_out", f"// size 200\n// {RSQ} * * -30\n")
        done = self.night("--trial-driver", "ir3-a630", "--trial-shaders", found, "--trial-held-out", held_out, "--mail",
                          "--backup", self.path("backup.db"))
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertIn("Tried on drivers: trial/ir3-a630.trial.json.\n", done.out)
        self.assertRegex(done.out, r"\n  trial +[0-9.]+ s  exit 0\n")
        self.assertTrue(self.ranked()[RSQ]["trials"][0]["chosen"])
        with open(self.path("night/trial.txt"), encoding="utf-8") as file:
            self.assertIn("time 210 -> 180 (-14.29%;", file.read())
        self.assertEqual(self.run_it("db", "check", "--db", self.path("backup.db")).code, 0)
        failed = self.night("--trial-driver", "etnaviv-gc2000", "ir3-a630", "--trial-shaders", found, "--backup",
                            self.path("backup2.db"))
        (night,) = failed.objects()
        self.assertEqual((failed.code, night["exit"]), (2, 2))
        self.assertEqual([(step["step"], step["exit"]) for step in night["steps"]],
                         [("check", 0), ("nightly", 0), ("trial", 2), ("backup", 0)])
        with open(self.path("night/mail.txt"), encoding="utf-8") as file:
            self.assertIn("etnaviv-gc2000 has no machine of its own", file.read())
        self.assertEqual(night["trials"], ["ir3-a630.trial.json"])
        for words, more in (("--trial-driver requires --trial-shaders", ("--trial-driver", "ir3-a630")),
                            ("--waivers and --audit-option", ("--waivers", "x"))):
            self.assert_refused(self.night(*more), words)

    def test_what_is_missing_is_named(self):
        found = self.shaders("found", "// size 1\n")
        more = ("--shaders", found)
        shutil.rmtree(self.rig)
        self.assert_refused(self.run_it(*self.arguments(*more)), self.rig, "name the rig's folder with --rig")
        self.assert_refused(self.run_it(*[word for word in self.arguments(*more) if word not in ("--machine", "ir3_a6xx")]),
                            self.rig, "--rig")
        self.setUp()
        self.write("rig/no_compiler", "")
        broken = self.run_it(*self.arguments(*more))
        self.assertEqual(broken.code, 2)
        for words in (self.path("build/log"), "building", "the trial failed on ir3-a630"):
            self.assertIn(words, broken.err)
        os.remove(self.path("rig/no_compiler"))
        nowhere = self.run_it(*self.arguments("--shaders", self.path("nowhere")))
        self.assertEqual(nowhere.code, 2)
        self.assertIn(self.path("nowhere") + " does not exist", nowhere.err)


if __name__ == "__main__":
    RIG = os.path.dirname(os.path.abspath(sys.argv.pop(2)))
    command_line.main()

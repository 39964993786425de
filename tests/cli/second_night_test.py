"""Tests that a second night repeats exactly the work that changes require, and that its result equals that of a first
night with the same inputs.

usage: second_night_test.py REWROUGHT
"""
import hashlib
import os
import shutil
import sqlite3
import sys

import command_line

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "kills"))
import scenarios  # noqa: E402 pylint: disable=wrong-import-position

MACHINE = "vc4"
ALL = ["discover", "measure", "export"]


class SecondNightTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        for number in range(3):
            self.shader(number, (number, number + 2))
        self.environment = dict(os.environ, XDG_STATE_HOME=self.path("state"), XDG_DATA_HOME=self.path("data"))
        self.program = command_line.command()[0]

    def shader(self, number, operations, folder="shaders"):
        scenarios.write(self.path("%s/%d.nir" % (folder, number)), scenarios.nir_shader(number, operations))

    def config(self, name="t", more='corpus { path: "%s" source: "mine" }\n', formats='export_formats: "nir"\n'):
        more = more % self.path("shaders") if "%s" in more else more
        return self.write(name + ".textproto", '%s\nmachines: "%s"\n%sexport_dir: "%s"\ndb: "%s"\ndeterministic: true\n' % (
            more, MACHINE, formats, self.path(name + ".packs"), self.path(name + ".db")))

    def night(self, config, code=0):
        """Runs a night and returns the machine's part of its JSON."""
        done = self.run_it("nightly", config, env=self.environment, timeout=400)
        self.assertEqual(done.code, code, done.err)
        (self.whole,) = done.objects()
        (machine,) = self.whole["machines"]
        return machine

    def sql(self, statement, name="t"):
        database = sqlite3.connect(self.path(name + ".db"))
        rows = database.execute(statement).fetchall()
        database.commit()
        database.close()
        return rows

    def left(self, name="t"):
        """Returns the results of a night: digests of the packs' files, the rules' values, and the attempts."""
        files = {}
        for folder, _, names in os.walk(self.path(name + ".packs")):
            for one in names:
                path = os.path.join(folder, one)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, self.path(name + ".packs"))] = hashlib.sha256(file.read()).hexdigest()
        return (files, self.sql("SELECT * FROM measurements ORDER BY 1, 2", name),
                self.sql("SELECT hex(id), state IN (1, 2), state IN (3, 5), state = 6 FROM rules ORDER BY 1", name),
                self.sql("SELECT f.digest, a.outcome FROM attempts a JOIN fragments f ON f.id = fragment_id "
                         "ORDER BY 1, 2", name))

    def first(self):
        config = self.config()
        machine = self.night(config)
        self.assertGreater(len(machine["new"]), 0)
        self.assertEqual(machine["unchanged"], [])
        return config, machine

    def same_as_fresh(self, config):
        """Expects the same database as after a first night with the same corpus, configuration and rules."""
        with open(config, encoding="utf-8") as file:
            text = file.read()
        fresh = self.write("fresh.textproto", text.replace(self.path("t.db"), self.path("fresh.db")).replace(
            self.path("t.packs"), self.path("fresh.packs")))
        self.night(fresh)
        # The results of attempts depend on the rules that were known at the time, so they are not compared.
        self.assertEqual(self.left("fresh")[:3], self.left()[:3])

    def test_nothing_changed(self):
        config, first = self.first()
        before, times = self.left(), self.times()
        machine = self.night(config)
        self.assertEqual(machine["unchanged"], ALL)
        self.assertEqual([machine[key] for key in ("new", "lost", "refuted", "changed")], [[], [], [], []])
        for key in ("rules", "exported", "blocked"):
            self.assertEqual(machine[key], first[key])
        self.assertGreater(machine["exported"], 0)
        self.assertEqual(machine["run_statistics"]["minimal"], first["run_statistics"]["minimal"])
        self.assertEqual((self.left(), self.times()), (before, times))
        # The second night exported no pack, but reported the first night's counts; the third night must report them
        # too.
        third = self.night(config)
        self.assertEqual((third["unchanged"], third["exported"]), (ALL, first["exported"]))

    def times(self):
        return sorted(os.stat(os.path.join(folder, name)).st_mtime_ns
                      for folder, _, names in os.walk(self.path("t.packs")) for name in names)

    def test_a_shader_more(self):
        config, _ = self.first()
        self.shader(3, (4, 6))
        machine = self.night(config)
        self.assertEqual((self.whole["harvest"]["new"], machine["unchanged"]), (1, []))
        self.assertGreater(len(machine["new"]), 0)
        self.assertEqual(self.night(config)["unchanged"], ALL)

    def test_a_file_that_changed(self):
        """A file's new content is a new shader. The old shader stays in the corpus, so the rules keep the values that
        they have there."""
        config, _ = self.first()
        before = dict(self.sql("SELECT hex(rule), sum(hits) FROM measurements GROUP BY 1"))
        self.shader(0, (0, 2, 2))  # more uses of known fragments
        machine = self.night(config)
        self.assertEqual((self.whole["harvest"]["new"], "measure" in machine["unchanged"], "export" in machine["unchanged"]),
                         (1, False, False))
        after = dict(self.sql("SELECT hex(rule), sum(hits) FROM measurements GROUP BY 1"))
        self.assertTrue(any(after[rule] > hits for rule, hits in before.items()))
        self.assertEqual(self.night(config)["unchanged"], ALL)

    def test_a_file_that_went(self):
        """The corpus keeps everything that was ever read: removing a file changes nothing."""
        config, first = self.first()
        os.remove(self.path("shaders/1.nir"))
        machine = self.night(config)
        self.assertEqual((machine["unchanged"], machine["rules"], self.whole["harvest"]["shaders"]), (ALL, first["rules"], 2))

    def test_a_copy_in_another_source(self):
        """A copy has no new content, but its occurrences and held-out status affect the rules' values."""
        self.config()
        config, _ = self.first()
        shutil.copytree(self.path("shaders"), self.path("other"))
        self.config(more='corpus { path: "%s" source: "mine" }\ncorpus { path: "%s" source: "other" held_out: true }\n' % (
            self.path("shaders"), self.path("other")))
        machine = self.night(config)
        self.assertEqual((self.whole["harvest"]["new"], machine["new"], machine["unchanged"]), (0, [], []))
        self.config(more='corpus { path: "%s" source: "mine" held_out: true }\ncorpus { path: "%s" source: "other" }\n' % (
            self.path("shaders"), self.path("other")))
        self.assertEqual(self.night(config)["unchanged"], [])
        self.same_as_fresh(config)

    def test_a_machine_or_op_that_means_something_else(self):
        """Rules that were proved with other semantics are verified again; rules that no longer hold are removed from
        the packs."""
        config, first = self.first()
        before = self.left()
        self.sql("UPDATE rules SET semantics = zeroblob(32)")
        machine = self.night(config)
        self.assertEqual(machine["lost"] + machine["refuted"], [])
        self.assertEqual(self.sql("SELECT count(*) FROM rules WHERE semantics = zeroblob(32)"), [(0,)])
        self.assertEqual(self.left()[1:], before[1:])
        # Simulate that the attempts were made with other semantics, and make one rule false.
        self.sql("UPDATE attempts SET semantics = zeroblob(32)")
        self.sql("UPDATE rules SET semantics = zeroblob(32), search = (SELECT search FROM rules r WHERE r.id != rules.id "
                 "AND r.search != rules.search LIMIT 1) WHERE id = (SELECT min(id) FROM rules WHERE class = 1)")
        machine = self.night(config, code=1)
        (gone,) = machine["lost"] + machine["refuted"]
        self.assertEqual((machine["unchanged"], machine["rules"]), ([], first["rules"] - 1))
        with open(self.path("t.packs/%s/pack.json" % MACHINE), encoding="utf-8") as file:
            self.assertNotIn(gone, file.read())

    def test_other_options(self):
        config, _ = self.first()
        self.config(formats='export_formats: "nir"\nexport_formats: "json"\n')
        self.assertEqual(self.night(config)["unchanged"], ["discover", "measure"])
        self.assertTrue(os.path.exists(self.path("t.packs/%s/pack.json" % MACHINE)))
        rule = self.sql("SELECT lower(hex(rule)) FROM measurements GROUP BY rule ORDER BY sum(tuned_cycles) DESC LIMIT 1")[0][0]
        waivers = self.write("waivers", 'waivers { subject: "%s" reason: "not wanted" by: "us" }\n' % rule)
        formats = 'export_formats: "nir"\nwaiver_file: "%s"\n' % waivers
        self.config(formats=formats)
        self.assertEqual(self.night(config)["unchanged"], ["discover", "measure"])
        with open(self.path("t.packs/%s/pack.json" % MACHINE), encoding="utf-8") as file:
            self.assertNotIn('"id":"%s"' % rule, file.read().replace(" ", "").split('"blocked"')[0])
        self.assertEqual(self.night(config)["unchanged"], ALL)
        self.config(formats=formats + "modes: DENORM_MODE_FLUSH\n")
        self.assertNotIn("discover", self.night(config)["unchanged"])
        self.assertEqual(self.night(config)["unchanged"], ALL)

    def test_a_pack_that_was_touched(self):
        config, _ = self.first()
        before = self.left()
        path = self.path("t.packs/%s/nir.py" % MACHINE)
        for harm in (lambda: os.remove(path), lambda: os.truncate(path, os.path.getsize(path) - 1),
                     lambda: shutil.rmtree(self.path("t.packs"))):
            harm()
            self.assertEqual(self.night(config)["unchanged"], ["discover", "measure"])
            self.assertEqual(self.left(), before)

    def test_a_database_that_was_touched(self):
        config, _ = self.first()
        before = self.left()
        rule = self.sql("SELECT hex(rule) FROM measurements ORDER BY tuned_cycles DESC LIMIT 1")[0][0]
        for statement in ("UPDATE measurements SET tuned_cycles = tuned_cycles + 1 WHERE hex(rule) = '%s'" % rule,
                          "DELETE FROM measurements", "UPDATE hits SET saved_cycles = 0"):
            self.sql(statement)
            self.assertNotIn("measure", self.night(config)["unchanged"])
            self.assertEqual(self.left()[:3], before[:3])
        self.sql("DELETE FROM attempts")
        self.assertNotIn("discover", self.night(config)["unchanged"])
        self.assertEqual(self.left()[:3], before[:3])
        self.assertEqual(len(self.left()[3]), len(before[3]))
        # A pack lists proved cases, so a missing verdict makes the night export the pack again.
        self.sql("DELETE FROM verdicts WHERE hex(rule) = '%s'" % rule)
        self.assertNotIn("export", self.night(config)["unchanged"])

    def test_another_installation_or_program(self):
        """A night ignores notes that another installation wrote. It repeats everything for another build of the
        program, which may behave differently."""
        config, _ = self.first()
        other = dict(self.environment, XDG_STATE_HOME=self.path("elsewhere"))
        self.environment, mine = other, self.environment
        self.assertEqual(self.night(config)["unchanged"], [])
        self.environment = mine
        folder = self.path("bin")
        os.makedirs(folder)
        program = os.path.join(folder, "rewrought")
        shutil.copyfile(self.program, program)
        with open(program, "ab") as file:
            file.write(b"\0")  # a build with the same behavior
        os.chmod(program, 0o755)
        worker = [os.path.join(os.path.dirname(self.program), place, "rewrought_worker")
                  for place in ("", "../verifier/worker")]
        shutil.copy([one for one in worker if os.path.exists(one)][0], folder)
        os.chmod(os.path.join(folder, "rewrought_worker"), 0o755)
        command_line.BINARY, was = program, command_line.BINARY
        try:
            self.assertEqual(self.night(config)["unchanged"], [])
            self.assertEqual(self.night(config)["unchanged"], ALL)
        finally:
            command_line.BINARY = was

    def test_a_night_that_was_cut_short_is_no_first_night(self):
        """A night whose budget ends before everything is searched leaves work for the next night."""
        config = self.config()
        with open(config, "a", encoding="utf-8") as file:
            file.write("budget { seconds: 0.001 }\n")
        machine = self.night(config)
        self.assertEqual(machine["ended_by"], "time")
        self.assertNotIn("discover", self.night(config)["unchanged"])
        config = self.config()
        self.assertNotIn("discover", self.night(config)["unchanged"])
        self.assertEqual(self.night(config)["unchanged"], ALL)
        self.same_as_fresh(config)


if __name__ == "__main__":
    command_line.main()

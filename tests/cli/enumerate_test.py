#!/usr/bin/env python3
"""Tests rewrought enumerate and report: compares the rules of an op set with published figures, and tests the report of
an empty database."""
import signal
import subprocess
import time

import command_line

OPS = "ineg,inot,iadd,imul,isub,iand,ushr,ior,ishl"
RUN_STATISTICS = ["fragments", "enumerated", "distinct", "candidates", "refuted", "proved", "unknown", "general", "minimal", "seconds",
          "peak_bytes"]


class EnumerateTest(command_line.CommandLineTest):
    def enumerate(self, *arguments):
        result = self.run_it("enumerate", "--json", *arguments)
        self.assertEqual(result.code, 0, result.err)
        *rules, run_statistics = result.objects()
        for field in RUN_STATISTICS:
            self.assertIn(field, run_statistics)
        return rules, run_statistics

    def test_three_four_bit_variables_two_ops(self):
        # cvc5 1.0.3 counts 1,185 distinct terms of this set; Ruler publishes 49 rules.
        rules, run_statistics = self.enumerate("--ops", OPS, "--vars", 3, "--size", 2, "--width", 4, "--shifts", "zero")
        self.assertEqual(run_statistics["distinct"], 1185)
        self.assertEqual(run_statistics["minimal"], len(rules))
        self.assertLess(len(rules), 46)
        self.assertGreater(len(rules), 30)
        self.assertIn("(('ineg', ('ineg', 'a')), 'a')", [rule["rule"] for rule in rules])
        self.assertTrue(all(rule["widths"] == {"4": "proved"} for rule in rules))

    def test_shifts_differ(self):
        def rules_of(shifts):
            return [r["rule"] for r in self.enumerate("--ops", "ishl", "--vars", 1, "--size", 1, "--width", 4, "--constants",
                                                      "0,4", "--shifts", shifts)[0]]
        self.assertIn("(('ishl_zero', 'a', 4), 0)", rules_of("zero"))
        self.assertIn("(('ishl_masked', 'a', 4), 'a')", rules_of("masked"))

    def test_float_constants_are_what_they_say(self):
        # Regression: float constants were once proved as 0 but printed correctly, and -0 is not 0.
        rules, _ = self.enumerate("--ops", "fneg", "--vars", 1, "--size", 1, "--width", 32, "--constants", "1.0,-1.0")
        self.assertEqual(sorted(rule["rule"] for rule in rules), ["(('fneg', -1.0), 1.0)", "(('fneg', 1.0), -1.0)"])

    def test_what_holds_at_four_bits_only_is_said_so(self):
        rules, _ = self.enumerate("--ops", "ishl,iadd", "--vars", 1, "--size", 2, "--width", 4, "--shifts", "zero",
                                  "--constants", "0", "--prove-widths", "8")
        verdicts = [rule["widths"]["8"] for rule in rules]
        self.assertIn("proved", verdicts)
        self.assertIn("refuted", verdicts)

    def test_wrong_use(self):
        self.assert_refused(self.run_it("enumerate", "--ops", "nope", "--vars", 2, "--size", 1, "--width", 4), "nope")
        self.assert_refused(self.run_it("enumerate", "--ops", "iadd", "--vars", 9, "--size", 1, "--width", 4), "1 to 4")
        self.assert_refused(self.run_it("enumerate", "--ops", "iadd", "--vars", 2, "--size", 1, "--width", 4, "--shifts", "x"))
        self.assert_refused(self.run_it("enumerate", "--ops", "iadd", "--vars", 2, "--size", 1, "--width", 4, "--constants",
                                        "one"), "one")

    def test_ctrl_c_prints_what_was_found(self):
        process = subprocess.Popen(command_line.command("enumerate", "--ops", OPS, "--vars", 3, "--size", 5, "--width", 4,
                                                        "--shifts", "zero", "--json"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        lines = out.decode().splitlines()
        self.assertGreater(len(lines), 10)
        self.assertIn('"complete":false', lines[-1])

    def test_report_of_an_empty_database(self):
        db = self.path("x.db")
        empty = self.path("empty")
        self.write("one.txt", "nothing")
        self.run_it("harvest", self.path("one.txt"), "--db", db)
        result = self.run_it("report", "--db", db, "--machine", "agx_g13")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("rewrought harvest", result.out)
        page = self.run_it("report", "--db", db, "--machine", "agx_g13", "--html", empty)
        self.assertEqual(page.code, 0, page.err)
        with open(empty, encoding="utf-8") as file:
            self.assertIn("rewrought harvest", file.read())
        self.assert_refused(self.run_it("report", "--db", db, "--machine", "vax"), "vax")
        self.assert_refused(self.run_it("report", "--db", self.path("none.db"), "--machine", "agx_g13"))


if __name__ == "__main__":
    command_line.main()

"""Tests the contract of `rewrought families`: its text, its objects, its proposals, and its exit codes.

usage: families_test.py REWROUGHT
"""
import tomllib

import command_line

SHADER = """#version 450
layout(location = 0) flat in ivec4 v;
layout(location = 0) out int result;
void main() { result = (v.x + 3) + v.y; }
"""


class FamiliesTest(command_line.CommandLineTest):
    def database(self):
        """Returns the options for a database with the rules of one shader."""
        shader = self.path("sum.frag")
        with open(shader, "w", encoding="utf-8") as file:
            file.write(SHADER)
        db = ("--db", self.path("rules.db"))
        self.assertEqual(self.run_it("harvest", shader, "--source", "made", *db).code, 0)
        self.assertEqual(self.run_it("discover", "--machine", "ir3_a6xx", "--deterministic", *db).code, 0)
        return db

    def test_families_of_a_database(self):
        db = self.database()
        run = self.run_it("families", *db)
        self.assertEqual(run.code, 0, run.err)
        self.assertIn("the family applies in 1 shader of 1 source", run.out)
        self.assertIn("rewrought families: 0 families cover 0 of ", run.err)

        proposals = self.path("families.toml")
        run = self.run_it("families", "--json", "--min-sources", "1", "--min-shaders", "1", "--proposals", proposals, *db)
        self.assertEqual(run.code, 0, run.err)
        families = [entry for entry in run.objects() if "members" in entry]
        sums = [family for family in families if any("iadd3" in member["replace"] for member in family["members"])]
        self.assertEqual(len(sums), 1, run.out)
        self.assertEqual((sums[0]["shaders"], sums[0]["sources"]), (1, ["made"]))
        self.assertEqual(sums[0]["list"], "late_optimizations")
        self.assertTrue(sums[0]["instances"])
        self.assertEqual({member["condition"] for member in sums[0]["members"]}, {"options->has_iadd3"})
        with open(proposals, "rb") as file:
            written = tomllib.load(file)["proposal"]
        self.assertEqual(len(written), len(families))
        texts = [insert["rules"] for proposal in written for insert in proposal["insert"]]
        self.assertTrue(any("'options->has_iadd3'" in text for text in texts), texts)

        run = self.run_it("families", "--json", "--max", "0", "--min-sources", "1", "--machine", "agx_g13", *db)
        self.assertEqual((run.code, run.out), (0, ""), "no rule was discovered for this machine")

    def test_bad_input(self):
        db = self.database()
        for arguments, part in ((("--tree", self.path(".")), "VERSION"), (("--target", "mesa-1"), "mesa-26.2"),
                                (("--machine", "nothing"), "nothing")):
            run = self.run_it("families", *arguments, *db)
            self.assertEqual(run.code, 2)
            self.assertIn(part, run.err)


if __name__ == "__main__":
    command_line.main()

#!/usr/bin/env python3
"""Tests rewrought pack verify, diff and build: their answers and exit codes, and reproducible output."""
import json
import os
import shutil
import subprocess
import sys

import command_line


def content(folder):
    """Returns the bytes of all files in a folder, by name."""
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


class PackTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        packs = self.path("packs")
        subprocess.run([SAMPLE, packs], check=True, stdout=subprocess.DEVNULL)
        self.pack = os.path.join(packs, "mesa-25.0", "strict")

    def doctored(self, name, old, new):
        copy = self.path("doctored")
        shutil.copytree(self.pack, copy)
        path = os.path.join(copy, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        return copy

    def test_verify(self):
        quick = self.run_it("pack", "verify", "--quick", self.pack)
        self.assertEqual(quick.code, 0)
        self.assertIn("no rule was proved again", quick.out)
        wrong = self.run_it("pack", "verify", "--quick", self.doctored("nir.py", "'fsat'", "'fneg'"), "--json")
        self.assertEqual(wrong.code, 1)
        self.assertIn("nir.py", [finding["file"] for finding in wrong.objects()])
        self.assert_refused(self.run_it("pack", "verify", self.path("nothing")), "nothing")

    def test_verify_proves_again(self):
        # The files of the sample pack agree, but its proofs are invented, so no case has a certificate that can be
        # proved again.
        wrong = self.run_it("pack", "verify", self.pack, "--json")
        self.assertEqual(wrong.code, 1, wrong.err)
        with open(os.path.join(self.pack, "pack.json"), encoding="utf-8") as file:
            entries = [entry["rule"]["id"] for entry in json.load(file)["entries"]]
        found = {finding["entry"] for finding in wrong.objects() if finding["file"] != "manifest.json"}
        self.assertEqual(found, set(entries), wrong.out)
        self.assertEqual(self.run_it("pack", "build", self.pack, "-o", self.path("never")).code, 1)
        self.assertFalse(os.path.exists(self.path("never")))

    def test_certificates_are_named_by_digests(self):
        with open(os.path.join(self.pack, "pack.json"), encoding="utf-8") as file:
            entry = json.load(file)["entries"][0]["rule"]["id"]
        wrong = self.run_it("pack", "certificates", self.doctored("pack.json", entry, "../../../x"), "-o",
                            self.path("never"))
        self.assert_refused(wrong, "entry 1, \"../../../x\"")
        self.assertFalse(os.path.exists(self.path("never")))

    def test_build_gives_the_same_bytes(self):
        for source in (self.pack, os.path.join(self.pack, "pack.json")):
            again = self.path("again")
            result = self.run_it("pack", "build", "--quick", source, "-o", again, "--format", "nir,machine,c", "--json")
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual(content(again), content(self.pack))
            shutil.rmtree(again)
        part = self.path("part")
        self.assertEqual(self.run_it("pack", "build", "--quick", self.pack, "-o", part, "--format", "nir").code, 0)
        self.assertEqual(sorted(content(part)), ["manifest.json", "nir.py", "pack.json"])
        self.assertEqual(content(part)["nir.py"], content(self.pack)["nir.py"])

    def test_build_refuses_what_is_not_sound(self):
        wrong = self.run_it("pack", "build", self.doctored("pack.json", "('ior', 'a', 'b')", "('ixor', 'a', 'b')"), "-o",
                            self.path("never"))
        self.assertEqual(wrong.code, 1, wrong.err)
        self.assertFalse(os.path.exists(self.path("never")))
        self.assert_refused(self.run_it("pack", "build", self.pack, "-o", self.path("never"), "--format", "pdf"), "pdf")
        self.assert_refused(self.run_it("pack", "build", self.path("nothing.json"), "-o", self.path("never")), "nothing.json")

    def test_diff(self):
        same = self.run_it("pack", "diff", self.pack, self.pack, "--json")
        self.assertEqual((same.code, same.objects()), (0, [{"added": 0, "changed": 0, "lost": 0, "moved": 0, "pack": 0}]))
        other = os.path.join(self.path("packs"), "mesa-22.3", "strict")
        differs = self.run_it("pack", "diff", self.pack, other, "--json")
        self.assertEqual(differs.code, 1)
        *differences, counts = differs.objects()
        self.assertEqual(sum(counts.values()), len(differences))
        self.assertIn(["target"], [one["what"] for one in differences if one["kind"] == "pack"])
        for one in differences:
            self.assertEqual(sorted(one), ["after", "before", "detail", "id", "kind", "old_id", "what"])
        self.assertEqual(self.run_it("pack", "diff", self.pack, other).code, 1)
        self.assert_refused(self.run_it("pack", "diff", self.pack, self.path("nothing")), "nothing")

    def test_diff_of_two_generations(self):
        """The ids, the machine, and the evidence also differ, but only one program and the new rules are reported."""
        other = self.path("gen8")
        shutil.copytree(self.pack, other)
        with open(os.path.join(other, "pack.json"), encoding="utf-8") as file:
            text = file.read().replace('"intel_gen9"', '"intel_gen8"').replace("SEL(r(D), a(D), b(D)).cmod(L)",
                                                                            "MOV(t(D), a(D)), SEL(r(D), t(D), b(D)).cmod(L)")
        pack = json.loads(text)
        pack["entries"] = [entry for entry in pack["entries"] if "program" in entry["rule"]]
        for entry in pack["entries"]:
            entry["rule"]["id"] = entry["rule"]["id"][::-1]
            entry["mutants"]["refuted"] = "1"
        kept = [entry for entry in pack["entries"] if "ineg" in entry["rule"]["search"]]
        changed = [entry for entry in pack["entries"] if "bcsel" in entry["rule"]["search"]]
        self.assertEqual((len(kept), len(changed)), (1, 1))
        pack["entries"] = kept + changed
        with open(os.path.join(other, "pack.json"), "w", encoding="utf-8") as file:
            json.dump(pack, file, indent=1)
        told = self.run_it("pack", "diff", other, self.pack, "--json")
        self.assertEqual(told.code, 1, told.err)
        *differences, counts = told.objects()
        self.assertEqual((counts["changed"], counts["lost"], counts["moved"]), (1, 0, 0))
        change = [one for one in differences if one["kind"] == "changed"][0]
        self.assertEqual(change["what"], ["replacement"])
        self.assertEqual(change["old_id"], changed[0]["rule"]["id"])
        self.assertEqual(change["detail"], ["- MOV(t(D), a(D))", "- SEL(r(D), t(D), b(D)).cmod(L)",
                                            "+ SEL(r(D), a(D), b(D)).cmod(L)"])
        # The program that both packs contain is not reported, although its evidence differs.
        self.assertTrue(all("[ADD(" not in one["after"] for one in differences))
        said = self.run_it("pack", "diff", other, self.pack).out
        self.assertIn(") replacement\n    (('bcsel', ('ilt', 'a@32', 'b'), 'a', 'b'), ...\n"
                      "      - MOV(t(D), a(D))\n"
                      "      - SEL(r(D), t(D), b(D)).cmod(L)\n"
                      "      + SEL(r(D), a(D), b(D)).cmod(L)\n", said)
        self.assertIn("pack machine\n", said)

    def exchanged(self, search):
        """Makes a pack that contains only the sample's rule with this search side, and swaps the rule's sides. Returns
        the folder and the rule's id."""
        return self.of_one_rule("exchanged", search, lambda rule: (rule["replace"], rule["search"]))

    def of_one_rule(self, name, search, sides):
        """Makes a pack that contains only the sample's rule with this search side, and replaces the rule's sides with
        the result of `sides`. Returns the folder and the rule's id."""
        folder = self.path(name)
        shutil.copytree(self.pack, folder)
        path = os.path.join(folder, "pack.json")
        with open(path, encoding="utf-8") as file:
            pack = json.load(file)
        entry = [entry for entry in pack["entries"] if entry["rule"]["search"] == search][0]
        rule = entry["rule"]
        rule["search"], rule["replace"] = sides(rule)
        rule["generalisation"] = {}
        pack["entries"] = [entry]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(pack, file, indent=1)
        return folder, rule["id"]

    def test_rules_of_two_packs_that_undo_each_other_are_named(self):
        inexact = os.path.join(self.path("packs"), "mesa-25.0", "inexact")
        well = self.run_it("pack", "together", self.pack, inexact, "--json")
        self.assertEqual((well.code, well.objects()[-1]["pairs"]), (0, 0), well.out + well.err)
        folder, rule = self.exchanged("('iadd', ('ineg', 'a'), ('ineg', 'b'))")
        wrong = self.run_it("pack", "together", self.pack, folder, "--json")
        self.assertEqual(wrong.code, 1, wrong.err)
        pair, counts = wrong.objects()
        self.assertEqual(counts["pairs"], 1)
        self.assertEqual([pair[side]["file"] for side in ("one", "other")], [self.pack + "/nir.py", folder + "/nir.py"])
        self.assertEqual(pair["other"]["id"], rule)
        self.assertEqual(pair["terms"][0], pair["terms"][-1])
        said = self.run_it("pack", "together", folder, self.pack)
        self.assertEqual(said.code, 1)
        self.assertIn("undo each other", said.out)
        self.assertIn(rule + " of " + folder + "/nir.py", said.out)
        self.assert_refused(self.run_it("pack", "together", self.pack), "--against")
        self.assert_refused(self.run_it("pack", "together", self.pack, self.path("nothing")), "nothing")

    def test_cycles_of_three_rules_in_three_files_are_named(self):
        sides = [("('isub', 'a', 'b')", "('iadd', 'a', ('ineg', 'b'))"),
                 ("('iadd', 'a', ('ineg', 'b'))", "('ineg', ('isub', 'b', 'a'))"),
                 ("('ineg', ('isub', 'a', 'b'))", "('isub', 'b', 'a')")]
        packs = [self.of_one_rule(f"cycle{i}", "('iadd', ('ineg', 'a'), ('ineg', 'b'))", lambda _: side)[0]
                 for i, side in enumerate(sides)]
        for left_out in packs:
            well = self.run_it("pack", "together", *[pack for pack in packs if pack != left_out])
            self.assertEqual(well.code, 0, well.out + well.err)
        wrong = self.run_it("pack", "together", *packs, "--json")
        self.assertEqual(wrong.code, 1, wrong.err)
        cycle, counts = wrong.objects()
        self.assertEqual((counts["pairs"], counts["cycles"], counts["cut"]), (0, 1, 0))
        self.assertEqual([rule["file"] for rule in cycle["rules"]], [pack + "/nir.py" for pack in packs])
        self.assertEqual((len(cycle["terms"]), cycle["terms"][0]), (4, cycle["terms"][-1]))
        said = self.run_it("pack", "together", *packs)
        self.assertIn("these rules undo each other:\n", said.out)
        self.assertIn("0 pairs and 1 longer cycles", said.out)


SAMPLE = os.path.abspath(sys.argv.pop(2))

if __name__ == "__main__":
    command_line.main()

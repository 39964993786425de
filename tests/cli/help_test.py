"""Tests the output of every --help: it has examples, its lines are not too long, and it uses no project-internal words.

usage: help_test.py REWROUGHT
"""
import re
import unittest

import command_line

COLUMNS = 120
# Project-internal words that users do not know.
PRIVATE_WORDS = ("licensed", "strong base", "judge", "funnel", "mend", "survivor", "draft", "remembered", "truth value")
GROUPS = ["Check", "Discover", "Packs", "Service", "Look up"]
NESTED = [("pack", "verify"), ("pack", "diff"), ("pack", "build")]


class HelpTest(command_line.CommandLineTest):
    def help_of(self, *words):
        result = self.run_it(*words, "--help")
        self.assertEqual(result.code, 0, result.err)
        return result.out

    def commands(self):
        """Returns the names of the commands in the groups of the main help, which has no other sections."""
        groups, names = [], []
        for line in self.help_of().split("Exit codes")[0].splitlines():
            heading = re.fullmatch(r"(\w[\w ]*):", line)
            if heading:
                groups.append(heading.group(1))
            elif re.match(r"  [a-z]+ ", line) and groups and groups[-1] in GROUPS:
                names.append(line.split()[0])
        self.assertEqual([group for group in groups if group in GROUPS], GROUPS)
        self.assertGreaterEqual(len(names), 18)
        self.assertEqual(len(set(names)), len(names))
        return names

    def test_every_help_has_examples_and_fits(self):
        for words in [()] + [(name,) for name in self.commands()] + NESTED:
            text = self.help_of(*words)
            with self.subTest(command=" ".join(words)):
                self.assertIn("Example", text)
                self.assertIn("  rewrought " + " ".join(words), text.split("Example")[1])
                for line in text.splitlines():
                    self.assertLessEqual(len(line), COLUMNS, line)
                for word in PRIVATE_WORDS:
                    self.assertIsNone(re.search(r"\b%s" % word, text, re.IGNORECASE), word)
                for machine in re.findall(r"--machine ([a-z]\w*)", text.split("Example")[1]):
                    self.assertIn(machine, self.machines())

    def machines(self):
        if not hasattr(type(self), "ids"):
            type(self).ids = {line["id"] for line in self.run_it("machines", "--json").objects()}
        return self.ids

    def test_the_examples_of_check_work(self):
        examples = re.findall(r'^  rewrought check ((?:"[^"]+" ?)+)(?=$|\n)', self.help_of("check"), re.MULTILINE)
        self.assertGreaterEqual(len(examples), 2)
        for example in examples:
            result = self.run_it("check", *re.findall(r'"([^"]+)"', example), "--widths", "32")
            self.assertIn(result.code, (0, 1), example + result.err)


if __name__ == "__main__":
    command_line.main()

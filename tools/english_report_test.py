"""Tests the counts of headless clauses and odd words in short samples."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import english_report  # noqa: E402


def counts(path, text):
    """Returns the count of the comments and of the pages of a tree with one file."""
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
        return english_report.count(root)


class ReportTest(unittest.TestCase):
    def test_comments_count_and_code_does_not(self):
        comments, pages = counts("ir/a.cc", "// Keeps what is left of it.\nint what_is = 1;  // It goes on.\n")
        self.assertEqual(comments.headless, ["ir/a.cc:1: what is"])
        self.assertEqual(comments.odd, ["ir/a.cc:2: goes on"])
        self.assertEqual(comments.words, 9)
        self.assertEqual(pages.words, 0)

    def test_pages_count_without_their_code(self):
        text = "What remains is kept.\n\n    what is in code\n```\nwhat is too\n```\nThe symbol stands for a value.\n"
        _, pages = counts("docs/a.md", text)
        self.assertEqual(pages.headless, ["docs/a.md:1: What remains"])
        self.assertEqual(pages.odd, [])
        self.assertAlmostEqual(pages.rate(pages.headless), 1000 / pages.words)

    def test_good_sentences_have_no_symptom(self):
        comments, _ = counts("ir/a.h", "// Returns the remaining uses, or an empty list if the value is dead.\n")
        self.assertEqual((comments.headless, comments.odd), ([], []))


if __name__ == "__main__":
    unittest.main()

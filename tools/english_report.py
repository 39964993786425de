#!/usr/bin/env python3
"""Reports two symptoms of unnatural English in comments and pages: headless clauses ("what is left of it"), which stand
in for a noun, and everyday words for which the field has a term. The report helps writers and is not a check: a
sentence without these words can still be bad.

usage: english_report.py [--list] [ROOT]
--list: also prints each occurrence with its file and line.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_layers  # noqa: E402

HEADLESS = re.compile(
    r"\b(?:what|that which)(?: \w+ly)? (?:is|are|was|were|has|have|had|comes?|came|goes|gives?|gave|stands?|remains?|"
    r"follows?|makes?|made|takes?|needs?|becomes?|became|lies|holds?|says?|does|do|can|may|must|would|keeps?|costs?|"
    r"saves?|fits?)\b", re.IGNORECASE)
# Everyday words for which the field has standard terms: fix, is stored, continues, omits, excludes, unknown, and so on.
ODD_WORDS = re.compile(
    r"\b(?:mend(?:s|ed)?|stands(?! for)|goes on|gone on|go on with|leaves off|left off|takes each other|no such one|"
    r"gives? back|given back|lets? go|looks? at|comes? to|passes? over|taken over)\b", re.IGNORECASE)
COMMENT = re.compile(r"//+ ?(.*)")
CODE_OF_PAGE = re.compile(r"```.*?```|^    .*$", re.DOTALL | re.MULTILINE)


def prose_of(path, text):
    """Returns the prose of a file as (line, text) pairs: the comments of C++, the paragraphs of a page."""
    if path.endswith((".cc", ".h")):
        found = ((number, COMMENT.search(line)) for number, line in enumerate(text.split("\n"), 1))
        return [(number, match.group(1)) for number, match in found if match]
    without_code = CODE_OF_PAGE.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    return list(enumerate(without_code.split("\n"), 1))


class Count:
    """The word count of some prose, and the places with a symptom."""

    def __init__(self):
        self.words = 0
        self.headless = []
        self.odd = []

    def add(self, path, text):
        for line, prose in prose_of(path, text):
            self.words += len(prose.split())
            for places, pattern in ((self.headless, HEADLESS), (self.odd, ODD_WORDS)):
                places += ["%s:%d: %s" % (path, line, match.group(0)) for match in pattern.finditer(prose)]

    def rate(self, places):
        """Returns the number of places per 1,000 words."""
        return 1000 * len(places) / max(1, self.words)


def count(root):
    """Returns the counts of the comments and of the pages below root."""
    comments, pages = Count(), Count()
    for path in check_layers.files_below(root):
        if path.endswith((".cc", ".h", ".md")):
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                (pages if path.endswith(".md") else comments).add(path, file.read())
    return comments, pages


def main(arguments):
    list_all = "--list" in arguments
    roots = [argument for argument in arguments if argument != "--list"]
    root = roots[0] if roots else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name, found in zip(("comments", "pages"), count(root)):
        print("%s: %d words; headless clauses: %d (%.2f per 1,000 words); odd words: %d (%.2f)" %
              (name, found.words, len(found.headless), found.rate(found.headless), len(found.odd),
               found.rate(found.odd)))
        for place in sorted(found.headless + found.odd) if list_all else []:
            print("  " + place)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Splits a file of rules into rules, as `rewrought check FILE` does, so that each can be sent to a server."""
from __future__ import annotations

import dataclasses
import os
import re

# A name, `=` or `+=`, and `[`; or `name.extend([`; or only `[`.
_LIST_START = re.compile(r"(?:[\w.]+[ \t=+(]+|)\[")
_LIST_END = re.compile(r"\][\])]*")
_SPACE = re.compile(r"[ \t\r\n,]+")
# Parts of a rule: strings, comments, brackets, and all other characters.
_PART = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*|[()\[\]]|[^()\[\]'\"#]+|.", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class RuleText:
    """The text of a rule. `line` is the line of the file, from 1, on which it begins."""

    line: int
    text: str


def split_rules(text: str) -> list[RuleText]:
    """Splits the text of a file of rules: one rule per line or a Python list, with comments that start with `#`.

    Text that is no rule becomes an entry of its own, so that `check` reports its error. A line that begins like a rule
    ends an unfinished rule, so that a missing bracket invalidates only one rule.
    """
    rules = []
    position = 0
    while position < len(text):
        space = _SPACE.match(text, position)
        if space:
            position = space.end()
            continue
        start = position
        if text[position] == "(":
            position = _end_of_rule(text, position)
        elif text[position] == "#":
            position = _end_of_line(text, position)
            continue
        else:
            syntax = _LIST_END.match(text, position) or _LIST_START.match(text, position)
            if syntax:
                position = syntax.end()
                continue
            position = _end_of_line(text, position)
        rules.append(RuleText(text.count("\n", 0, start) + 1, text[start:position].rstrip()))
    return rules


def read_rules(path: str | os.PathLike[str]) -> list[RuleText]:
    """Reads a file of rules in UTF-8, and splits it. Raises OSError and UnicodeDecodeError."""
    with open(path, encoding="utf-8") as file:
        return split_rules(file.read())


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _end_of_rule(text: str, start: int) -> int:
    limit = _next_rule(text, start)
    depth, position = 0, start
    while position < limit:
        part = _PART.match(text, position, limit)
        assert part is not None
        position = part.end()
        if part.group() in ("(", "["):
            depth += 1
        elif part.group() in (")", "]"):
            depth -= 1
            if depth == 0:
                return position
    return limit


def _next_rule(text: str, start: int) -> int:
    """Returns the start of the next line that begins like a rule: with `((`, or with `(` that is not indented more."""
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:_end_of_line(text, start)]
    indentation = len(line) - len(line.lstrip(" \t"))
    for match in re.compile(r"\n([ \t]*)(\(\(?)").finditer(text, _end_of_line(text, start)):
        if match.group(2) == "((" or len(match.group(1)) <= indentation:
            return match.start(2)
    return len(text)

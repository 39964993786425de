"""Reads the ids of the rules in a pack's nir.py, which `rewrought export --format nir` writes."""
import re

CODE = "\nlimits = {"  # the start of the code that generates the C of the passes, below the rules


def tuples_with_ids(text):
    """Yields (line number, id, text) for each tuple of `rules`, in order. The variables in the text are quoted, so that
    it needs no definitions. The id is None if the file does not state it."""
    lines = text.partition(CODE)[0].split("\n")
    ids = [found.group(1) for found in (re.match(r"   '([0-9a-f]{64})',", line) for line in lines) if found]
    tuples = [(number, line) for number, line in enumerate(lines, 1) if line.startswith("   ((")]
    for position, (number, line) in enumerate(tuples):
        yield number, ids[position] if position < len(ids) else None, re.sub(r"(?<=[ (])([a-z])(?=[,)])", r"'\1'", line.strip().rstrip(","))

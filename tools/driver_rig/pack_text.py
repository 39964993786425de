"""Reads the ids of the rules in a pack's nir.py, which `rewrought export --format nir` writes."""
import re

CODE = "\nlimits = {"  # the start of the code that generates the C of the passes, below the rules


def tuples_with_ids(text):
    """Yields (line number, id, text) for each tuple of `rules`, in order. The variables in the text are quoted, so that
    it needs no definitions. The id is None if the file does not state it."""
    text = text.partition(CODE)[0]
    ids = iter(re.findall(r"^   '([0-9a-f]{64})',", text, re.M))
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("   (("):
            quoted = re.sub(r"(?<=[ (])([a-z])(?=[,)])", r"'\1'", line.strip().rstrip(","))
            yield number, next(ids, None), quoted

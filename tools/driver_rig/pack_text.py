"""Reads the ids of the rules in a pack's nir.py, which `rewrought export --format nir` writes."""
import re

CODE = "\nlimits = {"  # the start of the code that generates the C of the passes, below the rules


def tuples_with_ids(text):
    """Yields (line number, id, text) for each tuple of `rules`, in order. The id is None if none precedes the tuple."""
    identity = None
    for number, line in enumerate(text.partition(CODE)[0].split("\n"), 1):
        if re.fullmatch(r"   # [0-9a-f]{64}", line):
            identity = line.split()[1]  # an id is listed once per pass
        elif line.startswith("   (("):
            yield number, identity, line.strip().rstrip(",")

"""Parses the messages of drivers about compiled shaders into numbers by name. statistics.toml describes the
messages."""
import re

import estimate


class Reader:
    """Parses the messages of one driver."""

    def __init__(self, row):
        self.forms = [re.compile(form) for form in row["message"]]
        self.number = re.compile(row["number"])
        self.skip = re.compile(row.get("skip", "(?!)"))  # matches nothing by default
        self.stages = row["stages"]
        self.ignore = set(row.get("ignore", []))
        self.renamed = row.get("renamed", {})
        self.differences = row.get("differences", {})
        self.needed = ([row["instructions"]] if "instructions" in row else []) + estimate.names_of(row)

    def numbers(self, text):
        """Parses "12 inst, 0:3 spills:fills" into {"inst": 12, "spills": 0, "fills": 3}."""
        found = {}
        for match in self.number.finditer(text):
            names, values = match["name"].strip().split(":"), match["value"].split(":")
            if len(names) != len(values):
                continue
            for name, value in zip(names, values):
                if name not in self.ignore:
                    found[self.renamed.get(name, name)] = float(value) if "." in value else int(value)
        return found

    def read_one(self, text):
        """Returns (form, stage, variant, numbers), or None if the text has none of the driver's forms."""
        for index, form in enumerate(self.forms):
            match = form.fullmatch(text)
            if not match:
                continue
            groups = match.groupdict()
            stage, _, variant = self.stages.get(groups["stage"], "").partition("/")
            numbers = self.numbers(groups["numbers"])
            if stage and numbers:
                return index, stage, groups.get("variant") or variant, numbers
        return None

    def read(self, messages):
        """Returns a list of {"stage", "variant", "numbers"}, one for each compilation, and the messages that could not
        be parsed.

        The second compilation of a stage with the same variant name gets the variant "2", and so on. If a shader lacks
        the numbers that trials use, its last message counts as not parsed.
        """
        records, said, unread, counts, last_form = [], [], [], {}, 0
        for text in messages:
            if self.skip.fullmatch(text):
                continue
            one = self.read_one(text)
            if one is None:
                unread.append(text)
                continue
            form, stage, variant, numbers = one
            if records and form > last_form and records[-1]["stage"] == stage:
                records[-1]["numbers"].update(numbers)
            else:
                counts[stage, variant] = counts.get((stage, variant), 0) + 1
                if counts[stage, variant] > 1:
                    variant = f"{variant} {counts[stage, variant]}".strip()
                records.append({"stage": stage, "variant": variant, "numbers": numbers})
                said.append(text)
            said[-1] = text
            last_form = form
        for record in records:
            for name, (whole, part) in self.differences.items():
                if whole in record["numbers"] and part in record["numbers"]:
                    record["numbers"][name] = record["numbers"][whole] - record["numbers"][part]
        whole = [all(name in record["numbers"] for name in self.needed) for record in records]
        unread += [text for text, good in zip(said, whole) if not good]
        return [record for record, good in zip(records, whole) if good], unread

"""Estimates the time of a shader from the numbers that its driver reports. `time` in statistics.toml describes the
estimate of each driver.

The estimate is the largest of several terms. A term is a sum of numbers, which may be divided by another number. The
unit is the driver's own, such as cycles, so estimates of different drivers cannot be compared.
"""
TIME = "time"
NOTICEABLE = 0.01  # a shader counts as helped or hurt if its time changes by more than this share


def names_of(row):
    """Returns the numbers that the estimate of a row of statistics.toml needs, in the order of the row."""
    return list(dict.fromkeys(name for term in row.get("time", ()) for name in
                              term["sum"] + ([term["per"]] if "per" in term else [])))


def time_of(row, numbers):
    """Returns the estimate for a shader with these numbers, or None if the row describes no estimate or a number is
    missing. A divisor below 1 counts as 1, because a shader that runs has at least one wave."""
    needed = names_of(row)
    if not needed or not all(name in numbers for name in needed):
        return None
    return max(sum(numbers[name] for name in term["sum"]) / max(1, numbers[term["per"]]) if "per" in term else
               sum(numbers[name] for name in term["sum"]) for term in row["time"])


def with_time(row, numbers):
    """Returns the numbers of a shader, preceded by the estimate of time if there is one."""
    time = time_of(row, numbers)
    return numbers if time is None else {TIME: time, **numbers}


def formula(row):
    """Returns the estimate as text, such as "max(Latency / Max Waves, Inverse Throughput)", or "" if there is none."""
    terms = []
    for term in row.get("time", ()):
        text = " + ".join(term["sum"])
        if "per" in term:
            text = (f"({text})" if len(term["sum"]) > 1 else text) + f" / {term['per']}"
        terms.append(text)
    return f"max({', '.join(terms)})" if len(terms) > 1 else "".join(terms)


def is_helped(before, after):
    """Returns whether a shader with these times becomes noticeably faster."""
    return after < before * (1 - NOTICEABLE)


def is_hurt(before, after):
    """Returns whether a shader with these times becomes noticeably slower."""
    return after > before * (1 + NOTICEABLE)

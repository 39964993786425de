"""Computes quantiles of Student's t distribution.

The formulas are from Abramowitz and Stegun, Handbook of Mathematical Functions: the sums 26.7.3 and 26.7.4, which are
exact for a whole number of degrees of freedom, and the expansion 26.7.5 for many degrees of freedom.
"""
import functools
import math
import statistics

MANY = 200  # from this number on, the expansion is accurate to 1e-9


def within(t, freedom):
    """Returns the probability that |T| <= t, for t >= 0 and a whole number of degrees of freedom."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    term, total = 1.0, 0.0
    first = 2 if freedom % 2 else 1
    for step in range(freedom // 2):
        total += term
        term *= square * (2 * step + first) / (2 * step + first + 1)
    if freedom % 2 == 0:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)


@functools.lru_cache(maxsize=None)
def half_width(freedom, confidence=0.95):
    """Returns the t for which |T| <= t has this probability. freedom is a whole number, at least 1."""
    if freedom >= MANY:
        z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
        return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2) + \
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    low, high = 0.0, 1.0
    while within(high, freedom) < confidence:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < confidence else (low, middle)
    return high

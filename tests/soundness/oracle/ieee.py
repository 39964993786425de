"""Implements IEEE 754 binary formats with exact rational arithmetic: decoding, rounding, and comparing. It does not
depend on the op rows."""
from fractions import Fraction
from math import isqrt

MANTISSA_BITS = {16: 10, 32: 23, 64: 52}


class Format:
    def __init__(self, width):
        self.width = width
        self.mantissa = MANTISSA_BITS[width]
        self.sign = 1 << (width - 1)
        self.infinity = (self.sign - 1) >> self.mantissa << self.mantissa
        self.bias = (1 << (width - self.mantissa - 2)) - 1
        self.normal = 1 << self.mantissa  # the smallest normal number


FORMATS = {width: Format(width) for width in MANTISSA_BITS}


def is_nan(bits, width):
    f = FORMATS[width]
    return (bits & (f.sign - 1)) > f.infinity


def is_inf(bits, width):
    f = FORMATS[width]
    return (bits & (f.sign - 1)) == f.infinity


def is_zero(bits, width):
    return bits & (FORMATS[width].sign - 1) == 0


def is_denormal(bits, width):
    return 0 < bits & (FORMATS[width].sign - 1) < FORMATS[width].normal


def is_negative(bits, width):
    return bits & FORMATS[width].sign != 0


def value_of(bits, width):
    """Returns the number that a finite pattern represents."""
    f = FORMATS[width]
    exponent = (bits & (f.sign - 1)) >> f.mantissa
    mantissa = bits & (f.normal - 1)
    if exponent:
        mantissa += f.normal
    else:
        exponent = 1
    value = mantissa * Fraction(2) ** (exponent - f.bias - f.mantissa)
    return -value if bits & f.sign else value


def nearest(value, width, negative_zero=False):
    """Returns the pattern nearest to a rational, ties to even. `negative_zero` is the sign of an exact zero."""
    f = FORMATS[width]
    if value == 0:
        return f.sign if negative_zero else 0
    sign = f.sign if value < 0 else 0
    value = abs(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, 1 - f.bias)
    scaled = value / Fraction(2) ** (exponent - f.mantissa)
    units = scaled.numerator // scaled.denominator
    rest = scaled - units
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and units & 1):
        units += 1
    # A carry out of the mantissa increments the exponent.
    bits = units + ((exponent + f.bias - 1) << f.mantissa)
    return sign | min(bits, f.infinity)


def square_root(value, width, reciprocal=False):
    """Returns the pattern nearest to sqrt(value) or 1/sqrt(value) for a positive rational, with integer square
    roots."""
    if reciprocal:
        value = 1 / value
    shift = 2400
    floor = isqrt((value.numerator << shift) // value.denominator)
    root = Fraction(floor, 1 << (shift // 2))
    if root * root != value:
        # An irrational root is far from every tie, so a slightly larger value rounds to the same pattern.
        root += Fraction(1, 1 << (shift // 2 + 8))
    return nearest(root, width)


def less(x, y, width):
    """Returns whether x < y. The result is false if either is a NaN, or if both are zeros."""
    if is_nan(x, width) or is_nan(y, width):
        return False
    return ordered(x, width) < ordered(y, width)


def ordered(bits, width):
    """Maps numbers and infinities to integers, preserving their order; both zeros map to 0."""
    magnitude = bits & (FORMATS[width].sign - 1)
    return -magnitude if is_negative(bits, width) else magnitude

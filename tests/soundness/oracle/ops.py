"""Defines the ops of tests/rules from NIR's definitions, over Python integers and exact rationals.

SIGNATURES: the types of the result and the sources. A type is a letter and a size (`f32`), a letter alone for the
node's free size, or a letter and a dot for an independent size (`b.`). INTEGER and FLOAT: the op's function. POISON:
the condition under which the result may be anything.
"""
from fractions import Fraction

import ieee

NAN = 'nan'  # any NaN pattern
ANY = 'any'  # any value


class Inexpressible(Exception):
    """The oracle does not support this op or choice."""


def signed(x, width):
    return x - (1 << width) if x >> (width - 1) else x


def sig(text):
    result, sources = text.split(':')
    return result, sources.split()


SIGNATURES = {}


def declare(signature, names):
    for name in names.split():
        SIGNATURES[name] = sig(signature)


declare('f:f f', 'fadd fsub fmul fmin fmax fdiv fpow')
declare('f:f', 'fneg fabs fsat fsign ffloor fceil ftrunc fround_even ffract fsqrt frcp frsq fexp2 flog2')
declare('f:f f f', 'ffma flrp')
declare('f32:f32 f32', 'fmulz')
declare('b1:f f', 'flt fge feq fneu fltu fgeu fneo ford funord fequ')
declare('b32:f f', 'flt32 fge32 feq32 fneu32 fltu32 fgeu32')
declare('b1:i i', 'ilt ige ieq ine ult uge')
declare('i:i i', 'iadd isub imul imin imax umin umax iand ior ixor idiv udiv imod irem umod imul_high umul_high iadd_sat '
        'uadd_sat usub_sat uhadd irhadd amul')
declare('i:i', 'ineg iabs inot isign mov')
declare('i:i i i', 'iadd3 imad bitfield_select')
declare('i:i i32', 'ishl ishr ushr urol uror')
declare('u:b1 u u', 'bcsel')
declare('u:b32 u u', 'b32csel')
declare('u32:f32 u32 u32', 'fcsel')
declare('u32:i32 u32 u32', 'i32csel_ge i32csel_gt icsel_eqz')
declare('i32:i32 i32 i32', 'ibfe ubfe bfi ubitfield_extract')
declare('i32:i32 i32 i32 i32', 'bitfield_insert')
declare('i32:i.', 'bit_count ufind_msb ifind_msb find_lsb b2i32 f2i32 f2u32 i2i32 u2u32')
declare('i:i i32', 'extract_u8 extract_i8 extract_i16 extract_u16')
declare('i:i i32', 'insert_u8')
declare('i32:i32', 'uclz bitfield_reverse udiv_aligned_4')
declare('i32:i32 i32', 'umul24 umul24_relaxed uadd_carry')
declare('b32:b.', 'b2b32')
declare('f:b.', 'b2f')
declare('f32:b.', 'b2f32')
declare('i64:b.', 'b2i64')
declare('f16:f.', 'f2f16')
declare('f32:f.', 'f2f32')
declare('f64:f.', 'f2f64')
declare('i16:f.', 'f2i16')
declare('i8:i.', 'i2i8 u2u8')
declare('i16:i.', 'i2i16 u2u16')
declare('i64:i.', 'i2i64 u2u64')
declare('f32:i.', 'i2f32 u2f32')
declare('u16:u32', 'unpack_32_2x16_split_x')
declare('u32:u64', 'unpack_64_2x32_split_x unpack_64_2x32_split_y')
declare('u64:u32 u32', 'pack_64_2x32_split')

# Float ops that may keep denormals in mode `flush` (docs/float_contract.md 3); all other ops of FLOAT must flush.
MAY_FLUSH = {'fneg', 'fabs', 'fmin', 'fmax', 'fsat', 'f2f16', 'f2f32', 'f2f64', 'fcsel'}


def clamp(x, low, high):
    return max(low, min(high, x))


def divide_signed(x, y, width):
    if y == 0:
        return 0
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def remainder_signed(x, y):
    return 0 if y == 0 else abs(x) % abs(y) * (-1 if x < 0 else 1)


def field_signed(value, offset, bits):
    offset, bits = offset & 31, bits & 31
    if bits == 0:
        return 0
    return signed((value >> offset) & ((1 << bits) - 1), bits) if offset + bits < 32 else signed(value, 32) >> offset


def rotate(x, count, width):
    count %= width
    return x << count | x >> (width - count)


def byte_of(x, index, bits, is_signed):
    part = (x >> (index * bits)) & ((1 << bits) - 1)
    return signed(part, bits) if is_signed else part


def insert(base, value, offset, bits):
    mask = ((1 << bits) - 1) << offset
    return base & ~mask | (value << offset) & mask


def shift_to(mask, value, base):
    """Returns bfi's result: `value`, shifted to the mask's lowest bit, replaces the mask's bits of `base`."""
    if mask == 0:
        return base
    low = (mask & -mask).bit_length() - 1
    return (value << low) & mask | base & ~mask


def find_sign_msb(x, width):
    x = signed(x, width)
    if x < 0:
        x = ~x
    return x.bit_length() - 1


# Each function takes the width of the first source and the sources' patterns; the caller masks the result.
INTEGER = {
    'iadd': lambda w, a, b: a + b,
    'isub': lambda w, a, b: a - b,
    'imul': lambda w, a, b: a * b,
    'amul': lambda w, a, b: a * b,
    'iadd3': lambda w, a, b, c: a + b + c,
    'imad': lambda w, a, b, c: a * b + c,
    'imin': lambda w, a, b: min(signed(a, w), signed(b, w)),
    'imax': lambda w, a, b: max(signed(a, w), signed(b, w)),
    'umin': lambda w, a, b: min(a, b),
    'umax': lambda w, a, b: max(a, b),
    'iand': lambda w, a, b: a & b,
    'ior': lambda w, a, b: a | b,
    'ixor': lambda w, a, b: a ^ b,
    'inot': lambda w, a: ~a,
    'ineg': lambda w, a: -a,
    'iabs': lambda w, a: abs(signed(a, w)),
    'isign': lambda w, a: (signed(a, w) > 0) - (signed(a, w) < 0),
    'mov': lambda w, a: a,
    'bitfield_select': lambda w, a, b, c: (a & b) | (~a & c),
    'idiv': lambda w, a, b: divide_signed(signed(a, w), signed(b, w), w),
    'irem': lambda w, a, b: remainder_signed(signed(a, w), signed(b, w)),
    'imod': lambda w, a, b: 0 if b == 0 else signed(a, w) % signed(b, w),
    'udiv': lambda w, a, b: 0 if b == 0 else a // b,
    'umod': lambda w, a, b: 0 if b == 0 else a % b,
    'imul_high': lambda w, a, b: (signed(a, w) * signed(b, w)) >> w,
    'umul_high': lambda w, a, b: (a * b) >> w,
    'iadd_sat': lambda w, a, b: clamp(signed(a, w) + signed(b, w), -(1 << (w - 1)), (1 << (w - 1)) - 1),
    'uadd_sat': lambda w, a, b: min(a + b, (1 << w) - 1),
    'usub_sat': lambda w, a, b: max(a - b, 0),
    'uhadd': lambda w, a, b: (a + b) >> 1,
    'irhadd': lambda w, a, b: (signed(a, w) + signed(b, w) + 1) >> 1,
    'ilt': lambda w, a, b: signed(a, w) < signed(b, w),
    'ige': lambda w, a, b: signed(a, w) >= signed(b, w),
    'ieq': lambda w, a, b: a == b,
    'ine': lambda w, a, b: a != b,
    'ult': lambda w, a, b: a < b,
    'uge': lambda w, a, b: a >= b,
    'ishl': lambda w, a, b: a << (b % w),
    'ushr': lambda w, a, b: a >> (b % w),
    'ishr': lambda w, a, b: signed(a, w) >> (b % w),
    'urol': lambda w, a, b: rotate(a, b, w),
    'uror': lambda w, a, b: rotate(a, -b, w),
    'ubfe': lambda w, a, b, c: (a >> (b & 31)) & ((1 << (c & 31)) - 1),
    'ibfe': lambda w, a, b, c: field_signed(a, b, c),
    'ubitfield_extract': lambda w, a, b, c: (a >> b) & ((1 << c) - 1),
    'bitfield_insert': lambda w, a, b, c, d: insert(a, b, c, d),
    'bfi': lambda w, a, b, c: shift_to(a, b, c),
    'bit_count': lambda w, a: bin(a).count('1'),
    'ufind_msb': lambda w, a: a.bit_length() - 1,
    'ifind_msb': lambda w, a: find_sign_msb(a, w),
    'find_lsb': lambda w, a: (a & -a).bit_length() - 1,
    'uclz': lambda w, a: w - a.bit_length(),
    'bitfield_reverse': lambda w, a: int(format(a, '032b')[::-1], 2),
    'extract_u8': lambda w, a, b: byte_of(a, b, 8, False),
    'extract_i8': lambda w, a, b: byte_of(a, b, 8, True),
    'extract_u16': lambda w, a, b: byte_of(a, b, 16, False),
    'extract_i16': lambda w, a, b: byte_of(a, b, 16, True),
    'insert_u8': lambda w, a, b: (a & 0xff) << (b * 8),
    'udiv_aligned_4': lambda w, a: a // 4,
    'umul24': lambda w, a, b: (a & 0xffffff) * (b & 0xffffff),
    'umul24_relaxed': lambda w, a, b: a * b,
    'uadd_carry': lambda w, a, b: (a + b) >> 32,
    'b2b32': lambda w, a: -1 if a else 0,
    'b2i32': lambda w, a: 1 if a else 0,
    'b2i64': lambda w, a: 1 if a else 0,
    'i2i8': lambda w, a: signed(a, w),
    'i2i16': lambda w, a: signed(a, w),
    'i2i32': lambda w, a: signed(a, w),
    'i2i64': lambda w, a: signed(a, w),
    'u2u8': lambda w, a: a,
    'u2u16': lambda w, a: a,
    'u2u32': lambda w, a: a,
    'u2u64': lambda w, a: a,
    'unpack_32_2x16_split_x': lambda w, a: a,
    'unpack_64_2x32_split_x': lambda w, a: a,
    'unpack_64_2x32_split_y': lambda w, a: a >> 32,
    'pack_64_2x32_split': lambda w, a, b: a | b << 32,
}

POISON = {
    'idiv': lambda w, a, b: signed(a, w) == -(1 << (w - 1)) and signed(b, w) == -1,
    'irem': lambda w, a, b: signed(a, w) == -(1 << (w - 1)) and signed(b, w) == -1,
    'imod': lambda w, a, b: signed(a, w) == -(1 << (w - 1)) and signed(b, w) == -1,
    'amul': lambda w, a, b: not -(1 << (w - 1)) <= signed(a, w) * signed(b, w) < 1 << (w - 1),
    'extract_u8': lambda w, a, b: b >= w // 8,
    'extract_i8': lambda w, a, b: b >= w // 8,
    'extract_u16': lambda w, a, b: b >= w // 16,
    'extract_i16': lambda w, a, b: b >= w // 16,
    'insert_u8': lambda w, a, b: b >= w // 8,
    'ubitfield_extract': lambda w, a, b, c: signed(b, 32) < 0 or signed(c, 32) < 0 or b + c > 32,
    'bitfield_insert': lambda w, a, b, c, d: signed(c, 32) < 0 or signed(d, 32) < 0 or c + d > 32,
    'umul24_relaxed': lambda w, a, b: a >> 24 != 0 or b >> 24 != 0,
    'udiv_aligned_4': lambda w, a: a % 4 != 0,
}


def round_to_integral(name, x, width):
    """Returns floor, ceil, trunc or round-to-even of x, keeping the sign of a zero."""
    if ieee.is_inf(x, width):
        return x
    value = ieee.value_of(x, width)
    floor = value.numerator // value.denominator
    rest = value - floor
    if name == 'ffloor':
        whole = floor
    elif name == 'fceil':
        whole = floor + (rest > 0)
    elif name == 'ftrunc':
        whole = floor + (rest > 0 and value < 0)
    else:
        whole = floor + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1))
    return ieee.nearest(Fraction(whole), width, ieee.is_negative(x, width))


def add(x, y, width):
    """Returns the sum, rounded once: (pattern or NAN, exact rational or None)."""
    if ieee.is_nan(x, width) or ieee.is_nan(y, width):
        return NAN, None
    if ieee.is_inf(x, width) or ieee.is_inf(y, width):
        if ieee.is_inf(x, width) and ieee.is_inf(y, width) and x != y:
            return NAN, None
        return (x if ieee.is_inf(x, width) else y), None
    exact = ieee.value_of(x, width) + ieee.value_of(y, width)
    both = ieee.is_negative(x, width) and ieee.is_negative(y, width)
    return ieee.nearest(exact, width, both), exact


def multiply_add(x, y, z, width):
    """Returns x*y+z, rounded once, or the product if z is None."""
    if any(v is not None and ieee.is_nan(v, width) for v in (x, y, z)):
        return NAN, None
    negative = ieee.is_negative(x, width) != ieee.is_negative(y, width)
    infinity = ieee.FORMATS[width].infinity | (ieee.FORMATS[width].sign if negative else 0)
    if ieee.is_inf(x, width) or ieee.is_inf(y, width):
        if ieee.is_zero(x, width) or ieee.is_zero(y, width):
            return NAN, None
        if z is not None and ieee.is_inf(z, width) and z != infinity:
            return NAN, None
        return infinity, None
    if z is not None and ieee.is_inf(z, width):
        return z, None
    exact = ieee.value_of(x, width) * ieee.value_of(y, width)
    if z is None:
        return ieee.nearest(exact, width, negative), exact
    zero_product = exact == 0
    exact += ieee.value_of(z, width)
    negative_zero = negative and ieee.is_negative(z, width) if zero_product else False
    if exact == 0 and not zero_product:
        negative_zero = False
    if zero_product and exact == 0:
        return ieee.nearest(exact, width, negative_zero), exact
    return ieee.nearest(exact, width), exact


def divide(x, y, width):
    if ieee.is_nan(x, width) or ieee.is_nan(y, width):
        return NAN, None
    sign = ieee.FORMATS[width].sign if ieee.is_negative(x, width) != ieee.is_negative(y, width) else 0
    if (ieee.is_zero(x, width) and ieee.is_zero(y, width)) or (ieee.is_inf(x, width) and ieee.is_inf(y, width)):
        return NAN, None
    if ieee.is_inf(x, width) or ieee.is_zero(y, width):
        return sign | ieee.FORMATS[width].infinity, None
    if ieee.is_inf(y, width):
        return sign, None
    exact = ieee.value_of(x, width) / ieee.value_of(y, width)
    return ieee.nearest(exact, width, sign != 0), exact


def least(x, y, width, largest):
    """Returns minNum or maxNum: a number wins against a NaN, and -0 is less than +0."""
    if ieee.is_nan(x, width) or ieee.is_nan(y, width):
        return NAN if ieee.is_nan(x, width) and ieee.is_nan(y, width) else y if ieee.is_nan(x, width) else x
    key = lambda v: (ieee.ordered(v, width), not ieee.is_negative(v, width))
    return max(x, y, key=key) if largest else min(x, y, key=key)


def blend(a, b, c, width):
    """Returns flrp's result, (a*(1-c)) + b*c, with each step rounded; half precision is computed in binary32."""
    inner = max(width, 32)
    a, b, c = (v if inner == width else convert(v, width, inner)[0] for v in (a, b, c))
    if NAN in (a, b, c):
        return NAN, None
    one, sign = ieee.nearest(Fraction(1), inner), ieee.FORMATS[inner].sign
    rest = add(one, c ^ sign, inner)[0]
    parts = [NAN if rest == NAN else multiply_add(a, rest, None, inner)[0], multiply_add(b, c, None, inner)[0]]
    if NAN in parts:
        return NAN, None
    total, exact = add(parts[0], parts[1], inner)
    if total == NAN or inner == width:
        return total, exact
    return convert(total, inner, width)


def convert(x, width, to):
    if ieee.is_nan(x, width):
        return NAN, None
    if ieee.is_inf(x, width):
        return ieee.FORMATS[to].infinity | (ieee.FORMATS[to].sign if ieee.is_negative(x, width) else 0), None
    exact = ieee.value_of(x, width)
    return ieee.nearest(exact, to, ieee.is_negative(x, width)), exact


def float_result(name, width, to, x):
    """Returns (pattern or NAN, the exact value if the result was rounded) of a float op on patterns."""
    sign = ieee.FORMATS[width].sign
    if name == 'fadd':
        return add(x[0], x[1], width)
    if name == 'fsub':
        return add(x[0], x[1] ^ sign, width)
    if name in ('fmul', 'ffma'):
        return multiply_add(x[0], x[1], x[2] if name == 'ffma' else None, width)
    if name == 'fmulz':
        if ieee.is_zero(x[0], width) or ieee.is_zero(x[1], width):
            return 0, None
        return multiply_add(x[0], x[1], None, width)
    if name == 'flrp':
        return blend(x[0], x[1], x[2], width)
    if name in ('fdiv', 'frcp'):
        return divide(*x, width) if name == 'fdiv' else divide(ieee.nearest(Fraction(1), width), x[0], width)
    if name in ('fmin', 'fmax'):
        return least(x[0], x[1], width, name == 'fmax'), None
    if name == 'fsat':
        return least(least(x[0], 0, width, True), ieee.nearest(Fraction(1), width), width, False), None
    if name == 'fsign':
        if ieee.is_nan(x[0], width):
            return 0, None
        return (x[0] if ieee.is_zero(x[0], width) else ieee.nearest(Fraction(1), width) | x[0] & sign), None
    if name.startswith('f2f'):
        return convert(x[0], width, to)
    if ieee.is_nan(x[0], width):
        return NAN, None
    if name == 'fneg':
        return x[0] ^ sign, None
    if name == 'fabs':
        return x[0] & ~sign, None
    if name in ('ffloor', 'fceil', 'ftrunc', 'fround_even'):
        return round_to_integral(name, x[0], width), None
    if name == 'ffract':
        return add(x[0], round_to_integral('ffloor', x[0], width) ^ sign, width)
    if name in ('fsqrt', 'frsq'):
        if ieee.is_zero(x[0], width):
            return (x[0] if name == 'fsqrt' else ieee.FORMATS[width].infinity | x[0] & sign), None
        if ieee.is_negative(x[0], width):
            return NAN, None
        if ieee.is_inf(x[0], width):
            return (x[0] if name == 'fsqrt' else 0), None
        return ieee.square_root(ieee.value_of(x[0], width), width, name == 'frsq'), None
    raise Inexpressible(name)


def compare(name, width, x, y):
    """Returns the result of a float compare; the u in fltu and fgeu means "or unordered"."""
    name = name.replace('32', '')
    unordered = ieee.is_nan(x, width) or ieee.is_nan(y, width)
    below = ieee.less(x, y, width)
    equal = not unordered and ieee.ordered(x, width) == ieee.ordered(y, width)
    return {
        'flt': below,
        'fge': not unordered and not below,
        'feq': equal,
        'fneu': not equal,
        'fltu': below or unordered,
        'fgeu': not below,
        'fneo': not equal and not unordered,
        'fequ': equal or unordered,
        'ford': not unordered,
        'funord': unordered,
    }[name]


COMPARES = {name for name, (result, sources) in SIGNATURES.items() if result in ('b1', 'b32') and sources == ['f', 'f']}
FLOAT = {name for name, (result, sources) in SIGNATURES.items() if result[0] == 'f' and sources[0][0] == 'f'}


def float_to_integer(name, width, x):
    """Returns the truncated value, or ANY if it is out of range."""
    bits = int(name[3:])
    if ieee.is_nan(x, width) or ieee.is_inf(x, width):
        return ANY
    value = ieee.value_of(x, width)
    whole = abs(value.numerator) // value.denominator * (-1 if value < 0 else 1)
    low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if name[2] == 'i' else (0, 1 << bits)
    return whole % (1 << bits) if low <= whole < high else ANY

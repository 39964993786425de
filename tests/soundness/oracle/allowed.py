"""Computes the results that a side of a rule allows on given inputs, by enumerating all choices of the float
contract."""
import re

import ieee
import ops
from ops import ANY, NAN, Inexpressible

FLAGS = ('nsz', 'nnan', 'ninf')
MAX_RUNS = 20000


class Node:
    """One use of an op, variable or literal. Nodes with equal keys have the same value."""

    def __init__(self, kind, name='', sources=(), flags=(), value=None, size=0, key=None, exact=False):
        self.kind, self.name, self.sources, self.flags, self.value, self.size, self.key = kind, name, sources, flags, value, size, key
        self.exact = exact


def read(expression, is_search, literals):
    """Converts a tuple from ast.literal_eval to a Node. An op that is written twice is one node in a search, but
    two nodes in a replacement."""
    if isinstance(expression, (bool, int, float)):
        node = Node('literal', value=expression, key=('literal', len(literals)))
        literals.append(node)
        return node
    if isinstance(expression, str):
        if expression in ('inf', '-inf', 'nan'):
            return read(float(expression), is_search, literals)
        match = re.fullmatch(r'#?([a-z]+)(?:@(\d+|[a-z]+\d*))?(?:\([^)]*\))?', expression)
        if not match:
            raise Inexpressible(expression)
        digits = re.search(r'\d+$', match.group(2) or '')
        return Node('variable', match.group(1), size=int(digits.group()) if digits else 0, key=('variable', match.group(1)))
    match = re.fullmatch(r'([~!]*)([a-z0-9_]+?)(?:@(\d+))?(?:\(([^)]*)\))?', expression[0])
    if not match or match.group(2) not in ops.SIGNATURES:
        raise Inexpressible(str(expression[0]))
    flags = tuple(f for f in (match.group(4) or '').split(',') if f in FLAGS)
    sources = [read(e, is_search, literals) for e in expression[1:]]
    node = Node('op', match.group(2), sources, flags, size=int(match.group(3) or 0), exact='!' in match.group(1))
    node.key = (node.name, flags, tuple(s.key for s in sources)) if is_search else ('op', id(node))
    return node


class Sizes:
    """Determines sizes by unification: an op's operands of free size have the same size."""

    def __init__(self):
        self.parent, self.size = {}, {}

    def find(self, key):
        self.parent.setdefault(key, key)
        while self.parent[key] != key:
            key = self.parent[key]
        return key

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        size = self.size.get(a) or self.size.get(b)
        self.parent[a] = b
        if size:
            self.size[b] = size

    def fix(self, key, size):
        if size:
            self.size[self.find(key)] = size

    def of(self, node):
        size = self.size.get(self.find(name_of(node)))
        if not size:
            raise Inexpressible('open size')
        return size


def name_of(node):
    return ('variable', node.name) if node.kind == 'variable' else ('node', id(node))


def bits_of_type(text):
    digits = text[1:].rstrip('.')
    return int(digits) if digits else 0


def constrain(node, sizes):
    sizes.fix(name_of(node), node.size)
    if node.kind != 'op':
        return
    result, sources = ops.SIGNATURES[node.name]
    free = ('free', id(node))
    for text, part in zip([result] + sources, [node] + list(node.sources)):
        if bits_of_type(text):
            sizes.fix(name_of(part), bits_of_type(text))
        elif not text.endswith('.'):
            sizes.join(name_of(part), free)
    for source in node.sources:
        constrain(source, sizes)


def literal_bits(value, size, is_float):
    if isinstance(value, bool):
        return (1 << size) - 1 if value else 0
    if isinstance(value, int):
        return value & ((1 << size) - 1)
    if value != value:
        raise Inexpressible('nan literal')
    if value in (float('inf'), float('-inf')):
        return ieee.FORMATS[size].infinity | (ieee.FORMATS[size].sign if value < 0 else 0)
    import fractions
    import math
    return ieee.nearest(fractions.Fraction(value), size, math.copysign(1, value) < 0)


class Choices:
    """Enumerates the choices that a run makes, like an odometer."""

    def __init__(self):
        self.wheels, self.position, self.runs = [], 0, 0

    def pick(self, options):
        if len(options) == 1:
            return options[0]
        if self.position == len(self.wheels):
            self.wheels.append([0, len(options)])
        self.position += 1
        return options[self.wheels[self.position - 1][0]]

    def turn(self):
        self.runs += 1
        if self.runs > MAX_RUNS:
            raise Inexpressible('too many choices')
        del self.wheels[self.position:]
        self.position = 0
        while self.wheels:
            self.wheels[-1][0] += 1
            if self.wheels[-1][0] < self.wheels[-1][1]:
                return True
            self.wheels.pop()
        return False


class Run:
    """One evaluation under given choices."""

    def __init__(self, sizes, mode, variables, zeros, choices, carriers):
        self.sizes, self.mode, self.variables, self.zeros, self.choices = sizes, mode, variables, zeros, choices
        self.carriers = carriers
        self.values = {}

    def value(self, node):
        if node.key not in self.values:
            self.values[node.key] = self.compute(node)
        return self.values[node.key]

    def compute(self, node):
        size = self.sizes.of(node)
        if node.kind == 'variable':
            return self.variables[node.name]
        if node.kind == 'literal':
            if id(node) in self.zeros:
                return ieee.FORMATS[size].sign if self.zeros[id(node)] else 0
            return literal_bits(node.value, size, True)
        return self.operate(node, size)

    def operate(self, node, size):
        name = node.name
        values = [self.value(source) for source in node.sources]
        if name in ('bcsel', 'b32csel', 'i32csel_ge', 'i32csel_gt', 'icsel_eqz'):
            return self.select(name, values)
        if name == 'mov':
            return values[0]
        if name == 'fcsel':
            return self.float_selection(node, size, values)
        if ANY in values:
            raise Inexpressible('poison is used')
        if name in ops.FLOAT or name in ops.COMPARES or name[:3] in ('f2i', 'f2u'):
            return self.float_operation(node, size, values)
        if NAN in values:
            raise Inexpressible('the bits of a NaN are used')
        width = self.sizes.of(node.sources[0])
        if name in ('b2f', 'b2f32'):
            return literal_bits(1.0 if values[0] else 0.0, size, True)
        if name in ('i2f32', 'u2f32'):
            import fractions
            return ieee.nearest(fractions.Fraction(ops.signed(values[0], width) if name[0] == 'i' else values[0]), size)
        if name in ops.POISON and ops.POISON[name](width, *values):
            return ANY
        if name not in ops.INTEGER:
            raise Inexpressible(name)
        return int(ops.INTEGER[name](width, *values)) & ((1 << size) - 1)

    def flags(self, node, size):
        """Returns the flags that the rule writes on a node, and those of the matched root if the node carries them."""
        if node.key not in self.carriers:
            return node.flags
        return node.flags + tuple(f for f in FLAGS if self.variables.get('root_%s%d' % (f, size)))

    def operand_flags(self, node, width):
        """Returns the flags of the matched root that apply to the operands of a node whose result is not a float."""
        if node.key not in self.carriers or node.exact or self.variables.get('root_exact'):
            return ()
        return tuple(f for f in FLAGS if self.variables.get('root_%s%d' % (f, width)))

    def select(self, name, values):
        if values[0] in (NAN, ANY):
            raise Inexpressible('a condition may be any value')
        number = ops.signed(values[0], 32) if name.startswith('i') else values[0]
        taken = {'i32csel_ge': number >= 0, 'i32csel_gt': number > 0, 'icsel_eqz': number == 0}.get(name, number != 0)
        return values[1] if taken else values[2]

    def float_selection(self, node, size, values):
        condition = self.flush_source(node, 0, values[0])
        result = values[1] if condition == NAN or not ieee.is_zero(condition, size) else values[2]
        floats = [v for v in (condition, result) if v != ANY]
        nans = any(v == NAN or ieee.is_nan(v, size) for v in floats)
        infinities = any(v != NAN and ieee.is_inf(v, size) for v in floats)
        flags = node.flags if node.exact else self.flags(node, size)
        return ANY if ('nnan' in flags and nans) or ('ninf' in flags and infinities) else result

    def flush_source(self, node, index, value):
        width = self.sizes.of(node.sources[index])
        if value == NAN or self.mode in ('preserve', 'none') or not ieee.is_denormal(value, width):
            return value
        zero = value & ieee.FORMATS[width].sign
        forced = self.mode == 'flush' and node.name not in ops.MAY_FLUSH
        return zero if forced else self.choices.pick([value, zero])

    def float_operation(self, node, size, values):
        name = node.name
        width = self.sizes.of(node.sources[0])
        flushed, by_source = [], {}
        if name[:3] in ('f2i', 'f2u'):
            flushed = values
        else:
            for index, (source, value) in enumerate(zip(node.sources, values)):
                # All uses of a value share one choice. Literals with equal patterns are the same value.
                key = value if source.kind == 'literal' else source.key
                if key not in by_source:
                    by_source[key] = self.flush_source(node, index, value)
                flushed.append(by_source[key])
        quiet = ieee.FORMATS[width].infinity + 1
        patterns = [quiet if v == NAN else v for v in flushed]
        if name[:3] in ('f2i', 'f2u'):
            result = ops.float_to_integer(name, width, patterns[0])
        elif name in ops.COMPARES:
            truth = ops.compare(name, width, *patterns)
            result = ((1 << size) - 1) if truth else 0
        else:
            result = self.finish(node, size, patterns, *ops.float_result(name, width, size, patterns))
        nans = any(ieee.is_nan(p, width) for p in patterns)
        infinities = any(ieee.is_inf(p, width) for p in patterns)
        if name in ops.FLOAT:
            nans = nans or result == NAN or ieee.is_nan(result, size)
            infinities = infinities or (result != NAN and ieee.is_inf(result, size))
        flags = self.flags(node, size) if name in ops.FLOAT else self.operand_flags(node, width)
        if ('nnan' in flags and nans) or ('ninf' in flags and infinities):
            return ANY
        return result

    def finish(self, node, size, patterns, result, exact):
        """Flushes the result, frees the sign of a zero, and turns a NaN into any NaN."""
        if result != NAN and ieee.is_nan(result, size):
            result = NAN
        if result == NAN:
            return NAN
        f = ieee.FORMATS[size]
        if self.mode in ('any', 'flush'):
            tiny = result & (f.sign - 1) == f.normal and exact is not None and abs(exact) < ieee.value_of(f.normal, size)
            if ieee.is_denormal(result, size):
                forced = self.mode == 'flush' and node.name not in ops.MAY_FLUSH
                result = result & f.sign if forced else self.choices.pick([result, result & f.sign])
            elif tiny:
                result = self.choices.pick([result, result & f.sign])
        width = self.sizes.of(node.sources[0])
        if node.name == 'fsign' and ieee.is_nan(patterns[0], width):
            one = literal_bits(1.0, size, True)
            return self.choices.pick([0, f.sign, one, one | f.sign])
        free = node.name == 'fsign' and ieee.is_zero(patterns[0], width)
        free = free or (node.name == 'fsat' and patterns[0] == ieee.FORMATS[width].sign)
        free = free or (node.name == 'fmulz' and any(ieee.is_zero(p, size) for p in patterns))
        if ieee.is_zero(result, size) and (free or 'nsz' in self.flags(node, size)):
            return self.choices.pick([0, f.sign])
        return result


def keys(node):
    """Returns the keys of a node and of everything below it."""
    return {node.key}.union(*(keys(source) for source in node.sources))


def allowed(root, sizes, mode, variables, zeros, carriers=()):
    """Returns the set of patterns, NAN and ANY that `root` may evaluate to. The nodes whose keys are in `carriers`
    carry the flags that `variables` gives the matched root ('root_nsz32' and so on)."""
    results, choices = set(), Choices()
    while True:
        results.add(Run(sizes, mode, variables, zeros, choices, carriers).value(root))
        if not choices.turn():
            return results


def contains(results, pattern, size):
    if ANY in results or pattern in results:
        return True
    return NAN in results and size in ieee.FORMATS and ieee.is_nan(pattern, size)

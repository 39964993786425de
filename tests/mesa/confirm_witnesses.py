"""Confirms the witness of each refuted rule of an audit with independent evaluators. The first is Mesa's constant
evaluator. The second is the evaluator of tests/soundness/oracle, which enumerates all choices of the float contract
and does not use the op rows.

usage: confirm_witnesses.py AUDIT.json LIBRARY ORACLE_DIR [--json]
LIBRARY is the output of oracle/build.sh for the audited tree.

For a tree of Mesa 26, the second evaluator is not used, because it evaluates rules as Mesa 25 does. Instead, the script
enumerates what the flags of the search side permit: either sign of a zero operand or result of an op with nsz, and any
result of an op with nnan or ninf if an operand or the result is a NaN or an infinity.

Reports one case of each rule: the first one that is confirmed, otherwise its first case. The verdict is one of
  folding        Mesa folds the replacement to the witness's result, and the search to a different one, flushed or not
  folding-other  Mesa folds the sides to different results, and the replacement not to the witness's result
  contract       Mesa folds both sides to the same result; the difference is a choice that NIR leaves open. Either the
                 second evaluator confirms it, or some choices around Mesa's evaluation of each op let the replacement
                 return a result that the search side cannot
  open           not confirmed, with the reason
  poison         the replacement is poison, and the search side is not (Mesa 26)
  flags          the witness needs a matched instruction that lacks a preserve bit, which folding does not show (Mesa 26)
  contradicted   the second evaluator says that the search side allows the result; the exit status is then 1
"""
import ast
import collections
import ctypes
import json
import re
import struct
import sys

LANES = 16  # components per value in the library's arrays
GENERIC = re.compile(r'(f2f|i2f|u2f|f2i|f2u|i2i|u2u|b2f|b2i|i2b|f2b|b2b)$')
FLOAT_FORMAT = {16: '<e', 32: '<f', 64: '<d'}


class Unable(Exception):
    pass


class Poison(Unable):
    pass


class Mesa:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.oracle_kinds.restype = ctypes.c_char_p
        self.ops = {}

    def op(self, name):
        if name not in self.ops:
            index = self.lib.oracle_find(name.encode())
            if index < 0:
                raise Unable('Mesa has no op %s' % name)
            count = self.lib.oracle_sources(index)
            self.ops[name] = (index, self.lib.oracle_result_components(index), self.lib.oracle_result_bits(index),
                              [self.lib.oracle_source_components(index, k) for k in range(count)],
                              [self.lib.oracle_source_bits(index, k) for k in range(count)],
                              self.lib.oracle_kinds(index).decode())
        return self.ops[name]

    def evaluate(self, name, bits, components, mode, sources):
        index = self.op(name)[0]
        arrays = [(ctypes.c_uint64 * LANES)(*values) for values in sources]
        pointers = (ctypes.POINTER(ctypes.c_uint64) * len(arrays))(*[ctypes.cast(a, ctypes.POINTER(ctypes.c_uint64)) for a in arrays])
        results, trapped = (ctypes.c_uint64 * LANES)(), (ctypes.c_ubyte * 1)()
        self.lib.oracle_evaluate(index, bits, components, mode, 1, pointers, results, trapped)
        if trapped[0]:
            raise Poison('%s is poison' % name) if trapped[0] == 2 else Unable('%s: the evaluator traps' % name)
        return list(results)


class Node:
    def __init__(self, kind, name='', size=0, sources=(), value=None, swizzle=''):
        self.kind, self.name, self.size, self.sources, self.value, self.swizzle = kind, name, size, sources, value, swizzle
        self.parent, self.bits, self.flags, self.key = self, size, (), None

    def find(self):
        node = self
        while node.parent is not node:
            node = node.parent
        return node

    def join(self, other):
        a, b = self.find(), other.find()
        if a is b:
            return
        if a.bits and b.bits and a.bits != b.bits:
            raise Unable('sizes %d and %d meet' % (a.bits, b.bits))
        b.bits = b.bits or a.bits
        a.parent = b


class Side:
    """Evaluates one side of a rule with known sizes."""

    exact_zeros = False  # whether 0.0 and -0.0 are different patterns

    def __init__(self, mesa, expression, variables, zeros, sizes, width):
        self.mesa, self.variables, self.sizes, self.width = mesa, variables, sizes, width
        self.zeros, self.zero_count, self.by_name = zeros, 0, {}
        self.root = self.read(expression)
        if 'root' in sizes:
            self.fix(self.root, sizes['root'])
        # A generic conversion's op is known only after its size has been inferred.
        self.constrain(self.root)

    @staticmethod
    def fix(node, bits):
        found = node.find()
        if bits and found.bits and found.bits != bits:
            raise Unable('sizes %d and %d meet' % (found.bits, bits))
        found.bits = found.bits or bits

    def read(self, expression):
        if isinstance(expression, str) and expression in ('nan', 'inf', '-inf'):
            expression = float(expression)
        if isinstance(expression, (bool, int, float)):
            node = Node('literal', value=expression)
            if isinstance(expression, bool):
                node.bits = 1
            if isinstance(expression, float) and expression == 0.0 and self.zeros is not None and not self.exact_zeros:
                node.value = -0.0 if self.zeros.get('zero%d' % self.zero_count, 0) else 0.0
                self.zero_count += 1
            return node
        if isinstance(expression, str):
            match = re.fullmatch(r'#?([A-Za-z]+)(?:@([a-z]*)(\d*))?(?:\([^)]*\))?(?:\.([a-p]+|[xyzw]+))?', expression)
            if not match:
                raise Unable('variable %s' % expression)
            name, _, digits, swizzle = match.groups()
            base = self.by_name.setdefault(name, Node('variable', name))
            self.fix(base, self.sizes.get(name, 0))
            self.fix(base, int(digits or 0))
            if not swizzle:
                return base
            view = Node('view', name, sources=[base], swizzle=swizzle)
            view.join(base)
            return view
        match = re.fullmatch(r'[~!]*([a-z0-9_]+?)(?:@(\d+))?(?:\(([^)]*)\))?(?:\.([xyzw]))?', expression[0])
        if not match:
            raise Unable('op %s' % (expression[0],))
        # Equal subexpressions match one instruction in a search, but become separate instructions in a replacement.
        key = repr(expression) if self.zeros is not None and not match.group(4) else None
        if key in self.by_name:
            return self.by_name[key]
        node = Node('op', match.group(1), sources=[self.read(part) for part in expression[1:]])
        if key:
            self.by_name[key] = node
        node.flags = tuple(flag for flag in (match.group(3) or '').split(',') if flag in ('nsz', 'nnan', 'ninf'))
        self.fix(node, int(match.group(2) or 0))
        if not GENERIC.fullmatch(node.name):
            self.join_sizes(node)
        if match.group(4):
            view = Node('view', '', sources=[node], swizzle=match.group(4))
            view.join(node)
            return view
        return node

    def join_sizes(self, node):
        _, _, result_bits, _, source_bits, _ = self.mesa.op(node.name)
        if len(source_bits) != len(node.sources):
            raise Unable('%s takes %d sources' % (node.name, len(source_bits)))
        free = Node('free')
        for part, bits in zip([node] + list(node.sources), [result_bits] + source_bits):
            if bits:
                self.fix(part, bits)
            else:
                part.join(free)

    def constrain(self, node):
        for source in node.sources:
            self.constrain(source)
        if node.kind == 'op' and GENERIC.fullmatch(node.name):
            self.fix(node, node.find().bits or self.width)
            node.name += str(node.find().bits)
            self.join_sizes(node)

    def bits_of(self, node):
        bits = node.find().bits
        if not bits:
            raise Unable('an open size')
        return bits

    def literal(self, node):
        bits = self.bits_of(node)
        if isinstance(node.value, float):
            if bits not in FLOAT_FORMAT:
                raise Unable('a %d-bit float' % bits)
            try:
                packed = struct.pack(FLOAT_FORMAT[bits], node.value)
            except OverflowError:
                packed = struct.pack(FLOAT_FORMAT[bits], float('inf') if node.value > 0 else float('-inf'))
            return int.from_bytes(packed, 'little')
        return int(node.value) & ((1 << bits) - 1) if not isinstance(node.value, bool) else ((1 << bits) - 1 if node.value else 0)

    def value(self, node, mode):
        """Returns the node's components; a scalar has one."""
        if node.kind == 'literal':
            return [self.literal(node)]
        if node.kind == 'variable':
            if node.name in self.variables:
                return [self.variables[node.name]]
            parts = [self.variables['%s.%d' % (node.name, c)] for c in range(LANES) if '%s.%d' % (node.name, c) in self.variables]
            if not parts:
                raise Unable('no value of %s' % node.name)
            return parts
        if node.kind == 'view':
            values = self.value(node.sources[0], mode)
            return [values['xyzw'.index(c) if c in 'xyzw' and max(node.swizzle) > 'p' else ord(c) - ord('a')] for c in node.swizzle]
        _, result_components, _, source_components, source_bits, _ = self.mesa.op(node.name)
        sources = [self.value(source, mode) for source in node.sources]
        count = max([len(values) for values, fixed in zip(sources, source_components) if not fixed] or [1])
        wide = [(values * LANES if len(values) == 1 else values + [0] * LANES)[:LANES] for values in sources]
        bits = next((self.bits_of(source) for source, fixed in zip(node.sources, source_bits) if not fixed), self.bits_of(node))
        results = self.mesa.evaluate(node.name, bits, result_components or count, mode, wide)
        return results[:result_components or count]


class ChoosingSide(Side):
    """A side in which each op makes the float contract's choices, such as flushes, before and after Mesa folds it."""

    def start(self, mode, choices):
        self.mode, self.choices, self.memo = mode, choices, {}
        return self.value(self.root, 0)

    def value(self, node, mode):
        if node.kind != 'op':
            return super().value(node, mode)
        if id(node) not in self.memo:
            self.memo[id(node)] = self.choose(node)
        return self.memo[id(node)]

    def flushed(self, value, bits, forced):
        if bits not in FLOAT_FORMAT or self.mode in ('preserve', 'none'):
            return value
        smallest = 1 << {16: 10, 32: 23, 64: 52}[bits]
        sign = 1 << (bits - 1)
        if not 0 < value & (sign - 1) < smallest:
            return value
        return value & sign if forced else self.choices.pick([value, value & sign])

    def choose(self, node):
        import ops  # pylint: disable=import-error,import-outside-toplevel
        _, result_components, _, source_components, source_bits, kinds = self.mesa.op(node.name)
        is_bits = kinds[0] != 'f' and node.name in ('bcsel', 'b32csel', 'mov')
        forced = self.mode == 'flush' and node.name not in ops.MAY_FLUSH
        wide, count, seen = [], 1, {}
        for source, fixed, kind in zip(node.sources, source_components, kinds[1:]):
            values = self.value(source, 0)
            bits = self.bits_of(source)
            if any(is_nan(value, bits) for value in values) and kind != 'f' and not is_bits and source.kind == 'op':
                raise Unable('the bits of a NaN are used')
            if kind == 'f':
                for value in values:
                    seen.setdefault(value, None)
                    if seen[value] is None:
                        seen[value] = self.flushed(value, bits, forced)
                values = [seen[value] for value in values]
            count = max(count, len(values)) if not fixed else count
            wide.append((values * LANES if len(values) == 1 else values + [0] * LANES)[:LANES])
        free_bits = next((self.bits_of(source) for source, fixed in zip(node.sources, source_bits) if not fixed), self.bits_of(node))
        total = result_components or count
        results = self.mesa.evaluate(node.name, free_bits, total, 0, wide)[:total]
        bits, operands = self.bits_of(node), [values[0] for values, kind in zip(wide, kinds[1:]) if kind == 'f']
        if kinds[0] == 'f':
            results = [self.free(node, self.flushed(value, bits, forced), bits, operands) for value in results]
        floats = operands + (results if kinds[0] == 'f' or node.name == 'bcsel' else [])
        infinity = {16: 0x7c00, 32: 0x7f800000, 64: 0x7ff0000000000000}.get(bits, 0)
        permitted = 'nnan' in node.flags and any(is_nan(value, bits) for value in floats)
        permitted = permitted or ('ninf' in node.flags and any(value & ~(1 << (bits - 1)) == infinity for value in floats))
        if permitted and self.zeros is not None:
            raise Unable('a flag permits any value on the search side')
        # Inside the replacement, Mesa's own result is one of the permitted values.
        return ['any'] * len(results) if permitted and node is self.root else results

    def free(self, node, value, bits, operands):
        sign = 1 << (bits - 1)
        one = int.from_bytes(struct.pack(FLOAT_FORMAT[bits], 1.0), 'little')
        if node.name == 'fsign' and is_nan(operands[0], bits):
            return self.choices.pick([0, sign, one, one | sign])
        zero_operand = any(operand & (sign - 1) == 0 for operand in operands)
        free = (node.name == 'fsign' and zero_operand) or (node.name == 'fsat' and operands[0] == sign)
        free = free or 'nsz' in node.flags or (node.name == 'fmulz' and zero_operand)
        return self.choices.pick([0, sign]) if value & (sign - 1) == 0 and free else value


def chosen(mesa, rule, case):
    """Returns whether the replacement can return a result that the search side cannot, and a summary. Enumerates all
    choices around Mesa's evaluation of each op."""
    import allowed  # pylint: disable=import-error,import-outside-toplevel
    witness = case['witness']
    search, replace = (ast.literal_eval(re.sub(r'ignore_exact\(', '(', rule[side])) for side in ('search', 'replace'))
    variables = {name: int(value, 16) for name, value in witness['vars'].items()}
    results = []
    for expression, zeros in ((search, variables), (replace, None)):
        side = ChoosingSide(mesa, expression, variables, zeros, case['sizes'], case['width'])
        if zeros is not None:
            flags = side.root.flags
        else:
            for node in nodes_of(side.root):
                node.flags = flags
        choices, found = allowed.Choices(), set()
        while True:
            found.add(tuple(masked(side.start(case['mode'], choices), side.bits_of(side.root), search)))
            try:
                if not choices.turn():
                    break
            except Exception as error:  # pylint: disable=broad-except
                raise Unable('too many choices') from error
        results.append(found)
    count = len(next(iter(results[0])))
    results[1] = {result[:count] for result in results[1]}
    return bool(results[1] - results[0]), '%d results of the replacement, %d of them not among the %d of the search' % (
        len(results[1]), len(results[1] - results[0]), len(results[0]))


APPROXIMATE = re.compile(r'(frcp|frsq|fsqrt|fdiv|fpow|fexp2|flog2|fsin|fcos|ftan)')


class Side26(ChoosingSide):
    """Evaluates a side with the constant folding of Mesa 26 and the choices that the flags of its ops permit. The flags
    nsz, nnan and ninf clear the corresponding preserve bits; all other valid bits are set."""

    exact_zeros = True

    def either_zero(self, value, bits):
        sign = 1 << (bits - 1)
        return self.choices.pick([value, value ^ sign]) if value & (sign - 1) == 0 else value

    def choose(self, node):
        _, result_components, _, source_components, source_bits, kinds = self.mesa.op(node.name)
        copies_bits = node.name in ('bcsel', 'b32csel', 'mov') or node.name.startswith('vec')
        wide, count, floats = [], 1, []
        for source, fixed, kind in zip(node.sources, source_components, kinds[1:]):
            values, bits = self.value(source, self.mode), self.bits_of(source)
            if 'any' in values:
                raise Unable('a flag permits any value for an inner node')
            if kind == 'f':
                floats += [(value, bits) for value in values]
                values = [self.either_zero(value, bits) for value in values] if 'nsz' in node.flags else values
            elif source.kind == 'op' and not copies_bits and any(is_nan(value, bits) for value in values):
                raise Unable('the bits of a NaN are used')
            count = max(count, len(values)) if not fixed else count
            wide.append((values * LANES if len(values) == 1 else values + [0] * LANES)[:LANES])
        if node.name == 'fsign' and any(is_nan(value, bits) for value, bits in floats):
            raise Unable('fsign of a NaN')
        total = result_components or count
        free_bits = next((self.bits_of(source) for source, fixed in zip(node.sources, source_bits) if not fixed), self.bits_of(node))
        results = self.mesa.evaluate(node.name, free_bits, total, self.mode, wide)[:total]
        bits = self.bits_of(node)
        if kinds[0] == 'f':
            floats += [(value, bits) for value in results]
            results = [self.either_zero(value, bits) for value in results] if 'nsz' in node.flags else results
        is_infinite = lambda value, bits: abs(as_number(value, bits)) == float('inf')
        if 'nnan' in node.flags and any(is_nan(*value) for value in floats):
            return ['any'] * len(results)
        if 'ninf' in node.flags and any(is_infinite(*value) for value in floats):
            return ['any'] * len(results)
        return results


def as_number(value, bits):
    return struct.unpack(FLOAT_FORMAT[bits], value.to_bytes(bits // 8, 'little'))[0] if bits in FLOAT_FORMAT else 0.0


def results_in(side, mode, search):
    """Returns all results of the side in an execution mode."""
    import allowed  # pylint: disable=import-error,import-outside-toplevel
    choices, found = allowed.Choices(), []
    while True:
        result = masked(side.start(mode, choices), side.bits_of(side.root), search)
        if result not in found:
            found.append(result)
        try:
            if not choices.turn():
                return found
        except Exception as error:  # pylint: disable=broad-except
            raise Unable('too many choices') from error


def are_close(x, y, bits):
    """Returns whether two results differ by no more than the tolerance for approximate functions."""
    if 'nan' in (x, y) or bits not in FLOAT_FORMAT:
        return x == y
    x, y = as_number(x, bits), as_number(y, bits)
    return x == y or abs(x - y) <= 1e-3 * max(abs(x), abs(y))


def folded_26(mesa, rule, case):
    """Returns (verdict, reason) of Mesa 26's evaluator."""
    witness = case['witness']
    if any(name.startswith('root_') and int(value, 16) for name, value in witness['vars'].items()):
        return 'flags', 'the witness needs a matched instruction that lacks a preserve bit'
    variables = {name: int(value, 16) for name, value in witness['vars'].items() if not name.startswith('root_')}
    if 'contract' in rule['search']:
        return 'open', 'contract permits results that are nearer to the exact result'
    if 'ffma_weak' in rule['search']:
        return 'open', 'ffma_weak permits a fused and an unfused result'
    if 'is_only_used_as_float_nsz' in rule['search']:
        return 'open', 'no user observes the sign of a zero'
    search, replace = (ast.literal_eval(rule[side]) for side in ('search', 'replace'))
    searched = Side26(mesa, search, variables, variables, case['sizes'], case['width'])
    replaced = Side26(mesa, replace, variables, None, case['sizes'], case['width'])
    bits = searched.bits_of(searched.root)
    modes = [0] if case['mode'] in ('none', 'preserve') else [7] if case['mode'] == 'flush' else [0, 7]
    of_search = [result for mode in modes for result in results_in(searched, mode, search)]
    if any('any' in result for result in of_search):
        return 'open', 'a flag permits any value on the search side'
    show = lambda values: ' '.join(value if value == 'nan' else hex(value) for value in values)
    shown = 'search ' + ' or '.join(sorted(set(map(show, of_search))))
    try:
        of_replace = [result[:len(of_search[0])] for mode in modes for result in results_in(replaced, mode, search)]
    except Poison as error:
        return 'poison', '%s; in the replacement, %s' % (shown, error)
    different = [result for result in of_replace if result not in of_search]
    if APPROXIMATE.search(rule['search'] + rule['replace']):
        different = [result for result in different if not any(
            all(are_close(x, y, bits) for x, y in zip(result, other)) for other in of_search)]
    if not different:
        return 'open', '%s; the replacement returns the same' % shown
    return 'folding', '%s; replacement %s' % (shown, show(different[0]))


def nodes_of(node):
    yield node
    for source in node.sources:
        yield from nodes_of(source)


def is_nan(value, bits):
    if bits not in FLOAT_FORMAT:
        return False
    mantissa = {16: 10, 32: 23, 64: 52}[bits]
    infinity = ((1 << (bits - 1 - mantissa)) - 1) << mantissa
    return value & ((1 << (bits - 1)) - 1) > infinity


def masked(values, bits, search):
    """Returns the values that users of the root see according to the root's predicates."""
    head = search[0] if isinstance(search, tuple) else ''
    for low in (8, 16):
        if 'only_lower_%d_bits_used' % low in head:
            values = [value if value == 'any' else value & ((1 << low) - 1) for value in values]
    return ['nan' if value != 'any' and is_nan(value, bits) else value for value in values]


def folded(mesa, rule, case):
    """Returns (verdict, reason) of Mesa's evaluator."""
    witness = case['witness']
    search, replace = (ast.literal_eval(re.sub(r'ignore_exact\(', '(', rule[side])) for side in ('search', 'replace'))
    variables = {name: int(value, 16) for name, value in witness['vars'].items()}
    args = (variables, variables, case['sizes'], case['width'])
    sides = [Side(mesa, search, *args), Side(mesa, replace, variables, None, case['sizes'], case['width'])]
    sizes = [side.bits_of(side.root) for side in sides]
    modes = [0] if case['mode'] in ('none', 'preserve') else [7] if case['mode'] == 'flush' else [0, 7]
    of_search, of_replace = ([masked(side.value(side.root, mode), size, search) for mode in modes]
                             for side, size in zip(sides, sizes))
    given = witness['replace'] if isinstance(witness['replace'], list) else [witness['replace']]
    given = masked([int(value, 16) for value in given], sizes[1], search)
    if 'is_only_used_as_float' in (search[0] if isinstance(search, tuple) else ''):
        flip = 1 << (sizes[1] - 1)  # the audit shows the result of fneg, a user of the root
        given = [value if value == 'nan' else value ^ flip for value in given]
    of_replace = [result[:len(of_search[0])] for result in of_replace]
    same = lambda a, b: len(a) == len(b) and all(x == y for x, y in zip(a, b))
    different = [result for result in of_replace if not any(same(result, other) for other in of_search)]
    show = lambda values: ' '.join(value if value == 'nan' else hex(value) for value in values)
    shown = 'search %s, replacement %s' % (show(of_search[0]), show(of_replace[0]))
    if any(same(result, given) for result in different):
        return 'folding', shown
    if different:
        return 'folding-other', shown
    return 'alike', shown


def by_contract(rule, case):
    import witness_test  # pylint: disable=import-error,import-outside-toplevel
    text = '(%s, %s)' % (rule['search'], rule['replace'])
    try:
        return witness_test.verify(text.replace('ignore_exact(', '('), case)
    except Exception as error:  # pylint: disable=broad-except
        return 'not expressible', '%s: %s' % (type(error).__name__, error)


def verify(mesa, rule):
    best = None
    # 32 bits is the most common size, and 1 bit is the least common one.
    for case in sorted(rule['cases'], key=lambda case: (case['width'] != 32, case['width'] == 1)):
        if case['verdict'] != 'refuted' or 'witness' not in case:
            continue
        is_26 = rule.get('dialect') == 'nir-26'
        try:
            verdict, why = folded_26(mesa, rule, case) if is_26 else folded(mesa, rule, case)
        except Unable as error:
            verdict, why = 'open', str(error)
        if not is_26 and verdict not in ('folding', 'folding-other'):
            second, reason = by_contract(rule, case)
            try:
                differs, reasons = chosen(mesa, rule, case) if second != 'contradicted' else (False, '')
            except Unable as error:
                differs, reasons = False, str(error)
            if second == 'confirmed':
                verdict, why = 'contract', 'Mesa folds both sides equally: ' + why if verdict == 'alike' else why
            elif differs:
                verdict, why = 'contract', reasons
            elif second == 'contradicted' and not rule.get('verified_as'):
                verdict, why = 'contradicted', reason
            else:
                verdict, why = 'open', '%s; second evaluator: %s; choices around folding: %s' % (why, reason, reasons)
        order = ['folding', 'poison', 'contract', 'folding-other', 'flags', 'contradicted', 'open']
        if best is None or order.index(verdict) < order.index(best[0]):
            best = (verdict, why, case)
        if verdict == 'folding':
            break
    return best or ('open', 'no witness', {'width': 0, 'mode': '', 'witness': {}})


def main(arguments):
    as_json = '--json' in arguments
    audit, library, oracle = [argument for argument in arguments if argument != '--json']
    sys.path.insert(0, oracle)
    mesa, counts = Mesa(library), collections.Counter()
    for line in open(audit, encoding='utf-8'):
        rule = json.loads(line)
        if rule['class'] != 'refuted' or rule['inexact']:
            continue
        verdict, why, case = verify(mesa, rule)
        counts[verdict] += 1
        if as_json:
            print(json.dumps({'file': rule['file'], 'line': rule['line'], 'id': rule['id'], 'search': rule['search'],
                              'replace': rule['replace'], 'condition': rule['condition'], 'lowering': rule['lowering'],
                              'test_status': rule['test_status'], 'suggested_fix': rule.get('suggested_fix'),
                              'shadowed': rule['shadowed_by'] is not None, 'width': case['width'], 'mode': case['mode'],
                              'witness': case['witness'], 'confirmed': verdict, 'why': why}))
        else:
            print('%-13s %s:%d (%s, %s) %s' % (verdict, rule['file'].split('/')[-1], rule['line'], rule['search'][:90],
                                               rule['replace'][:60], why))
    print('refuted exact rules: %d; %s' % (sum(counts.values()), ', '.join('%d %s' % (n, v) for v, n in sorted(counts.items()))),
          file=sys.stderr)
    return 1 if counts['contradicted'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

"""Confirms the witnesses of refuted rules with an evaluator that is independent of the op rows.

Checks every witness that `rewrought check --json` prints for tests/rules: on its inputs, the replacement must be able
to return `replace`, and the search side must not. Witnesses with ops or choices that the oracle does not support are
counted as not expressible.
"""
import ast
import collections
import json
import math
import os
import subprocess
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import allowed
import ieee
import ops

RULES = 'tests/rules'
BINARY = 'cli/rewrought'


def check(path, timeout_ms):
    """Returns the JSON objects that `rewrought check` prints for a rule file, in every mode."""
    command = [BINARY, 'check', path, '--dialect', 'nir-25', '--json', '--modes', 'any,preserve,flush', '--timeout-ms', str(timeout_ms)]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def sides(rule):
    """Returns the nodes of both sides of a rule's text, and the literals of the search side."""
    search, replace = ast.literal_eval(rule)[:2]
    literals = []
    return allowed.read(search, True, literals), allowed.read(replace, False, []), literals


def zero_literals(literals, sizes, variables):
    """Maps each zero literal of the search to the sign with which it was matched. The witness numbers zeros in
    order."""
    zeros, count = {}, 0
    for literal in literals:
        if isinstance(literal.value, float) and literal.value == 0.0:
            zeros[id(literal)] = variables.get('zero%d' % count, 0)
            count += 1
    return zeros


def verify(rule, case):
    """Checks a case with a witness. Returns ('confirmed', ''), or ('contradicted' or 'not expressible', reason)."""
    witness = case['witness']
    try:
        search, replace, literals = sides(rule)
        sizes = allowed.Sizes()
        for name, size in case['sizes'].items():
            for side in (search, replace):
                sizes.fix(allowed.name_of(side) if name == 'root' else ('variable', name), size)
        for side in (search, replace):
            allowed.constrain(side, sizes)
        if isinstance(witness['replace'], list):
            raise ops.Inexpressible('vector')
        variables = {name: int(value, 16) for name, value in witness['vars'].items()}
        size = case['sizes']['root']
        zeros = zero_literals(literals, sizes, variables)
        got = int(witness['replace'], 16)
        of_replace = allowed.allowed(replace, sizes, case['mode'], variables, {}, allowed.keys(replace))
        of_search = allowed.allowed(search, sizes, case['mode'], variables, zeros, {search.key})
    except ops.Inexpressible as error:
        return 'not expressible', str(error)
    show = lambda results: sorted(r if isinstance(r, str) else hex(r) for r in results)
    if not allowed.contains(of_replace, got, size):
        return 'contradicted', 'the replacement returns %s' % show(of_replace)
    if allowed.contains(of_search, got, size):
        return 'contradicted', 'the search allows it: %s' % show(of_search)
    printed = witness['search']
    if isinstance(printed, str):
        printed = [printed]
    if all(isinstance(p, str) for p in printed) and len(printed) < 64:
        stated = {p if p in (ops.NAN, ops.ANY) else int(p, 16) for p in printed}
        if stated != of_search:
            return 'contradicted', 'the search allows %s' % show(of_search)
    return 'confirmed', ''


class OracleKnowsIeee(unittest.TestCase):
    """Tests the oracle against the host's arithmetic and known facts."""

    def test_doubles_round_as_the_host_does(self):
        import random
        import struct
        bits = lambda x: struct.unpack('<Q', struct.pack('<d', x))[0]
        source = random.Random(1)
        for _ in range(3000):
            x, y = (struct.unpack('<d', struct.pack('<Q', source.getrandbits(64)))[0] for _ in range(2))
            if x != x or y != y or abs(x) > 1e150 or abs(y) > 1e150:
                continue
            self.assertEqual(ops.add(bits(x), bits(y), 64)[0], bits(x + y))
            self.assertEqual(ops.multiply_add(bits(x), bits(y), None, 64)[0], bits(x * y))
            if abs(y) > 1e-150 and abs(x) > 1e-150:
                self.assertEqual(ops.divide(bits(x), bits(y), 64)[0], bits(x / y))
                self.assertEqual(ieee.square_root(Fraction(abs(x)), 64), bits(math.sqrt(abs(x))))

    def test_halves_and_singles_are_packed_as_python_packs_them(self):
        import random
        import struct
        source = random.Random(2)
        for _ in range(3000):
            value = source.uniform(-1, 1) * 2.0 ** source.randint(-160, 120)
            self.assertEqual(ieee.nearest(Fraction(value), 32), struct.unpack('<I', struct.pack('<f', value))[0])
            if abs(value) < 65000:
                half = ieee.nearest(Fraction(value), 16, value < 0)
                self.assertEqual(half, struct.unpack('<H', struct.pack('<e', value))[0])
                self.assertEqual(ieee.value_of(half, 16), Fraction(struct.unpack('<e', struct.pack('<H', half))[0]))

    def test_choices_are_those_of_the_mode(self):
        node = allowed.read(('fadd', 'a', 'b'), True, [])
        sizes = allowed.Sizes()
        sizes.fix(('variable', 'a'), 32)
        allowed.constrain(node, sizes)
        of = lambda mode, a, b: allowed.allowed(node, sizes, mode, {'a': a, 'b': b}, {})
        self.assertEqual(of('preserve', 1, 2), {3})
        self.assertEqual(of('flush', 1, 2), {0})
        self.assertEqual(of('any', 1, 2), {0, 1, 2, 3})
        self.assertEqual(of('any', 0x7f800000, 0xff800000), {ops.NAN})


class WitnessesAreConfirmed(unittest.TestCase):
    def test_a_false_witness_is_seen(self):
        case = {'sizes': {'a': 32, 'root': 32}, 'mode': 'preserve',
                'witness': {'vars': {'a': '0x80000000'}, 'search': ['0x00000000'], 'replace': '0x80000000'}}
        self.assertEqual(verify("(('fadd', 'a', 0.0), 'a')", dict(case))[0], 'confirmed')
        for field, value in (('vars', {'a': '0x3f800000'}), ('replace', '0x00000000'), ('search', ['0x80000000'])):
            false = dict(case, witness=dict(case['witness'], **{field: value}))
            self.assertEqual(verify("(('fadd', 'a', 0.0), 'a')", false)[0], 'contradicted', field)

    def test_all_rules(self):
        counts, reasons = collections.Counter(), collections.Counter()
        for name in sorted(os.listdir(RULES)):
            if not name.endswith('.rules'):
                continue
            for entry in check(os.path.join(RULES, name), 30):
                for case in entry.get('cases', []):
                    if case['verdict'] != 'refuted':
                        continue
                    verdict, why = verify(entry['rule'], case)
                    counts[verdict] += 1
                    if verdict == 'not expressible':
                        reasons[why] += 1
                    if verdict == 'contradicted':
                        print('%s:%d %s %s: %s; %s' % (name, entry['line'], entry['rule'], json.dumps(case['witness']), case['mode'], why))
        print('witnesses: %s' % ', '.join('%d %s' % (n, v) for v, n in sorted(counts.items())))
        print('not expressible: %s' % dict(reasons))
        self.assertEqual(counts['contradicted'], 0)
        self.assertGreater(counts['confirmed'], 600)
        self.assertLess(counts['not expressible'], counts['confirmed'] / 5)


if __name__ == '__main__':
    unittest.main()

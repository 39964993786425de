"""Prints the figures that docs/mesa_audit.md contains, computed from audits.

usage: audit_figures.py AUDIT.json...    (files from `rewrought audit --json`)
"""
import collections
import json
import re
import sys

CLASSES = ('proved', 'inexact', 'refuted', 'unknown', 'unsupported', 'vacuous')
UNKNOWN_CLASSES = (  # the first pattern that matches a rule's text decides
    ('64-bit float arithmetic', r"f(add|mul|fma|sub|rcp|sqrt|div|rsq)@64|f2f64|pack_double|unpack_double|\bf2[iu]64|[iu]2f64"),
    ('multiplication', r"mul|imad|umad"),
    ('division and remainder', r"'[~!]?[iu](div|rem|mod)"),
    ('float functions and divisions', r"f(rcp|rsq|sqrt|exp2|log2|sin|cos|pow|div|mod|rem|lrp|dot)"),
    ('float conversions and rounding', r"f2|2f|ffloor|fceil|ftrunc|ffract|fround|fquantize|frexp|ldexp|pack_|unpack_"),
    ('float arithmetic', r"f(add|mul|fma|sub|max|min|sat|abs|neg|sign)"),
    ('bit fields and counts', r"bf|bit|find|extr|insert|extract|shl|shr"),
)


def decided(rule):
    """Returns (decided cases, all cases) of a rule, counted as in the audit."""
    if not rule['cases']:
        return 0, 1
    over_reals = rule['class'] in ('inexact', 'refuted')
    good = sum(case['verdict'] in ('proved', 'vacuous') or (case['verdict'] == 'refuted' and (not rule['inexact'] or over_reals))
               for case in rule['cases'])
    return good, len(rule['cases'])


def percent(rules):
    pairs = [decided(rule) for rule in rules]
    good, everything = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    return '%.1f %% of %d' % (100.0 * good / max(1, everything), everything)


def text(rule):
    return rule['search'] + ' ' + rule['replace']


def class_of_unknown(rule):
    return next((name for name, pattern in UNKNOWN_CLASSES if re.search(pattern, text(rule))), 'other')


def print_inexact(rules):
    inexact = [rule for rule in rules if re.match(r"\('~", rule['search'])]
    statements = collections.Counter()
    for rule in inexact:
        if rule['class'] == 'proved':
            statements['holds bit for bit'] += 1
        elif rule.get('statement'):
            statements['over the reals: ' + rule['statement']['reals']] += 1
        else:
            statements['not verified over the reals (%s)' % rule['class']] += 1
    print('  root ~: %d rules; %s' % (len(inexact), '; '.join('%s %d' % pair for pair in statements.most_common())))
    measured = [rule for rule in inexact if rule['class'] == 'inexact' and (rule.get('statement') or {}).get('ulp_worst_after') is not None]
    worst = [(rule['statement']['ulp_worst_before'], rule['statement']['ulp_worst_after']) for rule in measured]
    print('    measured %d; largest error smaller after %d, at most twice as large %d, more than 16 times as large %d' % (
        len(worst), sum(after < before for before, after in worst), sum(after <= 2 * before for before, after in worst),
        sum(after > 16 * before for before, after in worst)))
    loses = lambda rule: (rule['statement']['ulp_typical_after'] or 0) - (rule['statement']['ulp_typical_before'] or 0)
    for rule in sorted(measured, key=lambda rule: -loses(rule))[:8]:
        statement = rule['statement']
        print('    median %.3g -> %.3g ULP, largest %.3g -> %.3g: %s:%d %s -> %s' % (
            statement['ulp_typical_before'], statement['ulp_typical_after'], statement['ulp_worst_before'], statement['ulp_worst_after'],
            rule['file'], rule['line'], rule['search'], rule['replace']))


def main(paths):
    for path in paths:
        with open(path, encoding='utf-8') as lines:
            rules = [json.loads(line) for line in lines]
        classes = collections.Counter(rule['class'] for rule in rules)
        print('%s: %d rules; %s' % (path, len(rules), ', '.join('%s %d' % (name, classes[name]) for name in CLASSES)))
        print('  cases decided: %s without ~, %s of all' % (percent([r for r in rules if not r['inexact']]), percent(rules)))
        refuted = [rule for rule in rules if rule['class'] == 'refuted']
        print('  refuted only if the matched root carries flags that the rule does not name: %d' % sum(
            all(case['reason'].startswith('only if the matched root') for case in rule['cases'] if case['verdict'] == 'refuted')
            for rule in refuted))
        argued = [case for rule in rules for case in rule['cases'] if case.get('argued_lemmas')]
        used = collections.Counter(name for case in argued for name in case['argued_lemmas'])
        proofs = sum(case['verdict'] == 'proved' for rule in rules for case in rule['cases'])
        print('  proofs of cases: %d; using lemmas with only an argument %d: %s' % (
            proofs, len(argued), ', '.join('%s %d' % pair for pair in sorted(used.items()))))
        tiers = collections.Counter(case['tier'] for rule in rules for case in rule['cases'] if case['verdict'] == 'proved')
        print('  by tier: %s' % ', '.join('%s %d' % pair for pair in tiers.most_common()))
        print_inexact(rules)
        unknown = collections.Counter(class_of_unknown(rule) for rule in rules if rule['class'] == 'unknown' and not rule['inexact'])
        print('  unknown without ~: %s' % ', '.join('%s %d' % pair for pair in unknown.most_common()))


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])

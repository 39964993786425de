"""Generates the pass of a trial, which the rig's Mesa builds: every rule at every place, each switched at run time.

This text follows a list `rules` of nir_algebraic's tuples; the tuples whose numbers are in `second` belong to the
places' second passes, which run after the first ones. During compilation, the environment variable RIG_RULES selects
the active rules. It contains `PLACE:DIGITS` for some places, separated by commas; bit k of the hexadecimal digit i
switches rule 4 i + k. If RIG_TRACE is set, each applied rule prints the line `rig: PLACE RULE` to standard output. If
the places are preceded by `match`, each matching rule prints this line and none is applied; `rig: met RULE` then says
that a shader fulfills the rule's condition.
"""
import re

# The limits on a shader's counted applications, as in exported passes.
LIMITS = {'main_rest': 3, 'before_ffma': 1, 'before_late': 1, 'after_late': 1}

SWITCHES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread const char *rig_place, *rig_digits;

extern __thread void (*rig_rule_applied)(unsigned condition), (*rig_rule_matches)(unsigned condition);

UNUSED static bool
rig_rule_on(unsigned rule)
{
   if (rule / 4 >= strspn(rig_digits, "0123456789abcdef"))
      return false;
   const char digit = rig_digits[rule / 4];
   return ((digit <= '9' ? digit - '0' : digit - 'a' + 10) >> (rule % 4)) & 1;
}

UNUSED static bool
rig_met(unsigned rule, bool holds)
{
   if (holds && rig_rule_matches)
      printf("rig: met %u\\n", rule);
   return holds;
}

static void
rig_say_applied(unsigned condition)
{
   printf("rig: %s %u\\n", rig_place, rig_numbers[condition]);
}
"""

FORGETTING = """
static bool
@PASS@_forgetting(nir_shader *shader)
{
   bool progress = @PASS@(shader);
   forget_positions();
   return progress;
}
"""
RUN = """
static bool
rig_run(nir_shader *shader, const char *place, unsigned counter, unsigned limit)
{
   const char *rules = getenv("RIG_RULES");
   const char *found = rules && shader->discovered_passes[counter] < limit ? strstr(rules, place) : NULL;
   if (!found)
      return false;
   rig_place = place;
   rig_digits = found + strlen(place) + 1;
   rig_rule_applied = getenv("RIG_TRACE") ? rig_say_applied : NULL;
   rig_rule_matches = strncmp(rules, "match,", 6) == 0 ? rig_say_applied : NULL;
   bool progress = @FIRST@;
   progress |= @SECOND@;
   rig_rule_applied = rig_rule_matches = NULL;
   shader->discovered_passes[counter] += progress;
   return progress;
}
"""

ENTRY = """
bool nir_opt_trial_{place}(nir_shader *shader);

bool
nir_opt_trial_{place}(nir_shader *shader)
{{
   return rig_run(shader, "{place}", {counter}, {limit});
}}
"""


def pass_of(function, rules):
    """Returns the C code of a static pass of `rules`, which are pairs (number, tuple), and the code that precedes
    the pass."""
    import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel
    switched = []
    for number, rule in rules:
        condition = f'rig_rule_on({number})'
        switched.append(rule[:2] + (condition + (f' && rig_met({number}, ({rule[2]}))' if len(rule) > 2 else ''),))
    head, line = '#include "nir.h"\n', f'\nbool\n{function}'
    text = nir_algebraic.AlgebraicPass(function, switched).render() if switched else \
        f'{head}{line}(nir_shader *shader)\n{{\n   return false;\n}}\n'
    head, found, rest = text.partition(line)
    assert found, 'unexpected output of nir_algebraic'
    return head, f'\nstatic bool\n{function}{rest}'


def numbers_text():
    """Returns C code that maps each condition to its rule. Every rule has its own condition, and nir_algebraic
    numbers the conditions of all passes together."""
    import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel
    found = [re.match(r'rig_rule_on\((\d+)\)', condition) for condition in nir_algebraic.condition_list]
    return f"\nstatic const unsigned rig_numbers[] = {{{', '.join(one[1] if one else '0' for one in found)}}};\n"


def c_text(rules, second, helpers):
    """Returns the C code of both passes. helpers: the packs' own C code for conditions, by file, which precedes the
    passes."""
    numbered = list(enumerate(rules))
    first_head, first = pass_of('nir_opt_trial_rules', [one for one in numbered if one[0] not in second])
    second_head, behind = pass_of('nir_opt_trial_second_rules', [one for one in numbered if one[0] in second])
    brought = '#include "nir.h"\n' + '\n'.join(helpers.values()) if helpers else ''
    call = 'run_with_cse(shader, {})' if 'sharing.c' in helpers else '{}(shader)'
    passes, forgetting = ['nir_opt_trial_rules', 'nir_opt_trial_second_rules'], ''
    if 'positions.c' in helpers:  # the cached positions are valid only until another pass runs
        forgetting = ''.join(FORGETTING.replace('@PASS@', one) for one in passes)
        passes = [one + '_forgetting' for one in passes]
    run = forgetting + RUN.replace('@FIRST@', call.format(passes[0])).replace('@SECOND@', call.format(passes[1]))
    return brought + first_head + numbers_text() + SWITCHES + first + second_head + behind + run + ''.join(
        ENTRY.format(place=place, counter=counter, limit=limit)
        for counter, (place, limit) in enumerate(LIMITS.items()))


def main(rules, second, helpers):
    import argparse  # pylint: disable=import-outside-toplevel
    import sys  # pylint: disable=import-outside-toplevel
    parser = argparse.ArgumentParser()
    parser.add_argument('-p', '--import-path', required=True)
    parser.add_argument('--out', required=True)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.import_path)
    with open(arguments.out, 'w', encoding='utf-8') as out:
        out.write(c_text(rules, second, helpers))

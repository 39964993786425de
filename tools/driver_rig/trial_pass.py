"""The pass of a trial, as the rig's Mesa builds it: every rule at every place, each switched at run time.

Stands behind a list `rules` of nir_algebraic's tuples. While shaders compile, the environment variable RIG_RULES says
what is on: `PLACE:DIGITS` for some places, separated by commas, rule 4 i + k by bit k of the hexadecimal digit i. With
RIG_TRACE set, each rule that is applied is a line `rig: PLACE RULE` of standard output.
"""
# The numbers of applications that a shader may count, as in passes that are exported.
LIMITS = {'main_rest': 3, 'before_ffma': 1, 'before_late': 1, 'after_late': 1}

SWITCHES = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread const char *rig_place, *rig_digits;

extern __thread void (*rig_rule_applied)(unsigned condition);

UNUSED static bool
rig_rule_on(unsigned rule)
{
   if (rule / 4 >= strspn(rig_digits, "0123456789abcdef"))
      return false;
   const char digit = rig_digits[rule / 4];
   return ((digit <= '9' ? digit - '0' : digit - 'a' + 10) >> (rule % 4)) & 1;
}

static void
rig_say_applied(unsigned condition)
{
   printf("rig: %s %u\\n", rig_place, condition - 1);
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
   const bool progress = nir_opt_trial_rules(shader);
   rig_rule_applied = NULL;
   shader->discovered_passes[counter] += progress;
   return progress;
}
"""

ENTRY = """
bool
nir_opt_trial_{place}(nir_shader *shader)
{{
   return rig_run(shader, "{place}", {counter}, {limit});
}}
"""


def c_text(rules):
    """The C of the pass. A rule's condition is its own, so that condition 1 + n is rule n."""
    import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel
    switched = []
    for number, rule in enumerate(rules):
        condition = f'rig_rule_on({number})'
        switched.append(rule[:2] + (condition + (f' && ({rule[2]})' if len(rule) > 2 else ''),))
    text = nir_algebraic.AlgebraicPass('nir_opt_trial_rules', switched).render() if rules else \
        '#include "nir.h"\nbool\nnir_opt_trial_rules(nir_shader *shader)\n{\n   return false;\n}\n'
    head, found, rest = text.partition('\nbool\nnir_opt_trial_rules')
    assert found, 'nir_algebraic writes another form'
    return head + SWITCHES + '\nstatic bool\nnir_opt_trial_rules' + rest + RUN + ''.join(
        ENTRY.format(place=place, counter=counter, limit=limit)
        for counter, (place, limit) in enumerate(LIMITS.items()))


def main(rules):
    import argparse  # pylint: disable=import-outside-toplevel
    import sys  # pylint: disable=import-outside-toplevel
    parser = argparse.ArgumentParser()
    parser.add_argument('-p', '--import-path', required=True)
    parser.add_argument('--out', required=True)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.import_path)
    with open(arguments.out, 'w', encoding='utf-8') as out:
        out.write(c_text(rules))


# The C code of these passes has one function for each place, NAME_PLACE(shader). A driver's build generates it with
# `python3 nir.py -p MESA/src/compiler/nir --out FILE`. The code requires a field `uint8_t discovered_passes[4]` in
# nir_shader, which the patch from `rewrought export --tree` adds.
limits = {'main_rest': 3, 'before_ffma': 1, 'before_late': 1, 'after_late': 1}

entry = """
bool {function}(nir_shader *shader);

bool
{function}(nir_shader *shader)
{{
   /* Report progress at most {limit} times per shader, so that every loop that calls this function terminates. */
   if (shader->discovered_passes[{place}] >= {limit})
      return false;
   bool progress = false;
{calls}   shader->discovered_passes[{place}] += progress;
   return progress;
}}
"""

# The data that positions.c caches is valid only until another pass runs.
forgetting = """
static bool
{0}_forgetting(nir_shader *shader)
{{
   bool progress = {0}(shader);
   forget_positions();
   return progress;
}}
"""


def c_text():
    import nir_algebraic  # pylint: disable=import-error,import-outside-toplevel
    text = provenance
    if helpers:
        text += '#include "nir.h"\n' + '\n'.join(helpers.values())
    call = 'run_with_cse(shader, {})' if 'sharing.c' in helpers else '{}(shader)'
    for index, (place, limit) in enumerate(limits.items()):
        function = name + '_' + place
        calls = ''
        for rules_at, ending in (places, '_rules'), (second_places, '_second_rules'):
            if rules_at.get(place):
                rendered = nir_algebraic.AlgebraicPass(function + ending, rules_at[place]).render()
                text += rendered.replace('\nbool\n' + function, '\nstatic bool\n' + function)
                if 'positions.c' in helpers:
                    text += forgetting.format(function + ending)
                    ending += '_forgetting'
                calls += '   progress |= ' + call.format(function + ending) + ';\n'
        if calls:
            text += entry.format(function=function, place=index, limit=limit, calls=calls)
    return text


def main():
    import argparse  # pylint: disable=import-outside-toplevel
    import sys  # pylint: disable=import-outside-toplevel
    parser = argparse.ArgumentParser()
    parser.add_argument('-p', '--import-path', required=True)
    parser.add_argument('--out', required=True)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.import_path)
    with open(arguments.out, 'w', encoding='utf-8') as out:
        out.write(c_text())


if __name__ == '__main__':
    main()

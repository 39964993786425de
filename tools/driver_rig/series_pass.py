"""Switches the rules of a patch series at run time. The rig appends this code to its copy of nir_algebraic.py and then
fills rig_changes; the tree's rule files stay as they are.

rig_changes maps a pass to (added, removed). added: triples (index, patch, rule); the rule belongs before the rule with
this index of the unpatched pass. removed: maps the index of a rule to the patch that removes it. During compilation,
the environment variable RIG_PATCHES contains the active patches, such as ",2,5,". If it is "match", no patch is active,
but each match of a rule that a patch adds or removes prints the line `rig: series PATCH` to standard output.
"""
rig_changes = {}

RIG_DECLARATIONS = """
#include <stdbool.h>
bool rig_added(unsigned patch);
bool rig_kept(unsigned patch);
"""
RIG_REGISTRATION = """
void rig_register(const nir_algebraic_table *table, const short *patches);

static void __attribute__((constructor))
{name}_rig_register(void)
{{
   static const short patches[] = {{{patches}}};
   rig_register(&{name}_table, patches);
}}
"""


def rig_switched(rule, function, patch):
    """Returns the rule, a tuple for AlgebraicPass, with the condition that `function` holds for the patch."""
    condition = rule[2] if len(rule) > 2 and rule[2] is not True else 'true'
    condition = condition.decode('utf-8') if isinstance(condition, bytes) else condition
    return tuple(rule[:2]) + (f'{function}({patch}) && ({condition})',) + tuple(rule[3:])


def rig_merged(rules, added, removed):
    """Returns the rules of a pass with those that patches add, each with its switch."""
    rules = [rig_switched(rule, 'rig_kept', removed[index]) if index in removed else rule
             for index, rule in enumerate(rules)]
    for index, patch, rule in reversed(added):  # from the end, so that no insertion moves the next index
        rules.insert(index, rig_switched(rule, 'rig_added', patch))
    return rules


def rig_patch_of(condition):
    """Returns the patch that adds a rule with this condition, the negated patch that removes it, or 0."""
    import re  # pylint: disable=import-outside-toplevel
    found = re.match(r'rig_(added|kept)\((\d+)\)', condition)
    return 0 if not found else int(found[2]) if found[1] == 'added' else -int(found[2])


class RigPass(AlgebraicPass):  # noqa: F821 pylint: disable=undefined-variable
    """A pass of nir_algebraic whose changed rules are switched."""

    def __init__(self, pass_name, transforms, *args, **kwargs):
        self.rig_changed = pass_name in rig_changes
        if self.rig_changed:
            transforms = rig_merged(list(transforms), *rig_changes[pass_name])
        super().__init__(pass_name, transforms, *args, **kwargs)

    def render(self):
        text = super().render()
        if not self.rig_changed:
            return text
        patches = ', '.join(str(rig_patch_of(condition)) for condition in condition_list)  # noqa: F821 pylint: disable=undefined-variable
        return RIG_DECLARATIONS + text + RIG_REGISTRATION.format(name=self.pass_name, patches=patches)


AlgebraicPass = RigPass

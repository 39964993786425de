"""Compiles run_helpers.c with the matcher, the range analysis, and the predicates of a Mesa tree.

usage: build_helpers.py TREE TOOLS_FOLDER RUN_HELPERS_C BUILD_FOLDER OUT_FOLDER [HEADER]    (prints the program's path)

BUILD_FOLDER caches the tree's objects. TOOLS_FOLDER is tools/driver_rig/matcher, whose tree_objects.py compiles them.
HEADER, whose name must be nir_search_helpers.h, replaces the tree's.
"""
import os
import re
import sys

sys.dont_write_bytecode = True

PARAMETERS = r"\(\s*(?:__attribute__\s*\(\(\w+\)\)\s*)?"
VARIABLE = re.compile(r"\b(?:bool|_Bool)\s+(\w+)\s*" + PARAMETERS +
                      r"(?:const\s+nir_search_state\s*\*\s*state|struct\s+hash_table\s*\*\s*ht)\s*,\s*"
                      r"const\s+nir_alu_instr\s*\*\s*instr\s*,")
OP = re.compile(r"\b(?:bool|_Bool)\s+(\w+)\s*\(\s*const\s+nir_alu_instr\s*\*\s*instr\s*\)")


def list_helpers(text):
    """Returns the lines of helpers.inc for the preprocessed text of nir_search_helpers.h."""
    # Functions of other headers precede those of nir_search_helpers.h.
    text = text[text.index("is_pos_power_of_two"):]
    first = ["is_pos_power_of_two"]
    variables = first + [name for name in VARIABLE.findall(text) if name not in first]
    return [f"VARIABLE_HELPER({name})" for name in variables] + [f"OP_HELPER({name})" for name in OP.findall(text)]


def main(tree, tools, source, folder, own, header=None):
    sys.path.insert(0, tools)
    import tree_objects  # pylint: disable=import-error,import-outside-toplevel
    os.makedirs(folder, exist_ok=True)
    archive = tree_objects.build_tree(tree, folder, 2)
    os.makedirs(own, exist_ok=True)
    header = header or os.path.join(tree, "src/compiler/nir/nir_search_helpers.h")
    flags = tree_objects.FLAGS + ["-I" + own, "-I" + os.path.dirname(header)]
    flags += tree_objects.include_flags(tree, folder) + ["-std=gnu11", "-Werror=implicit-function-declaration"]
    if tree_objects.version_of(tree).startswith("26."):
        flags.append("-DMESA_26")
    with open(os.path.join(own, "helpers.inc"), "w", encoding="utf-8") as out:
        out.write("\n".join(list_helpers(tree_objects.run(["gcc", "-E", "-P"] + flags + [header]))) + "\n")
    program = os.path.join(own, "run_helpers")
    tree_objects.run(["gcc", "-o", program] + flags + [source, archive, "-Wl,--gc-sections", "-lm", "-lpthread",
                                                       "-lstdc++"] +
                     [f"-Wl,--defsym={name}=0" for name in tree_objects.UNCALLED])
    print(program)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Reads facts from the sources of a Mesa tree."""
import os
import re


def read(nir, name):
    """Returns the text of a file in src/compiler/nir, or "" if the tree has no such file."""
    try:
        with open(os.path.join(nir, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def option_fields(nir):
    """Returns the names of the fields of nir_shader_compiler_options, which has its own header since Mesa 25.1."""
    text = read(nir, "nir_shader_compiler_options.h") or read(nir, "nir.h")
    body = re.search(r"struct nir_shader_compiler_options \{(.*?)\n\} nir_shader_compiler_options", text, re.S)
    return set(re.findall(r"\b(\w+)(?:\s*:\s*\d+)?;", body.group(1)))


def predicates(nir):
    """Returns the names of the predicates in nir_search_helpers.h, including those that macros define."""
    text = read(nir, "nir_search_helpers.h")
    names = set(re.findall(r"^(\w+)\(", text, re.M))
    names.update("is_unsigned_multiple_of_" + number for number in re.findall(r"^MULTIPLE\((\d+)\)", text, re.M))
    # RELATION(lt_zero, <) of Mesa 25 defines two predicates; in Mesa 26, RELATION(a_number, mask) defines one, and
    # RELATION_AND_NUM(lt_zero, mask) two.
    both = "RELATION_AND_NUM" if "RELATION_AND_NUM" in text else "RELATION"
    for macro, name in re.findall(r"^(RELATION\w*)\((\w+)", text, re.M):
        names.add("is_" + name)
        if macro == both:
            names.add("is_a_number_" + name)
    return names

"""A small tree that looks like Mesa's, with rules of a test's own."""
import os

# What the rule files import; the importer replaces the class and reads no template.
NIR_ALGEBRAIC = '''
class AlgebraicPass:
    def __init__(self, name, rules):
        raise AssertionError("rules are read, not rendered")


def ignore_exact(*expression):
    raise AssertionError("the importer has its own")
'''


def write(test, rules):
    """Writes src/compiler/nir with the text `rules` into the folder of a CommandLineTest; its path."""
    os.makedirs(test.path("src/compiler/nir"), exist_ok=True)
    test.write("src/compiler/nir/nir_algebraic.py", NIR_ALGEBRAIC)
    test.write("src/compiler/nir/nir_opt_algebraic.py", rules)
    return test.path("src/compiler/nir")

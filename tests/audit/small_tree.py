"""Creates a small tree that resembles Mesa's, with a test's own rules."""
import os

# The module that rule files import. The importer replaces its class and does not need its template.
NIR_ALGEBRAIC = '''
class AlgebraicPass:
    def __init__(self, name, rules):
        raise AssertionError("rules are read, not rendered")


def ignore_exact(*expression):
    raise AssertionError("the importer replaces this function")
'''


def write(test, rules):
    """Writes a src/compiler/nir that contains the rule file `rules` into the folder of the CommandLineTest `test`.
    Returns its path."""
    os.makedirs(test.path("src/compiler/nir"), exist_ok=True)
    test.write("src/compiler/nir/nir_algebraic.py", NIR_ALGEBRAIC)
    test.write("src/compiler/nir/nir_opt_algebraic.py", rules)
    return test.path("src/compiler/nir")

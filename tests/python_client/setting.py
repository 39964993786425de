"""Provides the tests of the Python library with a database, packs, an audit, a tree, certificates, and servers.

usage of a test: X_test.py MAKE_DATABASE MAKE_PACKS REWROUGHT [ARGUMENT…]
"""
import os
import shutil
import subprocess
import sys
import unittest

ROOT = os.getcwd()
LIBRARY = os.path.join(ROOT, "clients/python")
sys.path[:0] = [LIBRARY, os.path.join(ROOT, "tests/web"), os.path.join(ROOT, "tests/audit")]
import serving  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

path_of = serving.path_of
MAKE_DATABASE = ""

RULES = """import nir_algebraic

a, b, c = 'a', 'b', 'c'
rules = [
   (('iadd', a, 0), a),
   (('isub', a, b), ('isub', b, a)),
   (('fadd@32', a, 0.0), a, 'options->has_x'),
   (('~fadd@32', a, ('fadd', b, c)), ('fadd', ('fadd', a, b), c)),
]
nir_algebraic.AlgebraicPass("pass", rules)
"""
# No solver decides the first rule within a minute.
SLOW_RULES = RULES.replace("rules = [", "rules = [\n   %s," % serving.HARD_RULE)


def write(name, text):
    os.makedirs(os.path.dirname(path_of(name)), exist_ok=True)
    with open(path_of(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path_of(name)


class Folder:
    """Acts as the test whose folder small_tree uses."""

    def __init__(self, name):
        self.name = name

    def path(self, name):
        return path_of(self.name + "/" + name)

    def write(self, name, text):
        return write(self.name + "/" + name, text)


def make_tree(name, rules):
    """Writes a tree with a rule file. Returns the path of its src/compiler/nir."""
    return small_tree.write(Folder(name), rules)


def prepare(maker, packs_maker, program):
    """Creates all data of the tests, and points the library at the program."""
    serving.Server.program = program
    serving.make_database(maker)
    serving.make_certificates()
    serving.make_tokens()
    environment = dict(os.environ, REWROUGHT_STATE_DIR=path_of("state"))
    subprocess.run([packs_maker, path_of("packs")], check=True, env=environment)
    os.rename(path_of("packs.db"), path_of("proved.db"))
    os.makedirs(path_of("audits"))
    # Audits store their verdicts below this folder.
    os.environ.update(REWROUGHT=program, XDG_DATA_HOME=path_of("data"), PYTHONPATH=LIBRARY, PYTHONDONTWRITEBYTECODE="1",
                      REWROUGHT_STATE_DIR=path_of("state"), TMPDIR=path_of("tmp"))
    os.makedirs(path_of("tmp"))
    audited = subprocess.run([program, "audit", make_tree("audited", RULES), "--json", "--suggest-fixes"],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    with open(path_of("audits/tree.jsonl"), "wb") as file:
        file.write(audited.stdout)


def copy_packs():
    """Returns a folder with a copy of the packs, in which packs may be built."""
    copy_packs.count = getattr(copy_packs, "count", 0) + 1
    folder = path_of("packs%d" % copy_packs.count)
    shutil.copytree(path_of("packs"), folder)
    return folder


def make_server(*arguments, made="made.db"):
    """Starts a server with tokens, packs, and an audit, as administrators do."""
    server = serving.Server("--tokens", path_of("tokens"), "--anonymous", "none", "--packs", copy_packs(), "--audits",
                            path_of("audits"), *arguments, made=made)
    assert server.port, server.said()
    server.http = "127.0.0.1:%d" % server.port
    return server


def main():
    """The entry point of a test file."""
    global MAKE_DATABASE  # pylint: disable=global-statement
    programs = [os.path.abspath(sys.argv.pop(1)) for _ in range(3)]
    MAKE_DATABASE = programs[0]
    prepare(*programs)
    unittest.main(module="__main__")

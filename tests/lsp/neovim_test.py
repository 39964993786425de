"""Edits a rule file in neovim with the language server, and compares the session with neovim_session.txt.

usage: neovim_test.py REWROUGHT [--update FILE]      --update writes the session to FILE instead

Skips the test if neovim is not installed (tools/install_packages.sh --editors).
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("cli", "audit")] + [HERE]
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

SESSION = os.path.join(HERE, "neovim_session.txt")
UPDATE = None
RULES = '''import nir_algebraic

a, b = 'a', 'b'
rules = [
   (('iadd', a, 0), a),
   (('isub', a, b), ('isub', b, a)),
]
nir_algebraic.AlgebraicPass("pass", rules)
'''


class NeovimTest(command_line.CommandLineTest):
    def test_session(self):
        neovim = shutil.which("nvim")
        if neovim is None:
            self.skipTest("neovim is not installed; run tools/install_packages.sh --editors")
        file = os.path.join(small_tree.write(self, RULES), "nir_opt_algebraic.py")
        environment = dict(os.environ, REWROUGHT=os.path.abspath(command_line.BINARY), VERDICTS=self.path("verdicts"),
                           FILE=file, HOME=self.folder, XDG_STATE_HOME=self.folder, XDG_CACHE_HOME=self.folder)
        done = subprocess.run([neovim, "--headless", "-u", "NONE", "-n", "-S", os.path.join(HERE, "neovim_session.lua")],
                              env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=280, check=False)
        session = done.stdout.decode()
        self.assertEqual(done.returncode, 0, session + done.stderr.decode()[-2000:])
        if UPDATE is not None:
            with open(UPDATE, "w", encoding="utf-8") as golden:
                golden.write(session)
            return
        with open(SESSION, encoding="utf-8") as golden:
            self.assertEqual(session, golden.read())


if __name__ == "__main__":
    if "--update" in sys.argv:
        at = sys.argv.index("--update")
        UPDATE = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    command_line.main()

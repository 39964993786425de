"""Tests the language server with a client that behaves like an editor.

usage: lsp_test.py REWROUGHT
"""
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("cli", "audit")] + [HERE]
import command_line  # noqa: E402 pylint: disable=wrong-import-position
import lsp_client  # noqa: E402 pylint: disable=wrong-import-position
import small_tree  # noqa: E402 pylint: disable=wrong-import-position

RULES = '''import nir_algebraic

a, b, c = 'a', 'b', 'c'
rules = [
   (('iadd', a, 0), a),
   (('isub', a, b), ('isub', b, a)),
   (('fadd@32', a, 0.0), a, 'options->has_x'),
   (('iadd', 'a@32', 0), a),
]
for size in [8, 16, 32]:
   rules += [(('ishl@%d' % size, a, 1), a), (('iadd@%d' % size, a, a), ('ishl', a, 1))]
nir_algebraic.AlgebraicPass("pass", rules)
'''
FIRST, WRONG, FLOAT, SHADOWED, LOOP = 4, 5, 6, 7, 10  # lines, from 0
# Deciding this rule takes far longer than the tests wait.
SLOW = "(('imul', ('imul', a, ('iadd', ('imul', b, b), a)), ('imul', b, c)), ('imul', ('imul', b, c), ('ixor', a, ('imul', b, b)))),"
SLOW_FLOAT = "(('fadd@64', ('fmul', ('fadd', a, b), c), ('fdiv', a, b)), ('fadd@64', ('fdiv', a, b), ('fmul', c, ('fadd', ('fadd', b, a), 0.0)))),"


def with_line(text, line, rule):
    lines = text.split("\n")
    return "\n".join(lines[:line] + ["   " + rule] + lines[line:])


def at_line(diagnostics, line):
    return [one for one in diagnostics if one["range"]["start"]["line"] == line]


class LspTest(command_line.CommandLineTest):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(small_tree.write(self, RULES), "nir_opt_algebraic.py")

    def client(self, *arguments, **options):
        client = lsp_client.Client(
            command_line.command("lsp", "--verdicts", self.path("verdicts"), *arguments), **options)
        self.addCleanup(client.stop)
        return client

    def open(self, client, text=RULES):
        client.open(self.file, text)
        client.wait_for_line(self.file, SHADOWED, "shadowed")
        return client.wait_for(self.file, lambda all_of: at_line(all_of, LOOP) and at_line(all_of, FLOAT))[1]

    def test_verdicts_of_an_opened_file(self):
        client = self.client()
        diagnostics = self.open(client)
        self.assertEqual(at_line(diagnostics, FIRST), [], "rules that hold are not reported")
        wrong = at_line(diagnostics, WRONG)[0]
        self.assertEqual((wrong["severity"], wrong["code"], wrong["source"]), (1, "refuted", "rewrought"))
        self.assertIn("counterexample at 32 bits", wrong["message"])
        self.assertIn("replace gives 0x", wrong["message"])
        self.assertEqual(wrong["range"], {"start": {"line": WRONG, "character": 3}, "end": {"line": WRONG, "character": 35}})
        shadowed = [one for one in at_line(diagnostics, SHADOWED) if one["code"] == "shadowed"][0]
        self.assertEqual((shadowed["severity"], shadowed["tags"]), (4, [1]))
        self.assertIn("line 5", shadowed["message"])
        _, loop = client.wait_for_line(self.file, LOOP, "refuted")
        self.assertIn("('ishl@8', 'a', 1)", loop["message"])
        client.wait(lambda: "2 more rules on this line are refuted" in
                    [one for one in at_line(client.diagnostics[lsp_client.uri_of(self.file)][1]["diagnostics"], LOOP)][0]["message"])
        self.assertEqual(client.close(), 0)

    def test_a_typed_rule(self):
        client = self.client("--machine", "ir3_a6xx")
        self.open(client)
        client.change(self.file, with_line(RULES, FIRST, "(('imul@32', a, 2), ('ishl', a, 1)),"))
        _, proved = client.wait_for_line(self.file, FIRST, "proved")
        self.assertEqual((proved["severity"], proved["message"]), (4, "proved at 32 bits"))
        hover = client.request("textDocument/hover", client.at(self.file, FIRST, 10))
        self.assertIn("**proved at 32 bits**", hover["contents"]["value"])
        self.assertIn("cycles on ir3_a6xx at 32 bits: search ", hover["contents"]["value"])
        client.change(self.file, with_line(RULES, FIRST, "(('imul', a, 2), ('ishl', a, 2)),"))
        _, refuted = client.wait_for_line(self.file, FIRST, "refuted")
        self.assertIn("search allows 0x", refuted["message"])
        client.change(self.file, RULES)
        client.wait_for(self.file, lambda all_of: not at_line(all_of, FIRST))

    def test_verdicts_are_stored_and_shared_with_the_audit(self):
        self.open(self.client())
        result = self.run_it("audit", os.path.dirname(self.file), "--verdicts", self.path("verdicts"))
        self.assertIn(" 0 verified and ", result.err)

    def test_code_actions(self):
        client = self.client()
        self.open(client)
        fix = client.actions(self.file, FLOAT)[0]
        self.assertTrue(fix["title"].startswith("Correct the rule: (('"), fix["title"])
        changed = self.apply(RULES, fix["edit"])
        self.assertIn("'options->has_x'),", changed.split("\n")[FLOAT])
        client.change(self.file, changed)
        client.wait_for_line(self.file, FLOAT, "proved")
        removal = [one for one in client.actions(self.file, SHADOWED) if "Remove" in one["title"]]
        if not removal:  # the shadows of the new text are found a moment later
            client.wait_for_line(self.file, SHADOWED, "shadowed")
            removal = [one for one in client.actions(self.file, SHADOWED) if "Remove" in one["title"]]
        self.assertEqual(self.apply(changed, removal[0]["edit"]).split("\n")[SHADOWED], "]")
        self.assertEqual(client.actions(self.file, LOOP), [], "the rules of a loop have no text of their own")

    def test_tilde_actions(self):
        exact, loose = "(('~fmul', ('fneg', a), ('fneg', b)), ('fmul', a, b)),", "(('~fadd', a, 0.0), a),"
        client = self.client()
        text = with_line(with_line(RULES, FIRST, exact), FIRST + 1, loose)
        client.open(self.file, text)
        client.wait_for_line(self.file, FIRST + 1 + WRONG - FIRST + 1, "refuted")
        removal = [one for one in client.actions(self.file, FIRST) if one["title"].startswith("Remove ~")][0]
        self.assertIn("   (('fmul', ('fneg', a), ('fneg', b)), ('fmul', a, b)),", self.apply(text, removal["edit"]))
        weakest = [one for one in client.actions(self.file, FIRST + 1) if one["title"].startswith("Replace ~ with")][0]
        changed = self.apply(text, weakest["edit"])
        self.assertNotIn("~fadd", changed)
        client.change(self.file, changed)
        client.wait_for_line(self.file, FIRST + 1, "proved")

    def test_generalize(self):
        client = self.client()
        text = with_line(RULES, FIRST, "(('iand@32', a, ('inot', a)), 0),")
        client.open(self.file, text)
        client.wait_for_line(self.file, WRONG + 1, "refuted")
        client.wait(lambda: os.path.getsize(self.path("verdicts")) > 0)
        action = self.wait_for_action(client, FIRST, "Generalize")
        client.request("workspace/executeCommand", action["command"])
        edit = client.wait(lambda: client.requests and client.requests.popleft())
        self.assertEqual(edit["method"], "workspace/applyEdit")
        self.assertIn("   (('iand', a, ('inot', a)), 0),", self.apply(text, edit["params"]["edit"]))

    def wait_for_action(self, client, line, title):
        """Returns the first code action with this title, once the rule has been verified."""
        for _ in range(100):
            found = [one for one in client.actions(self.file, line) if one["title"].startswith(title)]
            if found:
                return found[0]
            time.sleep(0.05)
        self.fail("no action " + title)

    @staticmethod
    def apply(text, edit):
        (changes,) = edit["changes"].values()
        lines = text.split("\n")
        for change in changes:
            start, end = (change["range"][side] for side in ("start", "end"))
            before = "\n".join(lines[:start["line"]] + [lines[start["line"]][:start["character"]]])
            after = "\n".join([lines[end["line"]][end["character"]:]] + lines[end["line"] + 1:])
            text = before + change["newText"] + after
        return text

    def test_code_lenses(self):
        os.makedirs(self.path("shaders"))
        for name, code in [("one", "a - b"), ("two", "(a - b) * (a - 3)")]:
            self.write("shaders/%s.frag" % name, "#version 450\nlayout(location = 0) flat in int a;\n"
                       "layout(location = 1) flat in int b;\nlayout(location = 0) out int c;\n"
                       "void main() { c = %s; }\n" % code)
        database = self.path("rules.db")
        self.assertEqual(self.run_it("harvest", self.path("shaders"), "--db", database, "--source", "some").code, 0)
        client = self.client("--db", database)
        self.open(client)
        lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": lsp_client.uri_of(self.file)}})
        of_wrong = [lens for lens in lenses if lens["range"]["start"]["line"] == WRONG]
        self.assertEqual(len(of_wrong), 1)
        self.assertNotIn(LOOP, [lens["range"]["start"]["line"] for lens in lenses])
        resolved = client.request("codeLens/resolve", of_wrong[0])
        self.assertEqual(resolved["command"]["title"], "3 sites in 2 shaders of 1 source")

    def test_slow_rules_do_not_delay_the_typed_rule(self):
        client = self.client("--jobs", "1")
        self.open(client)
        client.change(self.file, with_line(with_line(RULES, FIRST, SLOW), FIRST, SLOW_FLOAT))
        time.sleep(0.5)
        start = time.monotonic()
        client.change(self.file, with_line(with_line(with_line(RULES, FIRST, SLOW), FIRST, SLOW_FLOAT), FIRST, "(('ior', a, a), a),"))
        arrived, _ = client.wait_for_line(self.file, FIRST, "proved")
        self.assertLess(arrived - start, 3)
        client.change(self.file, RULES)
        client.wait_for(self.file, lambda all_of: not at_line(all_of, FIRST))
        self.assertEqual(client.close(), 0, "the server stops the solvers of rules that no longer exist")

    def test_canceled_requests(self):
        client = self.client("--jobs", "1")
        self.open(client)
        number = client.start("textDocument/codeAction", {
            "textDocument": {"uri": lsp_client.uri_of(self.file)}, "context": {"diagnostics": []},
            "range": {"start": {"line": WRONG, "character": 4}, "end": {"line": WRONG, "character": 4}}})
        client.notify("$/cancelRequest", {"id": number})
        reply = client.reply(number)
        self.assertTrue("result" in reply or reply["error"]["code"] == -32800, reply)
        client.notify("$/cancelRequest", {"id": number})
        self.assertEqual(client.close(), 0)

    def test_files_that_python_cannot_read(self):
        client = self.client()
        client.open(self.file, RULES.replace("(('iadd', a, 0), a),", "(('iadd', a, 0), a"))
        _, problem = client.wait_for(self.file, lambda all_of: [one for one in all_of if one["code"] == "unreadable"])
        self.assertIn("SyntaxError", problem[0]["message"])
        client.change(self.file, RULES)
        diagnostics = client.wait_for(self.file, lambda all_of: at_line(all_of, WRONG))[1]
        self.assertEqual([one for one in diagnostics if one["code"] == "unreadable"], [])

    def test_no_python(self):
        client = self.client("--no-python")
        client.open(self.file, "open('%s', 'w')\n" % self.path("executed") + RULES)
        _, problem = client.wait_for(self.file, lambda all_of: all_of)
        self.assertIn("--no-python", problem[0]["message"])
        client.close()
        self.assertFalse(os.path.exists(self.path("executed")))

    def test_files_of_rules_and_characters_beyond_ascii(self):
        client = self.client("--dialect", "nir-26")
        path = self.path("some.rules")
        client.open(path, "# \U0001f600\n(('isub', a, b), ('isub', b, a))  # \u00e9\n(('iad', a, b), a)\n")
        _, diagnostics = client.wait_for(path, lambda all_of: len(all_of) == 2)
        self.assertEqual([one["code"] for one in diagnostics], ["refuted", "unreadable"])
        self.assertIn("iadd", diagnostics[1]["message"], "a similar op is suggested")
        self.assertEqual(diagnostics[1]["range"]["start"], {"line": 2, "character": 3})

    def test_bad_messages(self):
        client = self.client()
        for method, params in [("no/such", {}), ("textDocument/hover", {"textDocument": 5}), ("workspace/executeCommand", {})]:
            reply = client.reply(client.start(method, params))
            self.assertIn(reply["error"]["code"], (-32601, -32602))
        client.notify("textDocument/didChange", {"textDocument": {"uri": "file:///nowhere", "version": 2}, "contentChanges": [{"text": ""}]})
        client.notify("textDocument/didOpen", {"textDocument": {"uri": 7}})
        self.assertEqual(client.close(), 0)
        result = self.run_it("lsp", "--verdicts", self.path("v"), stdin="Content-Length: 5\r\n\r\nhello")
        self.assertEqual(result.code, 2)
        self.assertIn("not a JSON object", result.err)
        self.assertEqual(self.run_it("lsp", "--verdicts", self.path("v"), stdin="").code, 1)

    def test_ctrl_c(self):
        client = self.client()
        self.open(client)
        client.process.terminate()
        self.assertEqual(client.process.wait(20), 130)
        self.assertEqual(subprocess.run(["pgrep", "-P", str(client.process.pid)], stdout=subprocess.PIPE, check=False).stdout, b"")


if __name__ == "__main__":
    command_line.main()

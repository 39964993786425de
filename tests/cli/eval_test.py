"""Tests the contracts of `rewrought eval`, `ops`, and `machines`.

usage: eval_test.py REWROUGHT
"""
import json
import struct
import unittest

import command_line


def bits(number):
    return "0x%08x" % struct.unpack("<I", struct.pack("<f", number))[0]


class EvalTest(command_line.CommandLineTest):
    def answer(self, term, vectors, *arguments):
        text = "".join(json.dumps(vector) + "\n" for vector in vectors)
        result = self.run_it("eval", term, "--vectors", "-", "--json", *arguments, stdin=text)
        self.assertEqual(result.code, 0, result.err)
        return result.objects()

    def one(self, term, vector, *arguments):
        return self.answer(term, [vector], *arguments)[0]

    def test_one_answer_per_vector_in_order(self):
        vectors = [{"a": bits(x), "b": bits(y)} for x, y in ((1, 2), (-0.0, 0.0), (0.1, 0.2), (3e38, 3e38))]
        self.assertEqual(self.answer("('fadd', a, b)", vectors),
                         [{"allowed": [bits(3)]}, {"allowed": [bits(0)]}, {"allowed": ["0x3e99999a"]}, {"allowed": ["0x7f800000"]}])

    def test_dialects(self):
        zero, one = {"a": "0x80000000"}, {"a": "0x80000000", "b": "0xffffffff"}
        # Mesa 26 defines the sign of fsat(-0) and the result of INT_MIN / -1, and ignores nsz on ops that cannot carry
        # it.
        self.assertEqual(self.one("('fsat', a)", zero, "--dialect", "nir-26"), {"allowed": ["0x00000000"]})
        self.assertEqual(self.one("('fsat', a)", zero, "--dialect", "nir-25"), {"allowed": ["0x00000000", "0x80000000"]})
        self.assertEqual(self.one("('idiv', a, b)", one), {"allowed": ["0x00000000"]})
        self.assertEqual(self.one("('bcsel(nsz)', True, a, 0.0)", zero), {"allowed": ["0x80000000"]})
        self.assertEqual(self.one("('fadd(nsz)', a, -0.0)", zero), {"allowed": ["0x00000000", "0x80000000"]})
        self.assertEqual(self.one("('fcanonicalize', a)", {"a": "0x00000001"}, "--mode", "flush"), {"allowed": ["0x00000000"]})
        self.assert_refused(self.run_it("eval", "('fcanonicalize', a)", "--vectors", "-", "--dialect", "nir-25", stdin="{}"),
                            "fcanonicalize")
        self.assert_refused(self.run_it("eval", "[ADD(r(F), a(F), b(F))]", "--vectors", "-", "--machine", "intel_gen9",
                                        "--dialect", "nir-26", stdin="{}"), "only in dialect nir-25")

    def test_vectors_from_a_file(self):
        path = self.write("v.jsonl", '{"a":"0x3f800000"}\n\n  {"a":"0x40000000"}\r\n')
        result = self.run_it("eval", "('fmul', a, a)", "--vectors", path, "--json")
        self.assertEqual(result.out, '{"allowed":["0x3f800000"]}\n{"allowed":["0x40800000"]}\n')

    def test_any_nan(self):
        self.assertEqual(self.one("('fadd', a, b)", {"a": "0x7f800000", "b": "0xff800000"}), {"allowed": "nan"})
        self.assertEqual(self.one("('fsqrt', a)", {"a": "0xbf800000"}), {"allowed": "nan"})
        # mov copies the bits; its result is not an arbitrary NaN.
        self.assertEqual(self.one("('mov', a)", {"a": "0x7fc12345"}), {"allowed": ["0x7fc12345"]})

    def test_any_value(self):
        self.assertEqual(self.one("('f2i32', a)", {"a": "0x7f800000"}), {"allowed": "any"})
        overflow = {"a": "0x80000000", "b": "0xffffffff"}
        self.assertEqual(self.one("('idiv', a, b)", overflow, "--dialect", "nir-25"), {"allowed": "any"})

    def test_many_values(self):
        # The result may be any NaN pattern plus one.
        answer = self.one("('iadd', ('fadd@32', a, 1.0), 1)", {"a": "0x7fc00000"})
        self.assertEqual(answer["allowed"], "many")
        self.assertEqual(set(answer), {"allowed", "includes"})
        self.assertTrue(answer["includes"])
        for value in answer["includes"]:
            nan = (int(value, 16) - 1) & 0x7fffffff
            self.assertGreater(nan, 0x7f800000, value)

    def test_modes(self):
        tiny = {"a": "0x00000001", "b": "0x80000000"}
        self.assertEqual(self.one("('fadd', a, b)", tiny), {"allowed": ["0x00000000", "0x00000001"]})
        self.assertEqual(self.one("('fadd', a, b)", tiny, "--mode", "any"), {"allowed": ["0x00000000", "0x00000001"]})
        self.assertEqual(self.one("('fadd', a, b)", tiny, "--mode", "preserve"), {"allowed": ["0x00000001"]})
        self.assertEqual(self.one("('fadd', a, b)", tiny, "--mode", "flush"), {"allowed": ["0x00000000"]})
        # In mode any, each use of a source may be flushed independently. In mode flush of nir-25, fneg may or may not
        # flush.
        self.assertEqual(self.one("('fadd', ('fmul', a, 2.0), ('fmul', a, 4.0))", {"a": "0x00000001"}),
                         {"allowed": ["0x00000000", "0x00000002", "0x00000004", "0x00000006"]})
        flush = {"a": "0x00000001"}, "--mode", "flush"
        self.assertEqual(self.one("('fneg', a)", *flush), {"allowed": ["0x80000000"]})
        self.assertEqual(self.one("('fneg', a)", *flush, "--dialect", "nir-25"), {"allowed": ["0x80000000", "0x80000001"]})

    def test_free_signs_of_zero_and_flags(self):
        self.assertEqual(self.one("('fadd(nsz)', a, a)", {"a": "0x80000000"}), {"allowed": ["0x00000000", "0x80000000"]})
        self.assertEqual(self.one("('fadd(nnan)', a, a)", {"a": "0x7fc00000"}), {"allowed": "any"})
        self.assertEqual(self.one("('fadd(ninf)', a, 1.0)", {"a": "0x7f800000"}), {"allowed": "any"})

    def test_sizes_are_those_of_the_hex(self):
        self.assertEqual(self.one("('iadd', a, b)", {"a": "0xff", "b": "0x01"}), {"allowed": ["0x00"]})
        self.assertEqual(self.one("('iadd', a, b)", {"a": "0xffff", "b": "0x0001"}), {"allowed": ["0x0000"]})
        self.assertEqual(self.one("('iadd', a, b)", {"a": "0x" + "f" * 16, "b": "0x0000000000000001"}), {"allowed": ["0x" + "0" * 16]})
        self.assertEqual(self.one("('inot', a)", {"a": "0x1"}), {"allowed": ["0x0"]})
        self.assertEqual(self.one("('fadd', a, a)", {"a": "0x3c00"}), {"allowed": ["0x4000"]})
        self.assertEqual(self.one("('fadd', a, a)", {"a": "0x3ff0000000000000"}), {"allowed": ["0x4000000000000000"]})
        self.assertEqual(self.one("('flt', a, b)", {"a": bits(1), "b": bits(2)}), {"allowed": ["0x1"]})

    def test_programs(self):
        vector = {"a": bits(3), "b": bits(2.5)}
        self.assertEqual(self.one("[ADD(r(F), a(F), -b(F)).sat()]", vector, "--machine", "intel_gen9"), {"allowed": [bits(0.5)]})
        self.assertEqual(self.one("[fadd(r(F), a(F), b(F)).sat()]", vector, "--machine", "agx_g13"), {"allowed": [bits(1)]})
        self.assertEqual(self.one("[MUL(t(F), a(F), imm(2.0, F)), ADD(r(F), t(F), b(F))]", vector, "--machine", "intel_gen9"),
                         {"allowed": [bits(8.5)]})
        illegal = self.run_it("eval", "[ADD(r(F), imm(2.0, F), a(F))]", "--machine", "intel_gen9", "--vectors", "-", stdin='{"a":"0x3f800000"}')
        self.assert_refused(illegal, "rule 'immediate place'")

    def test_bad_vectors_name_their_line(self):
        good = '{"a":"0x3f800000"}\n'
        for bad, word in (("[1]", "JSON object"), ('{"a":"0x3f80', "JSON object"), ('{"a":1}', "'a'"), ('{"a":"3f800000"}', "'a'"),
                          ('{"a":"0xgg"}', "'a'"), ('{"a":"0x' + "0" * 17 + '"}', "'a'"),
                          ("\xff\xfe", "JSON object")):
            result = self.run_it("eval", "('fadd', a, a)", "--vectors", "-", "--json", stdin=good + bad + "\n")
            self.assertEqual(result.code, 2, bad)
            self.assertIn("-:2:", result.err)
            self.assertIn(word, result.err)
            # The answers before the bad line are printed.
            self.assertEqual(result.out, '{"allowed":["0x40000000"]}\n')
        missing = self.run_it("eval", "('fadd', a, b)", "--vectors", "-", "--json", stdin=good)
        self.assert_refused(missing, "-:1:", "no value for 'b'")

    def test_bad_terms(self):
        for term, words in (("('fadd', a", ("line 1, column 11", "')'")), ("('fnope', a)", ("column 3", "fnope", "rewrought ops")),
                            ("", ()), ("(('fadd', a, a), a)", ("column 2",))):
            self.assert_refused(self.run_it("eval", term, "--vectors", "-", stdin='{"a":"0x3f800000"}'), *words)
        self.assert_refused(self.run_it("eval", "('fadd', a, a)", "--mode", "ftz", "--vectors", "-"), "ftz", "any, preserve, flush")
        self.assert_refused(self.run_it("eval", "('fadd', a, a)", "--vectors", self.path("none")), "none", "No such file")


class TablesTest(command_line.CommandLineTest):
    def test_ops(self):
        result = self.run_it("ops", "--json")
        self.assertEqual(result.code, 0)
        ops = {op["name"]: op for op in result.objects()}
        self.assertGreaterEqual(len(ops), 300)
        for op in ops.values():
            for key in ("name", "types", "widths", "properties", "source"):
                self.assertIn(key, op)
            self.assertNotEqual(op["source"], "", op["name"])
        self.assertEqual(list(ops), sorted(ops))
        self.assertEqual((ops["fadd"]["types"], ops["fadd"]["widths"]), (["float", "float"], [16, 32, 64]))
        self.assertEqual(ops["iadd"]["widths"], [1, 8, 16, 32, 64])
        self.assertIn("commutative", ops["fmul"]["properties"])
        self.assertNotIn("commutative", ops["fsub"]["properties"])
        self.assertIn("approximate", ops["frcp"]["properties"])
        self.assertEqual(len(self.run_it("ops").out.splitlines()), len(ops))

    def test_machines(self):
        machines = {machine["id"]: machine for machine in self.run_it("machines", "--json").objects()}
        for name in ("intel_gen9", "agx_g13"):
            self.assertIn(name, machines)
        for machine in machines.values():
            for key in ("instructions", "modifiers", "deviations", "sources"):
                self.assertIsInstance(machine[key], list)
                self.assertTrue(machine[key] or key == "deviations", (machine["id"], key))
            for deviation in machine["deviations"]:
                for key in ("op", "witness", "source"):
                    self.assertNotEqual(deviation[key], "", machine["id"])
            for row in machine["sources"]:
                self.assertNotEqual(row["latency_from"]["text"], "", (machine["id"], row))
        self.assertEqual(len(self.run_it("machines").out.splitlines()), len(machines))

    def test_every_command_has_help_with_examples(self):
        overview = self.run_it("--help")
        self.assertEqual(overview.code, 0)
        for name in ("check", "eval", "ops", "machines", "harvest"):
            self.assertIn(name, overview.out)
        # Take the list of commands from the overview itself.
        listed = overview.out.split("Exit codes")[0]
        names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2].isalpha()]
        self.assertGreaterEqual(len(names), 5)
        for name in names:
            with self.subTest(name):
                result = self.run_it(name, "--help")
                self.assertEqual(result.code, 0)
                self.assertIn("Example", result.out)
                self.assertIn("rewrought " + name, result.out.split("Example")[1])
                if name in ("check", "eval", "improve", "ops", "machines", "harvest", "discover", "enumerate", "rank", "audit", "select"):
                    self.assertIn("--json", result.out)

    def test_wrong_use(self):
        for arguments in ((), ("chek",), ("check",), ("check", "-", "--nope"), ("eval", "a"), ("harvest",), ("ops", "extra")):
            self.assert_refused(self.run_it(*arguments), "help")
        self.assert_refused(self.run_it("check", "a", "b"), "a: cannot be read")


if __name__ == "__main__":
    command_line.main()

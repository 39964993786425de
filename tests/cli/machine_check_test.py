"""Tests `rewrought check --machine` on correct, wrong and illegal programs: the verdict, or the violated ISA rule.

usage: machine_check_test.py REWROUGHT
"""
import unittest

import command_line

# Each row contains a search side, a program, and the expected verdict.
INTEL = (
    ("('fsat', ('fadd', 'a', ('fneg', 'b')))", "[ADD(r(F), a(F), -b(F)).sat()]", "proved"),
    ("('fsat', ('fadd', 'a', ('fneg', 'b')))", "[ADD(r(F), a(F), b(F)).sat()]", "refuted"),
    ("('fadd', 'a', ('fneg', ('fabs', 'b')))", "[ADD(r(F), a(F), -abs(b(F)))]", "proved"),
    ("('fadd', 'a', 0.5)", "[ADD(r(F), a(F), imm(0.5, F))]", "proved"),
    ("('ineg', ('iadd', 'a@32', 'b'))", "[ADD(t(D), a(D), b(D)), MOV(r(D), -t(D))]", "proved"),
    ("('iand@32', ('inot', 'a'), 'b')", "[AND(r(UD), ~a(UD), b(UD))]", "proved"),
    ("('iand@32', ('inot', 'a'), 'b')", "[AND(r(UD), a(UD), ~b(UD))]", "refuted"),
    ("('iadd_sat@32', 'a', 'b')", "[ADD(r(D), a(D), b(D)).sat()]", "proved"),
)
AGX = (
    ("('fsat', ('fadd', 'a', ('fneg', 'b')))", "[fadd(r(F), a(F), -b(F)).sat()]", "proved"),
    ("('fmul', 'a', ('fneg', ('fabs', 'b')))", "[fmul(r(F), a(F), -abs(b(F)))]", "proved"),
    ("('ixor@32', 'a', 'b')", "[bitop(r(UD), a(UD), b(UD)).table(XOR)]", "proved"),
    ("('ixor@32', 'a', 'b')", "[bitop(r(UD), a(UD), b(UD)).table(OR)]", "refuted"),
    ("('iadd@32', 'a', ('ishl', 'b', 4))", "[iadd(r(D), a(D), b(D)).shift(4)]", "proved"),
    ("('iadd@32', 'a', ('ishl', 'b', 3))", "[iadd(r(D), a(D), b(D)).shift(4)]", "refuted"),
    # fcmpsel's comparison may flush denormals that fmax must not flush, but the results are equal. The proof should
    # take about 0.4 s; otherwise, it times out.
    ("('fmax@32(nnan)', ('fmul', 'a', 'a'), 'b')", "[fmul(t(F), a(F), a(F)), fcmpsel(r(UD), t(F), b(F), b(UD), t(UD)).cond(LT)]", "proved"),
    ("('fmax@32(nnan)', ('fmul', 'a', 'a'), 'b')", "[fmul(t(F), a(F), a(F)), fcmpsel(r(UD), t(F), b(F), t(UD), b(UD)).cond(LT)]", "refuted"),
)

# This program computes the sign of a 64-bit float; after the MOV, it has to write only the upper half of the result.
# For a NaN, it returns 1 or -1. NIR's fsign permits this (docs/float_contract.md, 2), but ZERO_OF_NAN, which tests for
# NaN, requires 0.
SIGN = ("[TempReg('t', DF), MOV(t(DF), imm(0.0, DF)), CMP(null(DF), a(DF), t(DF)).cmod(NZ), MOV(r(DF), t(DF)), "
        "AND(r(UD).subscript(1), a(UD).subscript(1), imm(0x80000000, UD)), "
        "OR(r(UD).subscript(1), r(UD).subscript(1), imm(0x3ff00000, UD)).predicate(NORMAL)]")
ZERO_OF_NAN = "('bcsel', ('feq', 'a@64', 'a'), ('fsign', 'a'), 0.0)"
SIGN_OF_NUMBERS = "('bcsel', ('feq', 'a@64(is_a_number)', 'a'), ('fsign', 'a'), 0.0)"
DIFFERENCE = "('fadd(nsz)', ('b2f64', ('flt', 0.0, 'a@64')), ('fneg', ('b2f64', ('flt', 'a', 0.0))))"
SIGN_64 = (
    ("('fsign', 'a@64')", SIGN, "proved"),
    ("('fsign(nnan)', 'a@64')", SIGN, "proved"),
    (ZERO_OF_NAN, SIGN, "refuted"),
    (SIGN_OF_NUMBERS, SIGN, "proved"),
    (DIFFERENCE, SIGN, "refuted"),
    (DIFFERENCE.replace("'flt'", "'flt(nnan)'"), SIGN, "refuted"),
    (DIFFERENCE.replace("'a@64'", "'a@64(is_a_number)'"), SIGN, "proved"),
    # These programs use the other half of a register, another condition or predicate, or a 1 of another size.
    (SIGN_OF_NUMBERS, SIGN.replace("a(UD).subscript(1)", "a(UD).subscript(0)"), "refuted"),
    (SIGN_OF_NUMBERS, SIGN.replace("cmod(NZ)", "cmod(G)"), "refuted"),
    (SIGN_OF_NUMBERS, SIGN.replace("NORMAL", "INVERT"), "refuted"),
    (SIGN_OF_NUMBERS, SIGN.replace("0x3ff00000", "0x3f800000"), "refuted"),
    (SIGN_OF_NUMBERS, SIGN.replace(", MOV(r(DF), t(DF))", ", MOV(r(DF), a(DF))"), "refuted"),
)

# RECIP and RECIPSQRT are less precise than frcp and frsq, so they are different functions. The driver builds frcp and
# frsq from them.
VC4 = (
    ("('frcp@32', 'a')", "[RECIP(r(F), a(F))]", "unknown"),
    ("('frsq@32', 'a')", "[RECIPSQRT(r(F), a(F))]", "unknown"),
    ("('fexp2@32', 'a')", "[EXP(r(F), a(F))]", "proved"),
    ("('fmul@32', 'a', 'b')", "[FMUL(r(F), a(F), b(F))]", "proved"),
    ("('fmul@32', 'a', 'b')", "[FADD(r(F), a(F), b(F))]", "refuted"),
)

# On machines with components, an instruction without a mask applies to each component, and one with a mask only to the
# components that the mask names.
I915 = (
    ("('fsat', ('fadd', 'a', ('fneg', 'b')))", "[ADD(r(F), a(F), -b(F)).sat()]", "proved"),
    ("('fadd@32x2', 'a@32x2', 'b@32x2')", "[ADD(r(F).mask(x), a(F), b(F)), ADD(r(F).mask(y), a(F), b(F))]", "proved"),
    ("('fadd@32x2', 'a@32x2', 'b@32x2')", "[ADD(r(F).mask(xy), a(F), b(F).swizzle(yx))]", "refuted"),
    ("('fadd@32x2', 'a@32x2', ('fneg', 'b@32x2'))", "[ADD(r(F).mask(xy), a(F), b(F).swizzle(-x-y))]", "proved"),
    ("('fadd@32x2', 'a@32x2', ('fneg', 'b@32x2'))", "[ADD(r(F).mask(xy), a(F), b(F).swizzle(-xy))]", "refuted"),
    ("('fadd', 'a', 1.0)", "[ADD(r(F).mask(x), a(F), a(F).swizzle(1))]", "proved"),
)

# Each row contains a program, and the id of the violated rule, which the message must contain.
I915_ILLEGAL = (
    ("[ADD(r(F), abs(a(F)), b(F))]", "rule 'source modifiers'"),
    ("[ADD(r(F), a(F).uniform(), b(F).uniform())]", "rule 'one_constant_register'"),
    ("[ADD(r(F), a(F).uniform(), imm(3.5, F))]", "rule 'constant_and_literal'"),
    ("[ADD(r(F), a(F).swizzle(h), b(F))]", "rule 'swizzle'"),
    ("[ADD(r(F).mask(y), a(F), b(F))]", "rule 'result'"),
    ("[MUL(t(F).mask(x), a(F), b(F)), ADD(r(F), t(F), c(F))]", "rule 'definition'"),
    ("[MUL(r(F).mask(xy), a(F), b(F)), ADD(r(F).mask(yz), a(F), c(F))]", "rule 'definition'"),
    ("[ADD(r(F).swizzle(yx), a(F), b(F))]", "a destination has a mask"),
)
R300_ILLEGAL = (
    ("[MUL(r(F).mask(xyz), a(F).swizzle(yxz), b(F))]", "rule 'swizzle'"),
    ("[MUL(r(F).mask(xyz), a(F).swizzle(-xyz), b(F))]", "rule 'swizzle'"),
    ("[MAD(r(F), inverse(a(F)), inverse(b(F)), c(F))]", "rule 'one_presubtract'"),
    ("[MAD(r(F), inverse(a(F)), bias(a(F)), c(F))]", "rule 'one_kind_of_presubtract'"),
    ("[ADD(r(F), a(F), b(F)).sat().sat()]", "rule 'destination modifiers'"),
)
NV40_ILLEGAL = (
    ("[MAD(r(F), a(F), imm(2.0, F), imm(3.0, F))]", "rule 'one_constant'"),
    ("[MOV(null(F).mask(x), a(F)).cc(LT), MOV(r(F), b(F)), MOV(r(F), c(F)).predicate(NORMAL)]", "rule 'flags'"),
)
INTEL_ILLEGAL = (
    ("[ADD(r(F), imm(1.0, F), a(F))]", "rule 'immediate place'"),
    ("[MAD(r(F), a(F), b(F), imm(1.0, F))]", "rule 'immediate place'"),
    ("[ADD(r(F), a(F), -imm(1.0, F))]", "rule 'immediate_modifier'"),
    ("[AND(r(UD), abs(a(UD)), b(UD))]", "rule 'source modifiers'"),
    ("[BFE(r(D), -a(D), b(D), c(D))]", "rule 'source modifiers'"),
    ("[ADD(r(F), abs(-a(F)), b(F))]", "rule 'order of modifiers'"),
    ("[CSEL(r(F), a(F), b(F), c(F)).cmod(NZ).predicate(NORMAL)]", "rule 'predicate'"),
    ("[CSEL(r(D), a(D), b(D), c(D)).cmod(NZ)]", "rule 'operand types'"),
    ("[SEL(r(F), a(F), b(F))]", "rule 'mandatory field'"),
    ("[ADD(r(UD), -a(UD), b(UD)).cmod(Z)]", "rule 'negated_unsigned_flag'"),
    ("[ADD(t(F), a(F), b(F))]", "rule 'result'"),
    ("[MOV(t(UD), a(UD)), MOV(r(UW), t(UW))]", "rule 'size'"),
    ("[SEL(r(UD), a(UD), b(UD)).predicate(NORMAL)]", "rule 'flags'"),
    ("[FOO(r(F), a(F), b(F))]", "no instruction FOO"),
    ("[AND(r(UD), a(UD), b(UD)).sat()]", "has no .sat()"),
    ("[ADD(r(F), a(F), b(F)]", "expected"),
    ("[ADD(r(Z), a(F), b(F))]", "Z"),
)
AGX_ILLEGAL = (
    ("[fadd(r(F), a(F), imm(0.1, F))]", "rule 'immediate size'"),
    ("[fadd(r(F), abs(-a(F)), b(F))]", "rule 'order of modifiers'"),
    ("[bitop(r(UD), -a(UD), b(UD)).table(AND)]", "rule 'source modifiers'"),
    ("[bitop(r(UD), a(UD), b(UD))]", "rule 'mandatory field'"),
    ("[ADD(r(F), a(F), b(F))]", "no instruction ADD"),
)


class MachineCheckTest(command_line.CommandLineTest):
    def verify(self, machine, rows, width=32):
        text = "".join("(%s, %s)\n" % (search, program) for search, program, _ in rows)
        result = self.run_it("check", "-", "--json", "--machine", machine, "--timeout-ms", "60000", stdin=text, timeout=300)
        lines = result.objects()
        self.assertEqual(len(lines), len(rows), result.err)
        for line, (search, program, verdict) in zip(lines, rows):
            self.assertEqual(line["verdict"], verdict, (search, program, line))
            # A program has fixed sizes, so only the case of these sizes is verified.
            self.assertEqual(len(line["cases"]), 1, line)
            self.assertEqual(line["cases"][0]["width"], width)
            self.assertIn(program, line["rule"])
        self.assertEqual(result.code, 1)
        return lines

    def refuse(self, machine, rows):
        searches = "".join("(('fadd', 'a', ('fadd', 'b', 'c')), %s)\n" % program for program, _ in rows)
        result = self.run_it("check", "-", "--json", "--machine", machine, stdin=searches + "(('iadd', a, b), ('iadd', b, a))\n")
        self.assertEqual(result.code, 2)
        lines = result.objects()
        for line, (program, message) in zip(lines, rows):
            self.assertEqual(line["verdict"], "error", program)
            self.assertIn(message, line["error"]["message"], program)
            self.assertGreaterEqual(line["error"]["column"], 36)
        # The other rules are still verified, including rules without a program.
        self.assertEqual(lines[-1]["verdict"], "proved")

    def test_rdna_scales_results_where_denormals_are_flushed(self):
        rule = "(('fmul@32(nsz)', ('fadd', 'a', 'b'), 2.0), [v_add_f32(r(F), a(F), b(F)).mul2()])\n"
        strict = rule.replace("(nsz)", "")
        verdicts = {}
        for text in (rule, strict):
            result = self.run_it("check", "-", "--json", "--machine", "rdna", "--modes", "any,flush,preserve", stdin=text, timeout=300)
            verdicts[text] = {case["mode"]: case["verdict"] for case in result.objects()[0]["cases"]}
        self.assertEqual(verdicts[rule], {"any": "proved", "flush": "proved", "preserve": "refuted"})
        # The modifier mul2 is a legacy multiplication, which does not preserve the sign of zero.
        self.assertEqual(verdicts[strict], {"any": "refuted", "flush": "refuted", "preserve": "refuted"})

    def test_vc4(self):
        self.verify("vc4", VC4)

    def test_intel_gen9(self):
        self.verify("intel_gen9", INTEL)

    def test_the_sign_by_halves_needs_nnan_where_a_nan_gives_zero(self):
        for machine, rows in (("intel_gen8", SIGN_64[:4]), ("intel_gen9", SIGN_64)):
            lines = self.verify(machine, rows, 64)
            for line, (search, program, verdict) in zip(lines, rows):
                if search not in (ZERO_OF_NAN, DIFFERENCE):
                    continue
                witness = line["cases"][0]["witness"]
                exponent_and_fraction = int(witness["vars"]["a"], 16) & (2**63 - 1)
                self.assertGreater(exponent_and_fraction, 0x7ff << 52, line)  # a NaN
                self.assertEqual(int(witness["replace"], 16) & (2**63 - 1), 0x3ff << 52, line)  # 1 or -1
        self.refuse("intel_gen11", [(SIGN, "DF")])  # this machine has no doubles

    def test_the_sign_by_halves_in_every_mode(self):
        result = self.run_it("check", "-", "--json", "--confirm", "--machine", "intel_gen9", "--modes", "any,preserve,flush",
                             "--timeout-ms", "60000", stdin="(%s, %s)" % (SIGN_OF_NUMBERS, SIGN), timeout=300)
        cases = result.objects()[0]["cases"]
        self.assertEqual([(case["mode"], case["verdict"]) for case in cases],
                         [("any", "proved"), ("preserve", "proved"), ("flush", "proved")])
        for case in cases:
            self.assertTrue(case["confirmed_by"], case)  # by the second solver
        self.assertEqual(result.code, 0)

    def test_agx_g13(self):
        self.verify("agx_g13", AGX)

    def test_intel_gen9_illegal(self):
        self.refuse("intel_gen9", INTEL_ILLEGAL)

    def test_agx_g13_illegal(self):
        self.refuse("agx_g13", AGX_ILLEGAL)

    def test_i915(self):
        self.verify("i915", I915)

    def test_vector_machines_illegal(self):
        self.refuse("i915", I915_ILLEGAL)
        self.refuse("r300", R300_ILLEGAL)
        self.refuse("nv40", NV40_ILLEGAL)

    def test_every_mode(self):
        rule = "(('fsat', ('fadd', 'a', ('fneg', 'b'))), [ADD(r(F), a(F), -b(F)).sat()])"
        result = self.run_it("check", "-", "--json", "--machine", "intel_gen9", "--modes", "any,preserve,flush", "--timeout-ms", "60000", stdin=rule,
                             timeout=300)
        self.assertEqual([(case["mode"], case["verdict"]) for case in result.objects()[0]["cases"]],
                         [("any", "proved"), ("preserve", "proved"), ("flush", "proved")])
        self.assertEqual(result.code, 0)

    def test_a_program_needs_a_machine_that_exists(self):
        rule = "(('fadd', 'a', 'b'), [ADD(r(F), a(F), b(F))])"
        result = self.run_it("check", "-", "--json", stdin=rule)
        self.assertEqual(result.code, 2)
        self.assertIn("--machine", result.objects()[0]["error"]["message"])
        refused = self.run_it("check", "-", "--json", "--machine", "intel_gen99", stdin=rule)
        self.assert_refused(refused, "intel_gen99", "intel_gen9", "agx_g13")


if __name__ == "__main__":
    command_line.main()

// Float arithmetic and rounding. A compound op (fdot, flrp, fmod, ...) rounds each inner step but does not flush it,
// because the contract flushes only a node's sources and its result. The 64-bit fmod and frem use floor and trunc on
// doubles, whereas Mesa's folding uses the single-precision functions.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"
#include "ir/ops/wide_half.h"

namespace rewrought::ir::ops {
namespace {

// IEEE 754 binary interchange formats, for the integer meanings of ldexp and frexp.
struct Format {
  int width, exponent_bits, mantissa_bits;
};
constexpr Format kFormats[] = {{16, 5, 10}, {32, 8, 23}, {64, 11, 52}};

// Binds names for `body`: `sign` is a's sign bit in its original position, `magnitude` is the remaining bits, and
// `exponent` is 64 bits wide. For every finite nonzero a, a = +-(1 + mantissa / 2^mantissa_bits) * 2^(exponent - bias).
std::string Decomposed(const Format& format, const std::string& body) {
  const uint64_t one = uint64_t{1} << format.mantissa_bits;
  return absl::StrCat("(let sign (and a (signbit)) (let magnitude (fabs a) (let denormal (ult magnitude ", one, ") ",
                      "(let up (sub (clz magnitude) ", format.exponent_bits, ") ",
                      "(let mantissa (and (ite denormal (shl magnitude up) magnitude) ", one - 1, ") ",
                      "(let exponent (ite denormal (sub 1 (resize 64 up)) (zext 64 (lshr magnitude ",
                      format.mantissa_bits, "))) ", body, "))))))");
}

template <typename BodyOfFormat>
std::string ByFormat(BodyOfFormat body) {
  std::string text = "(by_width";
  for (const Format& format : kFormats)
    absl::StrAppend(&text, " (", format.width, " ", Decomposed(format, body(format)), ")");
  return absl::StrCat(text, ")");
}

// Returns the condition under which the scaled value is just below the smallest normal and rounds up to it (ties to
// even). Every smaller value is flushed.
std::string LdexpRoundsUp(const Format& format) {
  const uint64_t ones = (uint64_t{1} << format.mantissa_bits) - 1;
  return absl::StrCat("(and (eq scaled 0) (eq mantissa ", ones, "))");
}

std::string LdexpMeaning(const Format& format) {
  const uint64_t one = uint64_t{1} << format.mantissa_bits;
  const uint64_t special = (uint64_t{1} << format.exponent_bits) - 1;
  const std::string normal = absl::StrCat("(or (shl (resize w scaled) ", format.mantissa_bits, ") mantissa)");
  return absl::StrCat("(let scaled (add exponent (sext 64 b)) (ite (or (isnan a) (isinf a) (iszero a)) a (or sign ",
                      "(ite (slt 0 scaled) (ite (slt scaled ", special, ") ", normal, " (f inf)) (ite ",
                      LdexpRoundsUp(format), " ", one, " 0)))))");
}

std::string LdexpTiny(const Format& format) {
  return absl::StrCat("(let scaled (add exponent (sext 64 b)) (and (not (iszero a)) (not (isinf a)) (not (isnan a)) ",
                      LdexpRoundsUp(format), "))");
}

int HalfExponent(const Format& format) { return (1 << (format.exponent_bits - 1)) - 2; }  // the biased exponent of 0.5

std::string FrexpExponent(const Format& format) {
  return absl::StrCat("(ite (iszero a) 0 (trunc 32 (sub exponent ", HalfExponent(format), ")))");
}

std::string FrexpSignificand(const Format& format) {
  const uint64_t half = static_cast<uint64_t>(HalfExponent(format)) << format.mantissa_bits;
  return absl::StrCat("(ite (iszero a) a (or sign mantissa ", half, "))");
}

std::vector<OpRow> Elementary() {
  return {
      {.name = "fadd",
       .result = kF,
       .sources = {kF, kF},
       .contract = kArithmetic,
       .meaning = "(fadd a b)",
       .properties = kCommutesAndAssociates,
       .reference = "IEEE 754-2019 5.4.1"},
      {.name = "fsub",
       .result = kF,
       .sources = {kF, kF},
       .contract = kArithmetic,
       .meaning = "(fadd a (fneg b))",
       .reference = "IEEE 754-2019 5.4.1"},
      {.name = "fmul",
       .result = kF,
       .sources = {kF, kF},
       .contract = kArithmetic,
       .meaning = "(fmul a b)",
       .tiny = "(fmul_tiny a b)",
       .properties = kCommutesAndAssociates,
       .reference = "IEEE 754-2019 5.4.1"},
      {.name = "ffma",
       .result = kF,
       .sources = {kF, kF, kF},
       .contract = kArithmetic,
       .meaning = "(ffma a b c)",
       .tiny = "(ffma_tiny a b c)",
       .properties = kCommutes,
       .reference = "IEEE 754-2019 5.4.1; docs/float_contract.md 4: rounded once at 16 bits too"},
      {.name = "fmulz",
       .result = kF32,
       .sources = {kF32, kF32},
       .contract = kArithmetic,
       .meaning = "(ite (or (iszero a) (iszero b)) (f 0.0) (fmul a b))",
       .free_zero = "(or (iszero a) (iszero b))",
       .tiny = "(fmul_tiny a b)",
       .properties = kCommutesAndAssociates,
       .reference = "docs/float_contract.md 2.3"},
      // +-0 + c equals c, except that for c = -0 the product's free sign is visible.
      {.name = "ffmaz",
       .result = kF32,
       .sources = {kF32, kF32, kF32},
       .contract = kArithmetic,
       .meaning = "(ite (or (iszero a) (iszero b)) (fadd (f 0.0) c) (ffma a b c))",
       .free_zero = "(and (or (iszero a) (iszero b)) (eq c (signbit)))",
       .tiny = "(and (not (or (iszero a) (iszero b))) (ffma_tiny a b c))",
       .properties = kCommutes,
       .reference = "docs/float_contract.md 2.3"},
      {.name = "fneg",
       .result = kF,
       .sources = {kF},
       .contract = kMayFlush,
       .meaning = "(fneg a)",
       .reference = "docs/float_contract.md 3"},
      {.name = "fabs",
       .result = kF,
       .sources = {kF},
       .contract = kMayFlush,
       .meaning = "(fabs a)",
       .reference = "docs/float_contract.md 3"},
      {.name = "fmin",
       .result = kF,
       .sources = {kF, kF},
       .contract = kMayFlush,
       .meaning = "(fmin a b)",
       .properties = kCommutesAndAssociates,
       .reference = "docs/float_contract.md 3"},
      {.name = "fmax",
       .result = kF,
       .sources = {kF, kF},
       .contract = kMayFlush,
       .meaning = "(fmax a b)",
       .properties = kCommutesAndAssociates,
       .reference = "docs/float_contract.md 3"},
      {.name = "fsat",
       .result = kF,
       .sources = {kF},
       .contract = kMayFlush,
       // Mesa's expression compares with +0.0, and C leaves open which zero fmax(-0.0, +0.0) returns (C17 F.10.9.2).
       // For a = +0.0 the result is always +0.0.
       .meaning = "(fmin (fmax a (f 0.0)) (f 1.0))",
       .free_zero = "(eq a (signbit))",
       .reference = "docs/float_contract.md 2.3"},
      {.name = "fsat_signed",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "(fmin (fmax a (f -1.0)) (f 1.0))"},
      {.name = "fclamp_pos", .result = kF, .sources = {kF}, .contract = kArithmetic, .meaning = "(fmax a (f 0.0))"},
      {.name = "fsign",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       // For a NaN, Mesa's description permits any of -1, -0, +0 and 1. verifier/mesa/mesa_reading.h adds the results
       // of magnitude 1.
       .meaning = "(ite (isnan a) (f 0.0) (ite (iszero a) a (or (f 1.0) (and a (signbit)))))",
       .free_zero = "(or (iszero a) (isnan a))",
       .reference = "docs/float_contract.md 2.3"},
  };
}

std::vector<OpRow> Rounding() {
  return {
      {.name = "fceil", .result = kF, .sources = {kF}, .contract = kArithmetic, .meaning = "(fceil a)"},
      {.name = "ffloor", .result = kF, .sources = {kF}, .contract = kArithmetic, .meaning = "(ffloor a)"},
      {.name = "ftrunc", .result = kF, .sources = {kF}, .contract = kArithmetic, .meaning = "(ftrunc a)"},
      {.name = "fround_even", .result = kF, .sources = {kF}, .contract = kArithmetic, .meaning = "(froundeven a)"},
      // At 16 bits the difference is exact in binary32, so a single addition at 16 bits rounds the same way.
      {.name = "ffract",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "(fadd a (fneg (ffloor a)))"},
      {.name = "fquantize2f16",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "(ite (flt (fabs a) (f 6.103515625e-05)) (and a (signbit)) (f2f 32 (f2f 16 a)))",
       .reference = "SPIR-V 1.6 OpQuantizeToF16 (binary32 only)",
       .free_sizes = {32}},
      {.name = "ldexp",
       .result = kF,
       .sources = {kF, kI32},
       .contract = kArithmetic,
       .meaning = ByFormat(LdexpMeaning),
       .tiny = ByFormat(LdexpTiny),
       .reference = "C17 7.12.6.6; a denormal result becomes a zero of a's sign"},
      {.name = "frexp_exp",
       .result = kI32,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = ByFormat(FrexpExponent),
       .poison = "(or (isnan a) (isinf a))",
       .reference = "C17 7.12.6.4; docs/float_contract.md 2.5"},
      {.name = "frexp_sig",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = ByFormat(FrexpSignificand),
       .poison = "(or (isnan a) (isinf a))",
       .reference = "C17 7.12.6.4; docs/float_contract.md 2.5"},
  };
}

// Returns a compound op of scalars: at 16 bits it computes in binary32 and rounds once; at 32 and 64 bits it rounds
// each step.
OpRow Compound(const char* name, const std::string& core, const std::vector<std::string>& names, uint32_t properties) {
  return {.name = name,
          .result = kF,
          .sources = std::vector<OperandType>(names.size(), kF),
          .contract = kArithmetic,
          .meaning = RoundedOnceAt16(core, names),
          .tiny = TinyAt16(core, names),
          .properties = properties};
}

std::vector<OpRow> Compounds() {
  return {
      // The quotient is approximate, like that of fdiv.
      Compound("fmod", "(fadd a (fneg (fmul b (ffloor (approx div a b)))))", {"a", "b"}, kApproximate),
      Compound("frem", "(fadd a (fneg (fmul b (ftrunc (approx div a b)))))", {"a", "b"}, kApproximate),
      Compound("flrp", "(fadd (fmul a (fadd (f 1.0) (fneg c))) (fmul b c))", {"a", "b", "c"}, 0),
  };
}

// Returns the sum of `count` products, starting with the highest component: ((w+z)+y)+x. Mesa's table builds pairs, but
// the C text of its evaluator has no parentheses around them. The same holds for fsum4.
std::string DotCore(int count) {
  auto product = [](int c) { return absl::StrCat("(fmul ", Component("a", c), " ", Component("b", c), ")"); };
  std::string sum = product(count - 1);
  for (int c = count - 2; c >= 0; --c) sum = absl::StrCat("(fadd ", sum, " ", product(c), ")");
  return sum;
}

std::vector<std::string> ComponentNames(const std::string& source, int count) {
  std::vector<std::string> names;
  for (int c = 0; c < count; ++c) names.push_back(Component(source, c));
  return names;
}

// Appends a reduction with one result component and its variant `name`_replicated, which fills all components of the
// node with the same result.
void AppendReduction(OpRow row, std::vector<OpRow>* rows) {
  rows->push_back(row);
  row.name += "_replicated";
  row.result = kF;
  rows->push_back(row);
}

std::vector<OpRow> Reductions() {
  std::vector<OpRow> rows;
  for (int count : kReducedComponents) {
    std::vector<std::string> names = ComponentNames("a", count);
    for (const std::string& name : ComponentNames("b", count)) names.push_back(name);
    const std::string core = DotCore(count);
    AppendReduction({.name = absl::StrCat("fdot", count),
                     .result = Vector(kF, 1),
                     .sources = {Vector(kF, count), Vector(kF, count)},
                     .contract = kArithmetic,
                     .meaning = RoundedOnceAt16(core, names),
                     .tiny = TinyAt16(core, names),
                     .properties = kCommutes},
                    &rows);
  }
  std::vector<std::string> names = ComponentNames("a", 3);
  for (const std::string& name : ComponentNames("b", 4)) names.push_back(name);
  const std::string dph = "(fadd (fadd (fadd (fmul a.x b.x) (fmul a.y b.y)) (fmul a.z b.z)) b.w)";
  AppendReduction({.name = "fdph",
                   .result = Vector(kF, 1),
                   .sources = {Vector(kF, 3), Vector(kF, 4)},
                   .contract = kArithmetic,
                   .meaning = RoundedOnceAt16(dph, names),
                   .tiny = TinyAt16(dph, names)},
                  &rows);
  const std::string sums[] = {"(fadd a.x a.y)", "(fadd (fadd a.x a.y) a.z)", "(fadd (fadd (fadd a.x a.y) a.z) a.w)"};
  for (int count : {2, 3, 4}) {
    const std::string& core = sums[count - 2];
    rows.push_back({.name = absl::StrCat("fsum", count),
                    .result = Vector(kF, 1),
                    .sources = {Vector(kF, count)},
                    .contract = kArithmetic,
                    .meaning = RoundedOnceAt16(core, ComponentNames("a", count)),
                    .tiny = TinyAt16(core, ComponentNames("a", count))});
  }
  return rows;
}

}  // namespace

std::vector<OpRow> FloatArithmetic() {
  std::vector<OpRow> rows = Elementary();
  for (const auto& part : {Rounding(), Compounds(), Reductions()}) rows.insert(rows.end(), part.begin(), part.end());
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops

// Plants faults in op rows and in the float contract. Known answers from manuals must expose each wrong row. An
// independent definition of each flag must expose results that the flag does not permit. Rules that hold only with the
// fault must be refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"
#include "verifier/vectors.h"
#include "verifier/worker/cvc5_process.h"

namespace rewrought::verifier {
namespace {

using ir::AllowedKind;
using ir::DenormMode;

// Returns the term `op(a, b, ...)` for the op of `row`.
ir::Term TermOf(const ir::OpRow& row, int size, uint8_t flags) {
  ir::Term term;
  ir::Node node;
  node.kind = ir::NodeKind::kOp;
  node.op = &row;
  node.flags = flags;
  node.bits = static_cast<uint8_t>(row.result.bits ? row.result.bits : size);
  for (size_t k = 0; k < row.sources.size(); ++k) {
    ir::Node variable;
    variable.name = std::string(1, static_cast<char>('a' + k));
    variable.bits = static_cast<uint8_t>(row.sources[k].bits ? row.sources[k].bits : size);
    term.nodes.push_back(variable);
    node.sources.push_back({static_cast<ir::NodeIndex>(k), ir::kIdentitySwizzle});
  }
  term.nodes.push_back(node);
  term.root = static_cast<ir::NodeIndex>(term.nodes.size() - 1);
  return term;
}

ir::AllowedSet Allowed(const ir::OpRow& row, int size, uint8_t flags, DenormMode mode,
                       const std::vector<uint64_t>& inputs) {
  ir::Dag dag;
  const auto term = ir::LowerWithChoices(&dag, TermOf(row, size, flags), mode, 0);
  EXPECT_TRUE(term.ok()) << row.name << ": " << term.status().message();
  return ir::AllowedResults(dag, *term, inputs, 64);
}

// A plausible mistake in a row's meaning, and known answers of the op at 32 bits: the operands, then the result.
struct PlantedRow {
  const char* op;
  const char* meaning;
  std::vector<std::vector<uint64_t>> facts;
};

// The answers follow IEEE 754-2019 (5.3.1, 5.4.1, 5.11, 9.6), GLSL 4.60 8.8 and the D3D11.3 functional specification
// 22.
const std::vector<PlantedRow>& PlantedRows() {
  constexpr uint64_t kOne = 0x3f800000, kNan = 0x7fc00000, kMinusZero = 0x80000000, kMinusOne = 0xbf800000;
  static const auto& rows = *new std::vector<PlantedRow>{
      {"fmin", "(ite (flt a b) a b)", {{kOne, 0x40000000, kOne}, {kOne, kNan, kOne}, {kMinusZero, 0, kMinusZero}}},
      {"fmax", "(ite (flt a b) b a)", {{kOne, 0x40000000, 0x40000000}, {kNan, kOne, kOne}, {kMinusZero, 0, 0}}},
      {"fsat", "(fmax (fmin a (f 1.0)) (f 0.0))", {{0x40000000, kOne}, {kMinusOne, 0}, {kNan, 0}}},
      {"fge", "(not (flt a b))", {{kOne, kOne, 1}, {kMinusOne, kOne, 0}, {kNan, kOne, 0}}},
      {"fneu", "(not (eq a b))", {{kOne, kMinusOne, 1}, {kNan, kNan, 1}, {kMinusZero, 0, 0}}},
      // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46.
      {"ffma",
       "(fadd (fmul a b) c)",
       {{kOne, kOne, kOne, 0x40000000}, {0x3f800001, 0x3f800001, 0xbf800002, 0x28800000}}},
      {"ffloor", "(ftrunc a)", {{0x3fc00000, kOne}, {0xbf000000, kMinusOne}}},
      {"fsign", "(or (f 1.0) (and (not a) (signbit)))", {{0x40000000, kOne}, {0xff800000, kMinusOne}}},
      {"imod", "(ite (eq b 0) 0 (srem a b))", {{7, 3, 1}, {0xfffffff9, 3, 2}, {7, 0xfffffffd, 0xfffffffe}}},
      {"imul_high", "(mulhu a b)", {{0x40000000, 4, 1}, {0xffffffff, 1, 0xffffffff}}},
      {"ifind_msb", "(sub 31 (clz a))", {{8, 3}, {0xffffffff, 0xffffffff}, {0xfffffffe, 0}}},
      {"isign", "(ite (slt a 0) -1 1)", {{5, 1}, {0x80000000, 0xffffffff}, {0, 0}}},
      {"ult", "(slt a b)", {{1, 2, 1}, {1, 0xffffffff, 1}}},
      {"ibfe", "(ashr (shl a 24) 24)", {{0x000000f0, 0, 8, 0xfffffff0}, {0x0000f000, 12, 4, 0xffffffff}, {1, 0, 0, 0}}},
      {"ishl", "(shl a (resize w b))", {{1, 4, 16}, {1, 33, 2}}},
      {"uadd_sat", "(add a b)", {{1, 2, 3}, {0xffffffff, 2, 0xffffffff}}},
  };
  return rows;
}

int CountContradictions(const ir::OpRow& row, const PlantedRow& fault) {
  int contradicted = 0;
  for (const std::vector<uint64_t>& fact : fault.facts) {
    const std::vector<uint64_t> operands(fact.begin(), fact.end() - 1);
    const ir::AllowedSet allowed = Allowed(row, 32, 0, DenormMode::kPreserve, operands);
    contradicted += allowed.results != std::vector<ir::AllowedResult>{{{AllowedKind::kValue, fact.back()}}};
  }
  return contradicted;
}

TEST(RowFaults, FactsFromManualsRefuseThem) {
  for (const PlantedRow& fault : PlantedRows()) {
    const ir::OpRow* honest = ir::FindOp(fault.op);
    ASSERT_NE(honest, nullptr) << fault.op;
    EXPECT_EQ(CountContradictions(*honest, fault), 0) << fault.op;
    // Leak the row: row meanings are parsed once and cached by the row's address.
    ir::OpRow& row = *new ir::OpRow(*honest);
    row.meaning = fault.meaning;
    ASSERT_TRUE(ir::CheckRow(row).ok()) << fault.op << ": " << ir::CheckRow(row).message();
    EXPECT_GT(CountContradictions(row, fault), 0) << fault.op;
  }
}

// Verdicts depend on the rows: with a wrong row, a false rule is proved; with the right row, it is refuted.
TEST(RowFaults, AWrongRowProvesWhatIsFalse) {
  RuleCase rule_case =
      CaseOf("(('fmin', 'a', 'b'), ('bcsel', ('flt', 'a', 'b'), 'a', 'b'))", 32, DenormMode::kPreserve);
  const Prover prover(SharedPool(), ProverOptions{});
  EXPECT_EQ(prover.Prove(rule_case).verdict, v1::VERDICT_REFUTED);
  static ir::OpRow& row = *new ir::OpRow(*ir::FindOp("fmin"));
  row.meaning = "(ite (flt a b) a b)";
  row.contract = ir::Contract::kBits;
  rule_case.search.nodes[rule_case.search.root].op = &row;
  EXPECT_EQ(prover.Prove(rule_case).verdict, v1::VERDICT_PROVED);
}

// Checks the results that a flag permits, independently of the contract's code (docs/float_contract.md 2.4).
void CheckFlag(const ir::OpRow& row, int size, uint8_t flag, DenormMode mode, const std::vector<uint64_t>& inputs) {
  const ir::AllowedSet without = Allowed(row, size, 0, mode, inputs), with = Allowed(row, size, flag, mode, inputs);
  const std::set<ir::AllowedResult> before(without.results.begin(), without.results.end());
  const uint64_t sign = ir::FormatOf(size).sign();
  const auto is = [&](uint64_t bits, bool nan) {
    return nan ? ir::IsNan(bits, size) : (bits & ~sign) == ir::FormatOf(size).infinity();
  };
  const std::string what =
      absl::StrCat(row.name, "@", size, " flag ", flag, " 0x", absl::Hex(inputs[0]), " 0x", absl::Hex(inputs.back()));
  bool special = false;
  for (uint64_t input : inputs) special = special || is(input, flag == ir::kNoNan);
  for (const ir::AllowedResult& result : before) {
    special = special || (flag == ir::kNoNan && result[0].kind == AllowedKind::kAnyNan) ||
              (result[0].kind == AllowedKind::kValue && is(result[0].value, flag == ir::kNoNan));
    // A flag only adds results and never removes one.
    const bool kept = std::any_of(with.results.begin(), with.results.end(), [&](const ir::AllowedResult& other) {
      return other == result || other[0].kind == AllowedKind::kAnyValue;
    });
    EXPECT_TRUE(kept) << what;
  }
  for (const ir::AllowedResult& result : with.results) {
    if (before.contains(result)) continue;
    if (flag == ir::kNoSignedZero) {
      ASSERT_EQ(result[0].kind, AllowedKind::kValue) << what;
      EXPECT_EQ(result[0].value & ~sign, 0u) << what;
      EXPECT_TRUE(before.contains({{AllowedKind::kValue, result[0].value ^ sign}})) << what;
    } else {
      EXPECT_EQ(result[0].kind, AllowedKind::kAnyValue) << what;
      EXPECT_TRUE(special) << what;
    }
  }
}

TEST(FlagFaults, AFlagPermitsNoMoreThanItSays) {
  std::mt19937_64 random(1);
  for (const char* op : {"fadd", "fsub", "fmul", "ffma", "fmin", "fmax", "fneg", "fabs", "fsat", "ffloor", "fsqrt"}) {
    const ir::OpRow* row = ir::FindOp(op);
    for (int size : {16, 32}) {
      const std::vector<uint64_t>& special = SpecialValues(size);
      for (int trial = 0; trial < 150; ++trial) {
        std::vector<uint64_t> inputs;
        for (size_t k = 0; k < row->sources.size(); ++k) inputs.push_back(special[random() % special.size()]);
        // Use canceling, infinite and NaN operands frequently.
        if (trial % 3 == 0 && inputs.size() > 1) inputs[1] = inputs[0] ^ ir::FormatOf(size).sign();
        for (uint8_t flag : {ir::kNoSignedZero, ir::kNoNan, ir::kNoInf}) {
          for (DenormMode mode : {DenormMode::kPreserve, DenormMode::kFlush}) CheckFlag(*row, size, flag, mode, inputs);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// These rules hold only if a flag permits more than it should.
TEST(FlagFaults, RulesThatNeedMoreThanTheFlagAreRefuted) {
  Cvc5Process cvc5{Cvc5Options{}};  // refuting a case that evaluation cannot replay requires two solvers
  const Prover prover({SharedPool(), &cvc5}, ProverOptions{});
  for (const char* rule : {
           "(('fadd(nsz)', 'a', ('fneg', 'a')), 0.0)",  // nsz does not affect NaN
           "(('fmul(nsz)', 'a', 0.0), 0.0)",
           "(('fmul(nnan)', 'a', 0.0), 0.0)",                // nnan does not affect -0
           "(('fadd(ninf)', 'a', ('fneg', 'a')), 0.0)",      // ninf does not affect a NaN operand
           "(('fadd', ('fmul(nsz)', 'a', 0.0), 'b'), 'b')",  // an inner node's flag does not apply to the root
           "(('fsub(nsz)', 'a', 'b'), ('fsub', 'b', 'a'))",
       }) {
    EXPECT_EQ(prover.Prove(CaseOf(rule, 32, DenormMode::kPreserve)).verdict, v1::VERDICT_REFUTED) << rule;
  }
}

}  // namespace
}  // namespace rewrought::verifier

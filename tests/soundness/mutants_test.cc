// Mutates proved rules by changing one op, literal or operand of the replacement. Each mutant must be refuted by a
// witness that the evaluator can replay, or proved and confirmed by the second solver; undecided mutants are counted.
// A verifier that proves everything, or refutes nothing, fails this test.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "ir/match/mesa_build.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "tests/rule_expectations.h"
#include "verifier/prover.h"
#include "verifier/query.h"
#include "verifier/sample_cases.h"
#include "verifier/vectors.h"
#include "verifier/worker/cvc5_process.h"

namespace rewrought::verifier {
namespace {

using ir::Node;
using ir::NodeKind;

constexpr int kRuleDivisor = 2;  // about every second rule
constexpr size_t kMutantsOfRule = 13;

// Returns the scalar ops that can replace `row` because they have the same types.
std::vector<const ir::OpRow*> Siblings(const ir::OpRow& row) {
  std::vector<const ir::OpRow*> siblings;
  for (const ir::OpRow* other : ir::AllOps()) {
    if (other != &row && other->result == row.result && other->sources == row.sources &&
        !(other->properties & ir::kApproximate)) {
      siblings.push_back(other);
    }
  }
  return siblings;
}

struct Mutant {
  std::string what;
  RuleCase rule_case;
};

std::vector<Mutant> MutantsOf(const RuleCase& original) {
  std::vector<Mutant> mutants;
  const auto add = [&](const std::string& what) -> ir::Term& {
    mutants.push_back({what, original});
    return mutants.back().rule_case.replace;
  };
  const ir::Term& replace = original.replace;
  for (ir::NodeIndex i = 0; i < replace.nodes.size(); ++i) {
    const Node& node = replace.nodes[i];
    if (node.kind == NodeKind::kConstant) {
      add(absl::StrCat("literal of node ", i, " has its lowest bit changed")).nodes[i].values[0] ^= 1;
      if (node.bits > 1)
        add(absl::StrCat("literal of node ", i, " has its highest bit changed")).nodes[i].values[0] ^=
            uint64_t{1} << (node.bits - 1);
    }
    if (node.kind != NodeKind::kOp) continue;
    for (const ir::OpRow* sibling : Siblings(*node.op)) {
      add(absl::StrCat(node.op->name, " becomes ", sibling->name)).nodes[i].op = sibling;
    }
    for (size_t k = 0; k < node.sources.size(); ++k) {
      for (ir::NodeIndex j = 0; j < i; ++j) {
        if (j == node.sources[k].node || replace.nodes[j].bits != replace.nodes[node.sources[k].node].bits) continue;
        add(absl::StrCat("source ", k, " of ", node.op->name, " becomes node ", j)).nodes[i].sources[k].node = j;
      }
    }
  }
  return mutants;
}

struct Tally {
  std::mutex mutex;
  int rules = 0, mutants = 0, refuted = 0, equivalent = 0, undecided = 0, without_refuted = 0, by_solvers = 0;
};

// Returns whether a witness is valid. Normally, the evaluator replays the witness on the case. If the result depends on
// the bits of an inner NaN or on an inner poison value, which evaluation cannot enumerate, both solvers must confirm
// the witness for the search side's choices.
bool Stands(const RuleCase& rule_case, const Witness& witness, Solver* second, bool* by_solvers) {
  const auto prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return false;
  std::vector<uint64_t> inputs((*prepared)->dag().inputs().size());
  for (size_t i = 0; i < inputs.size() && i < witness.variables.size(); ++i) inputs[i] = witness.variables[i].value;
  const PointOutcome outcome = VerifyPoint(**prepared, inputs, witness.replace_choices);
  if (!outcome.admitted || outcome.replace != witness.replace || outcome.copy.has_value()) return false;
  if (outcome.witness.has_value()) return true;
  *by_solvers = true;
  const Query query = StateMembership(**prepared, inputs, witness.replace);
  for (Solver* solver : {SharedPool(), second}) {
    SolverQuery ask;
    ask.text = query.text;
    ask.timeout_ms = 5000;
    if (solver->Solve(ask).answer != Answer::kUnsat) return false;
  }
  return true;
}

void VerifyMutant(const Prover& prover, Solver* second, const std::string& rule, const Mutant& mutant, Tally* tally,
                  bool* refuted) {
  // Some ops do not exist at the size of the op that they replace.
  if (!PreparedCase::Create(mutant.rule_case).ok()) return;
  const CaseResult result = prover.Prove(mutant.rule_case);
  const std::string what = absl::StrCat(rule, ": ", mutant.what);
  bool by_solvers = false;
  const bool stands = result.witness.has_value() && Stands(mutant.rule_case, *result.witness, second, &by_solvers);
  const std::lock_guard<std::mutex> lock(tally->mutex);
  ++tally->mutants;
  const auto undecided = [&](absl::string_view why) {
    ++tally->undecided;
    std::cout << "undecided: " << what << ": " << why << "\n";
  };
  switch (result.verdict) {
    case v1::VERDICT_REFUTED:
      ++tally->refuted;
      *refuted = true;
      tally->by_solvers += by_solvers;
      EXPECT_TRUE(stands) << what;
      break;
    case v1::VERDICT_PROVED: {
      // Proofs by construction or by exhaustive evaluation need no confirmation by a solver.
      const bool by_itself = result.tier == v1::TIER_CANONICAL || result.tier == v1::TIER_EXHAUSTIVE ||
                             result.tier == v1::TIER_SECOND_SOLVER;
      if (by_itself || !result.confirmed_by.empty()) {
        ++tally->equivalent;
      } else {
        undecided("not confirmed");
      }
      break;
    }
    case v1::VERDICT_UNKNOWN:
      undecided(result.reason);
      EXPECT_EQ(result.reason.find("disagree"), std::string::npos) << what << ": " << result.reason;
      break;
    default:
      undecided(result.reason);
      break;
  }
}

void VerifyRule(const Prover& prover, Solver* second, const ExpectedRule& expected, Tally* tally) {
  const auto rule = ir::ParseRule(expected.text);
  if (!rule.ok()) return;
  const auto sizes = ir::EnumerateSizes(*rule);
  if (!sizes.ok() || sizes->empty()) return;
  // Use the middle one of the rule's widths, usually 32.
  const ir::SizeAssignment& assignment = (*sizes)[sizes->size() / 2];
  auto concrete = ir::Instantiate(*rule, assignment);
  if (!concrete.ok()) return;
  RuleCase original{std::move(concrete->search), std::move(concrete->replace), ir::DenormMode::kPreserve};
  ir::BuildAsMesa(original.search, &original.replace);
  if (prover.Prove(original).verdict != v1::VERDICT_PROVED) return;
  const std::vector<Mutant> mutants = MutantsOf(original);
  bool refuted = false;
  const size_t step = std::max<size_t>(1, mutants.size() / kMutantsOfRule);
  for (size_t m = 0; m < mutants.size(); m += step)
    VerifyMutant(prover, second, expected.text, mutants[m], tally, &refuted);
  const std::lock_guard<std::mutex> lock(tally->mutex);
  ++tally->rules;
  if (!mutants.empty() && !refuted) {
    ++tally->without_refuted;
    std::cout << "all mutants of " << expected.text << " were proved or undecided\n";
  }
}

TEST(Mutants, OfProvedRulesAreRefutedOrConfirmed) {
  std::vector<ExpectedRule> rules;
  for (const ExpectedRule& rule : ReadExpectedRules()) {
    if (rule.expected == "proved" && IsSampled(rule, kRuleDivisor)) rules.push_back(rule);
  }
  Cvc5Process cvc5{Cvc5Options{}};
  ProverOptions options;
  options.budget_scale = 0.2;
  options.confirm = true;
  const Prover prover({SharedPool(), &cvc5}, options);
  Tally tally;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (size_t r = next++; r < rules.size(); r = next++) VerifyRule(prover, &cvc5, rules[r], &tally);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::cout << tally.rules << " rules, " << tally.mutants << " mutants: " << tally.refuted << " refuted ("
            << tally.by_solvers << " by solvers), " << tally.equivalent << " confirmed equivalent, " << tally.undecided
            << " undecided; " << tally.without_refuted << " rules without a refuted mutant\n";
  EXPECT_GT(tally.rules, 60);
  EXPECT_GT(tally.refuted, tally.mutants * 2 / 3);
  EXPECT_GE(tally.mutants, 1000);
  EXPECT_LE(tally.undecided, tally.mutants / 50);
}

}  // namespace
}  // namespace rewrought::verifier

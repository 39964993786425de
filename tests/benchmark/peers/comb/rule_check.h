// Rules of FMCAD 2024's sets looked at from outside the search: as terms, by the product's evaluator on all inputs of
// 4 bits, and by its prover at the widths that machines have.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_RULE_CHECK_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_RULE_CHECK_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "tests/benchmark/peers/comb/lowest_cost.h"
#include "verifier/solvers.h"

namespace rewrought::peers {

// Over variables a, b, c, d, every node of `width` bits.
ir::Term TermOf(const Graph& graph, absl::Span<const CombOp> ops, int width);

// "pattern -> program".
std::string TextOf(const LowestCostRule& rule, absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions);

// Texts of the rules that evaluating both sides' terms at kTableBits bits on all inputs does not bear out.
std::vector<std::string> WrongRules(absl::Span<const LowestCostRule> rules, absl::Span<const CombOp> ops,
                                    absl::Span<const CombOp> instructions);

// What became of rules at one width.
struct AtWidth {
  size_t proved = 0;
  std::vector<std::string> refuted, unknown;  // texts
};

// Proves rules at other widths, each once however many sets have it.
class WideProver {
 public:
  explicit WideProver(verifier::Solvers solvers) : solvers_(std::move(solvers)) {}

  AtWidth Prove(absl::Span<const LowestCostRule> rules, absl::Span<const CombOp> ops,
                absl::Span<const CombOp> instructions, int width);

 private:
  // By rule.
  void Decide(absl::Span<const LowestCostRule* const> rules, absl::Span<const CombOp> ops,
              absl::Span<const CombOp> instructions, int width, absl::Span<v1::Verdict> verdicts) const;

  const verifier::Solvers solvers_;
  std::map<std::pair<std::string, int>, v1::Verdict> known_;
};

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_RULE_CHECK_H_

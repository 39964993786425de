// Checks rules from the Comb paper's rule sets (FMCAD 2024) independently of the search. Converts the rules to terms,
// and evaluates the terms on all 4-bit inputs with Rewrought's evaluator. Proves the rules at the widths of real
// machines with Rewrought's prover.
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

// Returns `graph` as a term over the variables a, b, c and d, with `width` bits at every node.
ir::Term TermOf(const Graph& graph, absl::Span<const CombOp> ops, int width);

// Returns "pattern -> program".
std::string TextOf(const LowestCostRule& rule, absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions);

// Evaluates both sides' terms at kTableBits bits on all inputs. Returns the texts of rules whose sides differ.
std::vector<std::string> WrongRules(absl::Span<const LowestCostRule> rules, absl::Span<const CombOp> ops,
                                    absl::Span<const CombOp> instructions);

// The verdicts of rules at one width.
struct AtWidth {
  size_t proved = 0;
  std::vector<std::string> refuted, unknown;  // texts of the rules
};

// Proves rules at other widths. A rule that occurs in several sets is proved only once.
class WideProver {
 public:
  explicit WideProver(verifier::Solvers solvers) : solvers_(std::move(solvers)) {}

  AtWidth Prove(absl::Span<const LowestCostRule> rules, absl::Span<const CombOp> ops,
                absl::Span<const CombOp> instructions, int width);

 private:
  void Decide(absl::Span<const LowestCostRule* const> rules, absl::Span<const CombOp> ops,
              absl::Span<const CombOp> instructions, int width, absl::Span<v1::Verdict> verdicts) const;

  const verifier::Solvers solvers_;
  std::map<std::pair<std::string, int>, v1::Verdict> known_;
};

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_COMB_RULE_CHECK_H_

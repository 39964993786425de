// Proves rules of STP's space in the formats that shaders use, with solvers and SMT-LIB's theory FloatingPoint. A rule
// that the solvers do not decide within their budget is unknown.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_PROOF_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_PROOF_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tests/benchmark/peers/stp/float_rule.h"
#include "tests/benchmark/peers/stp/small_float.h"
#include "verifier/solver.h"
#include "verifier/solvers.h"

namespace rewrought::peers {

// Returns `pattern` as (fp sign exponent fraction); also works for NaNs.
std::string SpellLiteral(SmallFormat format, uint32_t pattern);

// Returns the query "Is there an x for which the two sides differ in one of the rule's modes, for one choice of zero?",
// without check-sat. The constant `bits` is x's pattern. Modes are literals, because Z3 4.8.12 aborts on (fp.fma m NaN
// x x) if the mode m is free, and is incomplete if m has only one possible value.
std::string StateRule(const FloatRule& rule, SmallFormat format);

enum class FloatVerdict : uint8_t { kProved, kRefuted, kUnknown };

struct FloatProof {
  FloatVerdict verdict = FloatVerdict::kUnknown;
  bool by_second = false;  // the second solver decided a mode that the first one did not
  std::string detail;      // the x that refutes the rule, or why the rule is undecided
};

// Queries the first solver about all of the rule's modes together, and then about each mode. Queries the second solver
// about the modes that remain undecided. Returns refuted only if evaluation at the model's x agrees. `work_ms` limits
// each query (verifier/budget.h).
FloatProof ProveRule(const FloatRule& rule, SmallFormat format, const verifier::Solvers& solvers, uint32_t work_ms);

struct FloatProofs {
  std::vector<FloatProof> proofs;  // one for each rule
  double seconds = 0;              // elapsed time
  size_t Count(FloatVerdict verdict) const;
};

// Proves rules in as many threads as the first solver has workers.
FloatProofs ProveRules(absl::Span<const FloatRule> rules, SmallFormat format, const verifier::Solvers& solvers,
                       uint32_t work_ms);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_PROOF_H_

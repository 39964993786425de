// Rules of the space at formats that shaders compute in: stated in SMT-LIB's theory FloatingPoint and put to solvers.
// What they do not decide within their budget is unknown.
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

// `pattern` as (fp sign exponent fraction), which any NaN's is, too.
std::string SpellLiteral(SmallFormat format, uint32_t pattern);

// "Is there an x for which in one of the rule's modes, and with one choice of zero, both sides differ?", without
// check-sat; the constant `bits` is x's pattern. Modes are literals: with a free mode Z3 4.8.12 aborts on
// (fp.fma m NaN x x), and is incomplete where a mode is the only one.
std::string StateRule(const FloatRule& rule, SmallFormat format);

enum class FloatVerdict : uint8_t { kProved, kRefuted, kUnknown };

struct FloatProof {
  FloatVerdict verdict = FloatVerdict::kUnknown;
  bool by_second = false;  // some mode was decided by the second solver, which the first did not do
  std::string detail;      // the x that refutes, or why it is unknown
};

// Asks the first solver of the rule in all its modes, where it does not decide of each mode alone, and where it still
// does not the second. Refuted only where evaluation at the model's x agrees. `work_ms` bounds each query
// (verifier/budget.h).
FloatProof ProveRule(const FloatRule& rule, SmallFormat format, const verifier::Solvers& solvers, uint32_t work_ms);

struct FloatProofs {
  std::vector<FloatProof> proofs;  // of each rule
  double seconds = 0;              // by the clock
  size_t Count(FloatVerdict verdict) const;
};

// As many at a time as the first solver answers.
FloatProofs ProveRules(absl::Span<const FloatRule> rules, SmallFormat format, const verifier::Solvers& solvers,
                       uint32_t work_ms);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_PROOF_H_

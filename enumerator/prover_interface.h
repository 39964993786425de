// The interface through which the enumerator verifies candidates. The caller of a search provides the prover; the
// enumerator itself proves nothing.
#ifndef REWROUGHT_ENUMERATOR_PROVER_INTERFACE_H_
#define REWROUGHT_ENUMERATOR_PROVER_INTERFACE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/float_contract.h"
#include "ir/term.h"

namespace rewrought::enumerator {

enum class Outcome : uint8_t { kProved, kRefuted, kUnknown };

struct ProofResult {
  Outcome outcome = Outcome::kUnknown;
  // If refuted: values of the variables for which the replacement is wrong.
  std::vector<std::pair<std::string, uint64_t>> witness;
  std::string reason;  // Set for kUnknown.
};

class ProverInterface {
 public:
  virtual ~ProverInterface() = default;

  // Verifies `search -> replace` in all of `modes`. Returns kProved only if all modes are proved and none is vacuous,
  // and kRefuted as soon as one mode is refuted. All sizes must be fixed. The nodes of `replace` must already have the
  // flags that they will have when the rule is applied. A search is deterministic only if this function is
  // deterministic.
  virtual ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                                     absl::Span<const ir::DenormMode> modes) = 0;
};

// Calls the prover with `modes`, or with kNone alone if neither side has a float operation.
ProofResult Ask(ProverInterface* prover, const ir::Term& search, const ir::Term& replace,
                absl::Span<const ir::DenormMode> modes);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_PROVER_INTERFACE_H_

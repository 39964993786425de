// How the enumerator asks whether a candidate is right. Whoever runs a search injects one; the enumerator proves
// nothing.
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
  // Of a refutation: inputs on which the replacement is wrong, by variable.
  std::vector<std::pair<std::string, uint64_t>> witness;
  std::string reason;  // of kUnknown
};

class ProverInterface {
 public:
  virtual ~ProverInterface() = default;

  // Verifies `search -> replace` in all of `modes`: kProved only if every one is proved and not vacuous, kRefuted as
  // soon as one is refuted. All sizes are fixed. The flags that the replacement's nodes will have where the rule is
  // applied are set on them already. Must be deterministic for a search to be.
  virtual ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                                     absl::Span<const ir::DenormMode> modes) = 0;
};

// Asks the prover in the modes that matter: one (kNone) where no side has a float operation.
ProofResult Ask(ProverInterface* prover, const ir::Term& search, const ir::Term& replace,
                absl::Span<const ir::DenormMode> modes);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_PROVER_INTERFACE_H_

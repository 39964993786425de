#include "enumerator/prover_interface.h"

namespace rewrought::enumerator {
ProofResult Ask(ProverInterface* prover, const ir::Term& search, const ir::Term& replace,
                absl::Span<const ir::DenormMode> modes) {
  static constexpr ir::DenormMode kNone[] = {ir::DenormMode::kNone};
  const bool floats = ir::HasFloatOperation(search) || ir::HasFloatOperation(replace);
  return prover->ProveCandidate(search, replace, floats ? modes : absl::MakeConstSpan(kNone));
}

}  // namespace rewrought::enumerator

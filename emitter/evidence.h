// Checks and describes the evidence of a pack's entry: proofs, confirmations, mutants, and measurements.
#ifndef REWROUGHT_EMITTER_EVIDENCE_H_
#define REWROUGHT_EMITTER_EVIDENCE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The number of vectors on which another encoding must agree (docs/proof.md, section 7).
inline constexpr uint64_t kConfirmingVectors = 100000;

bool IsConfirmedByEncoding(const v1::PackEntry& entry);

// Checks that the entry's proofs allow its export. Fails with FailedPrecondition, naming the missing evidence.
absl::Status CheckEvidence(const v1::PackEntry& entry, bool require_confirmations);

// Returns the text of a one-line comment in printable ASCII, such as "proved (uf) at 16 32 64 in any flush preserve; 12
// hits in 3 shaders".
std::string ProofLine(const v1::PackEntry& entry);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_EVIDENCE_H_

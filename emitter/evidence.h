// What an entry of a pack comes with: proofs, confirmations, mutants, measurements.
#ifndef REWROUGHT_EMITTER_EVIDENCE_H_
#define REWROUGHT_EMITTER_EVIDENCE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// A confirmation by vectors through another encoding agrees on as many (docs/proof.md 7).
inline constexpr uint64_t kConfirmingVectors = 100000;

// Whether so many vectors agreed.
bool IsConfirmedByEncoding(const v1::PackEntry& entry);

// What must hold of an entry's evidence: proofs that it may be exported with. FailedPrecondition says what is missing.
absl::Status CheckEvidence(const v1::PackEntry& entry, bool require_confirmations);

// "proved (uf) at 16 32 64 in any flush preserve; 12 hits in 3 shaders": one line for a file's comment. Printable
// ASCII.
std::string ProofLine(const v1::PackEntry& entry);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_EVIDENCE_H_

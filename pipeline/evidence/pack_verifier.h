// Verifies a pack from its own file alone: every proof again, the evidence made anew, and what the pack says compared
// with that. Whoever wrote the file is not believed.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_
#define REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/pack_entry_check.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "verifier/budget.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct PackVerdict {
  std::vector<emitter::Finding> findings;  // by entry, in the pack's order; none: all was shown again
  size_t entries = 0;                      // that were verified
  size_t proved = 0;                       // of them, those without a finding
  size_t cases = 0;                        // proved again
  uint64_t queries = 0;                    // that the two solvers answered
};

struct PackVerifierOptions {
  uint32_t work_ms = verifier::kStrangersWork;  // of one query
  size_t threads = 0;                           // that verify entries; 0: one per core
  std::stop_token stop = {};
  std::function<void(size_t, size_t)> progress;  // entries done, of how many; may be null
};

// What an entry measured on a corpus cannot be seen in a pack and is not verified. Cancelled: stopped; Unavailable:
// there is no solver.
absl::StatusOr<PackVerdict> ProvePackAgain(const v1::Pack& pack, const verifier::Solvers& solvers,
                                           const PackVerifierOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_

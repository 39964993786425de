// Verifies a pack from its own file alone: proves every rule again, recreates the evidence, and compares the pack's
// claims with both. The author of the file is not trusted.
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
  std::vector<emitter::Finding> findings;  // in the pack's order of entries; empty if everything was verified
  size_t entries = 0;                      // verified entries
  size_t proved = 0;                       // of these, entries without a finding
  size_t cases = 0;                        // cases proved again
  uint64_t queries = 0;                    // queries answered by the two solvers
};

struct PackVerifierOptions {
  uint32_t work_ms = verifier::kVerificationWork;  // per query
  size_t threads = 0;                              // that verify entries; 0: one per core
  std::stop_token stop = {};
  std::function<void(size_t, size_t)> progress;  // receives the number of entries done and their total; may be null
};

// Proves all entries again. Does not verify measurements on a corpus, which a pack does not contain. Returns
// Cancelled if stopped, and Unavailable if a solver is missing.
absl::StatusOr<PackVerdict> ProvePackAgain(const v1::Pack& pack, const verifier::Solvers& solvers,
                                           const PackVerifierOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_

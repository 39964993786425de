// Verifies a pack without trusting its author: proves every rule again from the pack's own file, recreates the
// evidence, and compares the results with the pack's claims.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_
#define REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/pack_entry_check.h"
#include "emitter/pack_folder.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "verifier/budget.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct PackVerdict {
  std::vector<emitter::Finding> findings;  // those of the manifest first; empty if all claims were verified
  size_t entries = 0;                      // the number of entries checked
  size_t proved = 0;                       // of these, the number of entries without a finding
  size_t cases = 0;                        // the number of cases proved again
  uint64_t queries = 0;                    // the number of queries to both solvers
};

struct PackVerifierOptions {
  uint32_t work_ms = verifier::kVerificationWork;  // the solver budget per query
  size_t threads = 0;                              // the number of threads; 0 means one per core
  std::stop_token stop = {};
  std::function<void(size_t, size_t)> progress;  // called with the number of entries done and their total; may be null
};

// Proves all entries again, and checks their evidence and the manifest's fields that follow from the machine and the
// solvers. Does not verify measurements, because the pack does not contain the corpus. Returns Cancelled if stopped,
// and Unavailable if a solver is missing.
absl::StatusOr<PackVerdict> ProvePackAgain(const v1::Pack& pack, const verifier::Solvers& solvers,
                                           const PackVerifierOptions& options);

// Calls ProvePackAgain for each folder, and sums the results. The findings and the progress cover all folders.
absl::StatusOr<PackVerdict> ProvePacksAgain(const std::vector<emitter::PackFolder>& folders,
                                            const verifier::Solvers& solvers, const PackVerifierOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_PACK_VERIFIER_H_

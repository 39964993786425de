// Writes patches for a Mesa tree: corrections of its refuted rules, or additional rules. Verifies every rule that a
// patch adds.
#ifndef REWROUGHT_AUDIT_PATCHES_H_
#define REWROUGHT_AUDIT_PATCHES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "audit/audit.h"

namespace rewrought::audit {

struct PatchOptions {
  std::string tree;  // The root of the Mesa tree, which is not changed.
  // What the patches do; exactly one of the two is set (audit/plan_patches.py).
  std::string audit_file;      // They correct what the output of `rewrought audit --suggest-fixes --json` refutes.
  std::string proposals_file;  // They add the rules of this TOML file.
  std::string causes_file;     // With audit_file: groups lines into commits and describes edits; may be empty.
  std::vector<int> lines;      // With audit_file: the lines to correct; empty means all lines.
  std::string measured;        // The folder with the results of tools/driver_rig/series for the patches; may be empty.
  AuditOptions audit;          // How to verify the added rules.
  std::function<void(size_t done, size_t all)> progress;  // Called after each planned commit.
};

// One commit.
struct Patch {
  std::string subject, message;
  std::string file;                // Relative to the tree's src.
  std::vector<int> lines;          // In the tree, before the first commit: corrected, or preceding an insertion.
  std::string diff;                // In git's format, relative to the previous commit.
  size_t removed = 0;              // The number of rules that the commit removes or replaces.
  std::vector<AuditedRule> added;  // With their verdicts.
};

// A line that is not corrected, or a proposal that is not made. A proposal has a subject and no line.
struct Rejection {
  std::string file;
  int line = 0;
  std::string subject, reason;
};

struct PatchSeries {
  std::vector<Patch> patches;
  std::vector<Rejection> rejected;
};

// Plans the commits: one for each cause, one for each line with a suggestion if there is no causes file, or one for
// each proposal. Then imports the changed file and verifies each rule that it did not have before. Rejects a commit
// unless every such rule is proved, or inexact if it is marked `~`. Rejects a correction that leaves one of the refuted
// rules, and a proposal that removes a rule, adds none, or adds one that an earlier rule of its pass shadows. If there
// are measurements, rejects a proposal that is a loss for a driver or a gain for none. The message of a commit states
// the cause, examples of wrong results, the verdicts of the added rules, the measurements, and the commits that
// introduced corrected lines if the tree's git history contains them. Returns InvalidArgument, naming the file, if a
// file cannot be used, and FailedPrecondition if a patch was not measured in its present form. Returns Cancelled if a
// stop is requested.
absl::StatusOr<PatchSeries> ProposePatches(const PatchOptions& options, const verifier::Prover& prover,
                                           VerdictFile* verdicts);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_PATCHES_H_

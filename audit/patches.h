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
  // Exactly one of the next two is set (audit/plan_patches.py).
  std::string audit_file;      // Output of `rewrought audit --suggest-fixes --json`: correct the rules that it refutes.
  std::string proposals_file;  // A TOML file: add its rules.
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
  std::vector<int> lines;          // In the unpatched tree: corrected, replaced, or preceding an insertion.
  std::string diff;                // In git's format, relative to the previous commit.
  size_t removed = 0;              // The number of rules that the commit removes or replaces.
  std::vector<AuditedRule> added;  // With their verdicts.
};

// A line that is not corrected, or a rejected proposal, which has a subject but no line.
struct Rejection {
  std::string file;
  int line = 0;
  std::string subject, reason;
};

struct PatchSeries {
  std::vector<Patch> patches;
  std::vector<Rejection> rejected;
};

// Plans the commits, imports the changed file after each of them, and verifies the rules that it did not have before.
// Rejects a commit unless each of these rules is proved, or inexact if it is marked `~`. Rejects a correction that
// leaves a refuted rule. Rejects a proposal whose rules the tree has or an earlier rule shadows, or that removes rules
// although it does not replace lines. If there are measurements, rejects a proposal that helps no driver or is an
// unexplained loss for any driver.
//
// Returns InvalidArgument, naming the file, if a file cannot be used; FailedPrecondition if a patch was not measured in
// its present form; and Cancelled if a stop is requested.
absl::StatusOr<PatchSeries> ProposePatches(const PatchOptions& options, const verifier::Prover& prover,
                                           VerdictFile* verdicts);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_PATCHES_H_

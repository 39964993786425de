// Writes patches that correct the refuted rules of a Mesa tree, and verifies the corrected rules.
#ifndef REWROUGHT_AUDIT_FIXES_H_
#define REWROUGHT_AUDIT_FIXES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "audit/audit.h"

namespace rewrought::audit {

struct FixOptions {
  std::string tree;         // The root of the Mesa tree, which is not changed.
  std::string audit_file;   // The output of `rewrought audit --suggest-fixes --json` for this tree.
  std::string causes_file;  // Groups lines into commits and describes edits (audit/plan_fixes.py); may be empty.
  std::vector<int> lines;   // The lines to correct; empty means all lines.
  AuditOptions audit;       // How to verify the corrected rules.
  std::function<void(size_t done, size_t all)> progress;  // Called after each planned commit.
};

// One commit.
struct Fix {
  std::string subject, message;
  std::string file;                    // Relative to the tree's src.
  std::vector<int> lines;              // In the tree, before the first commit.
  std::string diff;                    // In git's format, relative to the previous commit.
  size_t removed = 0;                  // The number of rules that the commit removes or replaces.
  std::vector<AuditedRule> corrected;  // The rules that the commit adds, with their verdicts.
};

struct UncorrectedLine {
  std::string file;
  int line = 0;
  std::string reason;
};

struct Fixes {
  std::vector<Fix> series;
  std::vector<UncorrectedLine> uncorrected;
};

// Plans a commit for each cause, or for each line with a suggestion if there is no causes file. Then imports the
// changed file and verifies each rule that it did not have before. Keeps a commit only if every such rule is proved, or
// inexact if it is marked `~`, and if the commit removes all rules of its lines that the audit refutes. The message of
// a commit states the cause, examples of wrong results, the verdicts of the corrected rules, and the commits that
// introduced the lines if the tree's git history contains them. Returns InvalidArgument, naming the file, if a file
// cannot be used. Returns Cancelled if a stop is requested.
absl::StatusOr<Fixes> ProposeFixes(const FixOptions& options, const verifier::Prover& prover, VerdictFile* verdicts);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_FIXES_H_

// Applies the rules of a pack to random shaders with the matcher of a Mesa tree (tools/driver_rig/matcher_harness.py).
#ifndef REWROUGHT_CLI_RIG_MATCHER_CHECK_H_
#define REWROUGHT_CLI_RIG_MATCHER_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command.h"

namespace rewrought::cli {

struct MatcherCheckOptions {
  std::string tree;            // root of the Mesa tree
  std::string rig;             // the value of --rig
  uint64_t shaders = 1000000;  // for all rules together
};

// Adds --shaders and --rig.
void AddMatcherCheckOptions(CLI::App* command, MatcherCheckOptions* options);

// A rule that did not pass. `what` states the reason in one line: the matcher changed the result of a shader, the
// matcher crashed, or the tree's generator rejected the rule. It names no path, because packs contain it. The harness
// prints the reduced shader to standard error.
struct MatcherFailure {
  std::string id;  // the id of the pack's entry
  std::string what;
};

struct MatcherCheck {
  size_t rules = 0;
  size_t unapplied = 0;  // rules that were applied to no shader, or whose results could not be compared
  uint64_t shaders = 0;
  std::vector<MatcherFailure> failures;
};

// Checks the rules of the pack in `folder`. Fails if the harness cannot be built or run. Fails with Cancelled if the
// user stops the command.
absl::StatusOr<MatcherCheck> CheckWithMatcher(const std::string& folder, const MatcherCheckOptions& options,
                                              Context* context);

// Returns "12 rules applied to 1000000 shaders with the matcher of TREE: 11 agree, 1 do not, 0 could not be compared".
std::string MatcherSummary(const MatcherCheck& check, const std::string& tree);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_RIG_MATCHER_CHECK_H_

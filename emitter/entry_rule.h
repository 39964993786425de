// A pack's entry as terms and programs: its texts parsed, the preconditions that its sites add put on their nodes.
#ifndef REWROUGHT_EMITTER_ENTRY_RULE_H_
#define REWROUGHT_EMITTER_ENTRY_RULE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"
#include "machine/program.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::emitter {

struct EntryRule {
  ir::Rule rule;  // `replace` is empty when there is a program; `is_used_once` stands on the nodes named for it
  std::optional<machine::Program> program;
  const machine::Machine* machine = nullptr;  // null for a rule without a program
};

// Parses search, replace or program, and condition. The preconditions of `rule.generalisation` must be in the text, but
// for `is_used_once` at a node "n2" (numbered among all values of the search in prefix order, the root 0, each at its
// first place), which sites decide and which is added here. InvalidArgument for text that does not parse and programs
// that are not legal; NotFound for machines; FailedPrecondition for a precondition that the text lacks, or that has no
// place.
absl::StatusOr<EntryRule> ParseEntry(const v1::RewriteRule& rule);

// The text whose digest names the rule: as printed, without what sites add. Errors as ParseEntry.
absl::StatusOr<std::string> CanonicalText(const v1::RewriteRule& rule);

// The preconditions that Mesa's helpers have no name for: what a maintainer would have to add.
std::vector<std::string> Wishes(const v1::RewriteRule& rule);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_ENTRY_RULE_H_

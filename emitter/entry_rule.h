// Parses a pack's entry and adds the preconditions that its sites require.
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
  ir::Rule rule;  // `replace` is empty for a program. Nodes named by preconditions are marked `is_used_once`.
  std::optional<machine::Program> program;
  const machine::Machine* machine = nullptr;  // Null if there is no program.
};

// Parses the search side, the replacement or program, and the condition. The text must contain every precondition of
// `rule.generalisation`, except `is_used_once` on a node such as "n2" and `is_not_only_used_by_fadd` on the root, which
// this function adds. Nodes are numbered in prefix order among all values of the search side; the root is 0. Fails with
// InvalidArgument for malformed text or an illegal program, with NotFound for an unknown machine, and with
// FailedPrecondition for a precondition that the text lacks or that does not fit its node.
absl::StatusOr<EntryRule> ParseEntry(const v1::RewriteRule& rule);

// Returns the rule's text without the preconditions that its sites require. The digest of this text is the rule's id.
// Returns any error of ParseEntry.
absl::StatusOr<std::string> CanonicalText(const v1::RewriteRule& rule);

// Returns the preconditions for which Mesa has no helper function. A maintainer would have to add such functions.
std::vector<std::string> Wishes(const v1::RewriteRule& rule);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_ENTRY_RULE_H_

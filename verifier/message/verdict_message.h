// Converts verdicts, statements about inexact rules, denormal modes, and dialects to messages.
#ifndef REWROUGHT_VERIFIER_MESSAGE_VERDICT_MESSAGE_H_
#define REWROUGHT_VERIFIER_MESSAGE_VERDICT_MESSAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dialect/dialect.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/entry_check.h"
#include "verifier/inexact/inexact.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

v1::DenormMode ModeProto(ir::DenormMode mode);
std::optional<ir::DenormMode> ModeOf(v1::DenormMode mode);  // nullopt if unspecified or invalid

v1::Dialect DialectProto(ir::Dialect dialect);
std::optional<ir::Dialect> DialectOf(v1::Dialect dialect);  // nullopt if unspecified or invalid

// Parses a list of modes such as "any,flush". Removes duplicates and sorts the modes as cases are sorted. Fails with
// InvalidArgument for other words.
absl::StatusOr<std::vector<ir::DenormMode>> ParseModes(absl::string_view words);

// Formats results as hex padded to `bits`, with commas between components and "nan" or "any" for a free component.
std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits);

// Returns "a:32 b:32 root:32 any": the sizes of the search's variables and root, sorted by name, and the mode.
std::string CaseKey(const ir::Term& search, ir::DenormMode mode);

// Returns the message for the result of a case. `semantics` is the hex digest of the semantics that produced the
// result.
v1::CaseVerdict CaseProto(const ir::Term& search, ir::DenormMode mode, const CaseResult& result,
                          const std::string& semantics);

// Returns the part of a message that is needed to prove a case again: the kind, the copies, and the parts' values.
// Nothing else in the message is trusted. Fails with InvalidArgument if a part's values are malformed or if a part has
// parts.
absl::StatusOr<Certificate> RecipeOf(const v1::Certificate& proto);

struct VerdictDetail {
  bool certificates = false;
  bool explain = false;  // the values of every node for each witness
};

// Returns the rule's verdict. A rule with invalid text has VERDICT_ERROR and `error`. `semantics` is as for CaseProto.
v1::RuleVerdict RuleProto(const CheckedEntry& entry, const std::string& semantics, VerdictDetail detail);

// Returns the statement about a rule with `~`; omits errors that were not measured. The statement does not say whether
// the rule may be used, because equality over the reals is not sufficient for that.
v1::InexactStatement InexactProto(const InexactVerdict& over_reals);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_VERDICT_MESSAGE_H_

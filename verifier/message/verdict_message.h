// Verdicts of rules and cases, statements about inexact rules and denormal modes as messages.
#ifndef REWROUGHT_VERIFIER_MESSAGE_VERDICT_MESSAGE_H_
#define REWROUGHT_VERIFIER_MESSAGE_VERDICT_MESSAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/entry_check.h"
#include "verifier/inexact/inexact.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

v1::DenormMode ModeProto(ir::DenormMode mode);
std::optional<ir::DenormMode> ModeOf(v1::DenormMode mode);  // none: unspecified, or a number without a meaning

// "any,flush" as modes, in the order in which cases are sorted, each once. InvalidArgument: another word.
absl::StatusOr<std::vector<ir::DenormMode>> ParseModes(absl::string_view words);

// Each allowed result as hex padded to `bits`, components separated by commas, "nan" and "any" for what is free.
std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits);

// "a:32 b:32 root:32 any": the sizes of the search's variables and root, sorted by name, and the mode.
std::string CaseKey(const ir::Term& search, ir::DenormMode mode);

// The verdict with everything that it rests on. `semantics` is the digest under which it was reached, hex.
v1::CaseVerdict CaseProto(const ir::Term& search, ir::DenormMode mode, const CaseResult& result,
                          const std::string& semantics);

// The way to prove a case again that a message shows: kind, copies and the parts' values; nothing else of it is to be
// believed. InvalidArgument: a part's values are malformed, or parts have parts.
absl::StatusOr<Certificate> WayOf(const v1::Certificate& proto);

struct VerdictDetail {
  bool certificates = false;
  bool explain = false;  // values of every node on each witness
};

// A rule whose text is wrong has VERDICT_ERROR and `error`. `semantics` as above.
v1::RuleVerdict RuleProto(const CheckedEntry& entry, const std::string& semantics, VerdictDetail detail);

// What is known of a rule with `~`; errors that were not measured are absent. Says nothing of a permission: that the
// two sides are equal over the reals is not enough for one.
v1::InexactStatement InexactProto(const InexactVerdict& over_reals);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_VERDICT_MESSAGE_H_

// Verdicts of cases and statements about inexact rules as messages, and the words of docs/commands.md for them.
#ifndef REWROUGHT_VERIFIER_VERDICT_MESSAGE_H_
#define REWROUGHT_VERIFIER_VERDICT_MESSAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/inexact/inexact.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

v1::DenormMode ModeProto(ir::DenormMode mode);
v1::Verdict VerdictProto(Verdict verdict);

// The words of docs/commands.md: "any", "proved", "uf". "" for a number that has none.
absl::string_view NameOf(v1::DenormMode mode);
absl::string_view NameOf(v1::Verdict verdict);
absl::string_view NameOf(v1::AccuracyClass accuracy);  // "" where nothing was measured
absl::string_view NameOf(v1::Tier tier);

// Each allowed result as hex padded to `bits`, components separated by commas, "nan" and "any" for what is free.
std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits);

// "a:32 b:32 root:32 any": the sizes of the search's variables and root, sorted by name, and the mode.
std::string CaseKey(const ir::Term& search, ir::DenormMode mode);

// The verdict with everything that it rests on. `semantics` is the digest under which it was reached, hex.
v1::CaseVerdict CaseProto(const ir::Term& search, ir::DenormMode mode, const CaseResult& result,
                          const std::string& semantics);

// What is known of a rule with `~`; errors that were not measured are absent. Says nothing of a permission: that the
// two sides are equal over the reals is not enough for one.
v1::InexactStatement InexactProto(const InexactVerdict& over_reals);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_VERDICT_MESSAGE_H_

// Verdicts of cases as protos and as rows of the store, and back.
#ifndef REWROUGHT_SERVER_PIPELINE_CASE_RECORD_H_
#define REWROUGHT_SERVER_PIPELINE_CASE_RECORD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "server/store/records.h"
#include "verifier/inexact.h"
#include "verifier/verdict.h"

namespace rewrought::pipeline {

v1::DenormMode ModeProto(ir::DenormMode mode);
v1::Verdict VerdictProto(verifier::Verdict verdict);

// The words of the command contract: "any", "proved", "uf". "" for a number that has none.
absl::string_view NameOf(v1::DenormMode mode);
absl::string_view NameOf(v1::Verdict verdict);
absl::string_view NameOf(v1::AccuracyClass accuracy);  // "" where nothing was measured
absl::string_view NameOf(v1::Tier tier);

// Each allowed result as hex padded to `bits`, components separated by commas, "nan" and "any" for what is free.
std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits);

// "a:32 b:32 root:32 any": the sizes of the search's variables and root, sorted by name, and the mode.
std::string CaseKey(const ir::Term& search, ir::DenormMode mode);

// The verdict with everything that it rests on. `semantics` is the digest under which it was reached, hex.
v1::CaseVerdict CaseProto(const ir::Term& search, ir::DenormMode mode, const verifier::CaseResult& result,
                          const std::string& semantics);

// What is known of a rule with `~`; errors that were not measured are absent. Says nothing of a permission: that the
// two sides are equal over the reals is not enough for one.
v1::InexactStatement InexactProto(const verifier::InexactVerdict& over_reals);

// The row of a verdict; its certificate holds the whole v1::CaseVerdict. `proto` must not be VERDICT_ERROR.
store::VerdictRecord RecordOf(const store::Digest& rule, const store::Digest& semantics, const std::string& case_key,
                              const v1::CaseVerdict& proto);

// The verdict of a row that RecordOf made. DataLoss: its bytes do not parse.
absl::StatusOr<v1::CaseVerdict> ProtoOfRecord(const store::VerdictRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_CASE_RECORD_H_

// Converts a proved candidate to a stored record with its text, costs, and evidence other than proofs.
#ifndef REWROUGHT_PIPELINE_RULE_RECORD_H_
#define REWROUGHT_PIPELINE_RULE_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "pipeline/evidence/rule_evidence.h"
#include "store/records.h"

namespace rewrought::pipeline {

// Returns the record of `candidate`, which was found for `fragment`. The caller must set `created_run` and `created`.
store::RuleRecord RecordOfRule(const ir::Digest& fragment, const machine::Candidate& candidate,
                               const RuleEvidence& evidence);

// Returns whether the state says that the rule does not hold.
bool IsOut(v1::RuleState state);

// Sets the columns that follow from the search side: its root's flags and its ops.
void SetFlagsAndOps(const machine::Candidate& candidate, store::RuleRecord* rule);

// Parses a candidate from text; exactly one of `replace` and `program` is not empty. Returns InvalidArgument if the
// text does not parse, and NotFound if the machine does not exist.
absl::StatusOr<machine::Candidate> CandidateOfTexts(const std::string& machine, absl::string_view search,
                                                    absl::string_view replace, absl::string_view program);
absl::StatusOr<machine::Candidate> CandidateOfRecord(const store::RuleRecord& record);

// Prints the candidate and parses the text again. Equal constants and terms, for which a search may create several
// nodes, share a node in the result.
absl::StatusOr<machine::Candidate> AsWritten(const machine::Candidate& candidate);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RULE_RECORD_H_

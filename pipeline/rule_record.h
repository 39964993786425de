// A proved candidate as the record that the store keeps: texts, costs, and the evidence beside the proofs.
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

// The record of `candidate`, found from the fragment of that digest; run and time are the caller's to set.
store::RuleRecord RecordOfRule(const ir::Digest& fragment, const machine::Candidate& candidate,
                               const RuleEvidence& evidence);

// The candidate that these texts say; `program` is empty, or else `replace`. InvalidArgument: one does not parse;
// NotFound: there is no such machine.
absl::StatusOr<machine::Candidate> CandidateOfTexts(const std::string& machine, absl::string_view search,
                                                    absl::string_view replace, absl::string_view program);
absl::StatusOr<machine::Candidate> CandidateOfRecord(const store::RuleRecord& record);

// What CandidateOfTexts makes of a candidate's own texts: equal constants and terms are one node there, which a search
// may have made twice.
absl::StatusOr<machine::Candidate> AsWritten(const machine::Candidate& candidate);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RULE_RECORD_H_

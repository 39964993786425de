// Verdicts of cases as rows of the store, and back.
#ifndef REWROUGHT_PIPELINE_CASE_RECORD_H_
#define REWROUGHT_PIPELINE_CASE_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "store/records.h"

namespace rewrought::pipeline {

// The row of a verdict; its certificate holds the whole v1::CaseVerdict. `proto` must not be VERDICT_ERROR.
store::VerdictRecord RecordOf(const ir::Digest& rule, const ir::Digest& semantics, const std::string& case_key,
                              const v1::CaseVerdict& proto);

// The verdict of a row that RecordOf made. DataLoss: its bytes do not parse.
absl::StatusOr<v1::CaseVerdict> ProtoOfRecord(const store::VerdictRecord& record);

// The message as the same bytes for the same content, without how long anything took.
std::string ClaimOf(v1::CaseVerdict proto);

// What store::VerifiedStore notes of a verdict that was reached here: all that the row says but times.
std::string ClaimOf(const store::VerdictRecord& record, const v1::CaseVerdict& proto);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_CASE_RECORD_H_

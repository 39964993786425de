// Converts the verdicts of cases to rows of the store and back.
#ifndef REWROUGHT_PIPELINE_CASE_RECORD_H_
#define REWROUGHT_PIPELINE_CASE_RECORD_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "store/records.h"
#include "store/verified_store.h"

namespace rewrought::pipeline {

// Returns the row for a verdict. The row's `certificate` contains the whole v1::CaseVerdict. The verdict must not be
// VERDICT_ERROR.
store::VerdictRecord RecordOf(const ir::Digest& rule, const ir::Digest& semantics, const std::string& case_key,
                              const v1::CaseVerdict& proto);

// Parses the verdict from a row that RecordOf created. Returns DataLoss if the row's bytes do not parse.
absl::StatusOr<v1::CaseVerdict> ProtoOfRecord(const store::VerdictRecord& record);

// Serializes the verdict deterministically, without its times.
std::string ClaimOf(v1::CaseVerdict proto);

// Returns the text that store::VerifiedStore records for a verdict that this installation reached: everything in the
// row except times.
std::string ClaimOf(const store::VerdictRecord& record, const v1::CaseVerdict& proto);

// Returns the row's verdict if this installation reached it and the row's other columns agree with it, or else nullopt.
// `verified` must belong to the row's database. Propagates store errors.
absl::StatusOr<std::optional<v1::CaseVerdict>> OwnVerdict(const store::VerdictRecord& record,
                                                          store::VerifiedStore* verified);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_CASE_RECORD_H_

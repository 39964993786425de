// Stored rules as messages and as text: one mapping for packs, the service and the command line.
#ifndef REWROUGHT_PIPELINE_RULE_MESSAGE_H_
#define REWROUGHT_PIPELINE_RULE_MESSAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/text/display.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::pipeline {

// What discovery left with a rule: generalisation, costs, confirmations, mutants. Empty if its bytes do not parse.
v1::PackEntry DetailOf(const store::RuleRecord& record);

// Appends the flags whose bits (ir::NodeFlag) are set.
void AddNodeFlags(uint32_t flags, google::protobuf::RepeatedField<int>* message);

// The rule with DetailOf's part of it and these measurements, without terms.
v1::RewriteRule RuleMessage(const store::RuleRecord& record, absl::Span<const store::MeasurementRecord> measurements);

// The verdicts that the rule was reached with, under its own semantics, by case. DataLoss: one does not parse; else the
// store's errors.
absl::StatusOr<std::vector<v1::CaseVerdict>> ProofsOf(store::Store* store, const store::RuleRecord& record);

// The sides as people write them (ir/text/display.h), a program as it is; and as "(search, replace)" or
// "(search, [PROGRAM])", each with its condition.
ir::DisplayedSides SidesText(const store::RuleRecord& record);
std::string TupleText(const store::RuleRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RULE_MESSAGE_H_

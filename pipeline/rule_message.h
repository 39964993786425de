// Converts stored rules to messages and text for packs, the service and the command line.
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

// Returns the rule's data from discovery: generalization, costs, confirmations and mutants; empty if the bytes do not
// parse.
v1::PackEntry DetailOf(const store::RuleRecord& record);

// Appends the flags whose bits (ir::NodeFlag) are set.
void AddNodeFlags(uint32_t flags, google::protobuf::RepeatedField<int>* message);

// Returns the rule with DetailOf's fields and these measurements, but without terms.
v1::RewriteRule RuleMessage(const store::RuleRecord& record, absl::Span<const store::MeasurementRecord> measurements);

// Returns the rule's stored verdicts under its own semantics, by case. Returns DataLoss if one does not parse, or
// store errors.
absl::StatusOr<std::vector<v1::CaseVerdict>> ProofsOf(store::Store* store, const store::RuleRecord& record);

// Returns the rule's sides in display form (ir/text/display.h), with a program unchanged; TupleText returns "(search,
// replace)" or "(search, [PROGRAM])" with its condition.
ir::DisplayedSides SidesText(const store::RuleRecord& record);
std::string TupleText(const store::RuleRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RULE_MESSAGE_H_

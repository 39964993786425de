// Converts stored rules to messages and text for packs, the service, and the command line.
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

// Returns the rule's data from discovery: its generalization, costs, confirmations, and mutants. Returns an empty entry
// if the stored bytes do not parse.
v1::PackEntry DetailOf(const store::RuleRecord& record);

// Appends to `message` the v1::NodeFlag of each ir::NodeFlag bit set in `flags`.
void AddNodeFlags(uint32_t flags, google::protobuf::RepeatedField<int>* message);

// Returns the rule as a message with the fields of DetailOf and the given measurements. The sides are text, not terms.
v1::RewriteRule RuleMessage(const store::RuleRecord& record, absl::Span<const store::MeasurementRecord> measurements);

// Returns the stored verdicts reached under the rule's own semantics, one per case. Returns DataLoss if a verdict does
// not parse. Propagates store errors.
absl::StatusOr<std::vector<v1::CaseVerdict>> ProofsOf(store::Store* store, const store::RuleRecord& record);

// SidesText returns the rule's sides in display form (ir/text/display.h); a replacement that is a program is returned
// as stored. TupleText returns "(search, replace)" or "(search, [PROGRAM])", with the condition, if any.
ir::DisplayedSides SidesText(const store::RuleRecord& record);
std::string TupleText(const store::RuleRecord& record);

// Returns the sides in display form without sizes. Rules that differ only in sizes have the same text.
std::string TextWithoutSizes(const store::RuleRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RULE_MESSAGE_H_

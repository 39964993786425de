// What a rule's page shows beyond the stored rule: the code of both sides on machines, and the rule without each of its
// preconditions.
#ifndef REWROUGHT_SERVER_HANDLERS_RULE_VIEWS_H_
#define REWROUGHT_SERVER_HANDLERS_RULE_VIEWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/rule_service.pb.h"
#include "store/records.h"

namespace rewrought::rpc {

// One listing. What has no code there says why in `problem`. `sizes` (not null) becomes "a:32 b:32".
v1::GetAssemblyResponse::Listing ListingOf(const store::RuleRecord& record, const machine::Machine& machine,
                                           std::string* sizes);

struct Weakening {
  std::string precondition;  // "a: is_not_negative", "n0: nsz"
  std::string rule;          // text of the rule without it
};

// One for each predicate of a variable or node and each permission of a node in the search, in prefix order.
// InvalidArgument: the stored rule does not parse.
absl::StatusOr<std::vector<Weakening>> WeakeningsOf(const store::RuleRecord& record);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_RULE_VIEWS_H_

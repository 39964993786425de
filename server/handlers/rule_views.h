// Derives views from a stored rule: the code of both sides on a machine, and the variants of the rule that each omit
// one precondition.
#ifndef REWROUGHT_SERVER_HANDLERS_RULE_VIEWS_H_
#define REWROUGHT_SERVER_HANDLERS_RULE_VIEWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/rule_service.pb.h"
#include "store/records.h"

namespace rewrought::rpc {

// Returns the code of both sides on `machine`. If there is no code, the listing's field `problem` says why. Sets
// `sizes`, which must not be null, to text such as "a:32 b:32".
v1::GetAssemblyResponse::Listing ListingOf(const store::RuleRecord& record, const machine::Machine& machine,
                                           std::string* sizes);

struct Weakening {
  std::string precondition;  // "a: is_not_negative", "n0: nsz"
  std::string rule;          // text of the rule without the precondition
};

// Returns one weakening for each predicate of a variable or node, and one for each permission of a search node (such as
// nsz), in prefix order. Fails with InvalidArgument if the stored rule does not parse.
absl::StatusOr<std::vector<Weakening>> WeakeningsOf(const store::RuleRecord& record);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_RULE_VIEWS_H_

// Stored rules and their proofs as messages.
#ifndef REWROUGHT_SERVER_RPC_RULE_PROTO_H_
#define REWROUGHT_SERVER_RPC_RULE_PROTO_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "server/store/records.h"
#include "server/store/store.h"

namespace rewrought::rpc {

// All of `term`; `text` is its rule text.
v1::Term ToProto(const ir::Term& term);

// The rule with its measurements, without terms. What `detail` holds as a v1::RewriteRule (generalisation, costs,
// inexact statement) goes along. The store's errors.
absl::StatusOr<v1::RewriteRule> ToProto(store::Store* store, const store::RuleRecord& record);

// Sets search_term and replace_term where the rule's texts parse.
void AddTerms(v1::RewriteRule* rule);

// The verdicts that the rule was reached with, by case. DataLoss: one does not parse; else the store's errors.
absl::StatusOr<std::vector<v1::CaseVerdict>> ProofsOf(store::Store* store, const store::RuleRecord& record);

// "(search, replace)", "(search, [PROGRAM])", each with its condition.
std::string RuleText(const store::RuleRecord& record);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_RULE_PROTO_H_

// Stored rules and terms as messages.
#ifndef REWROUGHT_SERVER_MESSAGES_RULE_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_RULE_PROTO_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/records.h"
#include "store/store.h"
#include "verifier/entry_check.h"

namespace rewrought::rpc {

// All of `term`; `text` is its rule text. A term that is a constant alone is labelled as one of type `root`.
v1::Term ToProto(const ir::Term& term, ir::BaseType root = ir::BaseType::kUint);

// The type of what a term gives; kUint where it is no op.
ir::BaseType RootType(const ir::Term& term);

// What of a rule's message follows from its texts alone: the texts as people write them, and as terms where they parse.
// Kept by the process, 8 MB at most.
v1::RewriteRule TextsOf(const store::RuleRecord& record);

// The rule with its measurements; its texts as people write them, and as terms where they parse. The store's errors.
absl::StatusOr<v1::RewriteRule> ToProto(store::Store* store, const store::RuleRecord& record);

// The same without terms and the examples of its trials: for answers of many rules.
absl::StatusOr<v1::RewriteRule> ListedProto(store::Store* store, const store::RuleRecord& record);

// Sets search_term and replace_term, at the case's sizes, of the cases whose witness is explained. `verdict`: what
// verifier::RuleProto made of `checked`.
void AddCaseTerms(const verifier::CheckedEntry& checked, v1::RuleVerdict* verdict);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_RULE_PROTO_H_

// Converts stored rules and terms to messages.
#ifndef REWROUGHT_SERVER_MESSAGES_RULE_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_RULE_PROTO_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/records.h"
#include "store/store.h"
#include "verifier/entry_check.h"

namespace rewrought::rpc {

// Converts `term`. The message's `text` is the term in the syntax of rules. If the term is only a constant, its label
// shows a value of type `root`.
v1::Term ToProto(const ir::Term& term, ir::BaseType root = ir::BaseType::kUint);

// Returns the type of a term's result, or kUint if the term's root is not an op.
ir::BaseType RootType(const ir::Term& term);

// Returns the parts of a rule's message that depend only on the rule's texts: the texts in display form and, if they
// parse, as terms. The process caches up to 8 MB of these messages.
v1::RewriteRule TextsOf(const store::RuleRecord& record);

// Returns the rule with its measurements and with the texts that TextsOf returns. Fails with the store's errors.
absl::StatusOr<v1::RewriteRule> ToProto(store::Store* store, const store::RuleRecord& record);

// Like ToProto, but omits the terms and the examples of the rule's trials. Used for responses that contain many rules.
absl::StatusOr<v1::RewriteRule> ListedProto(store::Store* store, const store::RuleRecord& record);

// Sets search_term and replace_term, at the sizes of the case, for the cases that have an explained witness. `verdict`
// must be the result of verifier::RuleProto for `checked`.
void AddCaseTerms(const verifier::CheckedEntry& checked, v1::RuleVerdict* verdict);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_RULE_PROTO_H_

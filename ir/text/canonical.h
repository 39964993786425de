// The canonical form of terms and rules, and the digests of that form. Terms that differ only in names, in the operand
// order of commutative ops, or in the sharing of equal nodes have the same form.
#ifndef REWROUGHT_IR_TEXT_CANONICAL_H_
#define REWROUGHT_IR_TEXT_CANONICAL_H_

#include <string>

#include "ir/term.h"

namespace rewrought::ir {

// Returns the canonical form of `term`, which differs from `term` as follows:
//  - Nodes that the root does not reach are dropped.
//  - Equal nodes are merged, except zeros that match either sign.
//  - Unread lanes of a swizzle are set to the identity.
//  - Operands of a commutative op are sorted: variables first, literals last, then by a hash of their shape. Operands
//    of equal shape are sorted to minimize the text. After 6 such pairs, the remaining ones keep their order.
//  - Variables are renamed a, b, c, ... in the order of that text. The nodes have the same order, sources first.
// The function is idempotent.
Term CanonicalTerm(const Term& term);

// Like CanonicalTerm, but for both sides of a rule, which use the same variable names. Keeps the condition and sets
// `line` to 0.
Rule CanonicalRule(const Rule& rule);

// Returns a string that contains every node once, in order, with all its fields. Two such strings are equal iff the
// terms are equal node for node.
std::string CanonicalText(const Term& term);

// Returns 64 hex digits: the SHA-256 of the canonical form's CanonicalText. A rule's digest covers both sides and the
// condition.
std::string CanonicalDigest(const Term& term);
std::string CanonicalDigest(const Rule& rule);

bool StructurallyEqual(const Term& a, const Term& b);
bool StructurallyEqual(const Rule& a, const Rule& b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_CANONICAL_H_

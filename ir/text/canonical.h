// The canonical form of terms and rules, and their digests: what is equal up to names, operand order of commutative ops
// and sharing of equal nodes has one form.
#ifndef REWROUGHT_IR_TEXT_CANONICAL_H_
#define REWROUGHT_IR_TEXT_CANONICAL_H_

#include <string>

#include "ir/term.h"

namespace rewrought::ir {

// The canonical form of `term`: nodes that the root does not reach are dropped; equal nodes are one (zeros that match
// either sign excepted); lanes of a swizzle that nothing reads are the identity; the two operands of a commutative op
// stand variables first, literals last, otherwise by a hash of their shape, and where shapes are equal in the order
// that gives the least text; variables are called a, b, c, ... in the order of that text. Nodes stand in that order,
// sources first. The canonical form of a canonical term is itself. With more than 6 undecided pairs the rest keep the
// order given.
Term CanonicalTerm(const Term& term);

// As CanonicalTerm for both sides with one naming; the condition is kept, `line` is 0.
Rule CanonicalRule(const Rule& rule);

// A text that names every node once, in order, with all its fields; equal iff the terms are equal node for node.
std::string CanonicalText(const Term& term);

// 64 hex digits: SHA-256 of the CanonicalText of the canonical form; for a rule, of both sides' and the condition.
std::string CanonicalDigest(const Term& term);
std::string CanonicalDigest(const Rule& rule);

// Whether the canonical forms are equal.
bool StructurallyEqual(const Term& a, const Term& b);
bool StructurallyEqual(const Rule& a, const Rule& b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_CANONICAL_H_

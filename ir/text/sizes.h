// Which sizes a rule's values may have, and the rule at given sizes. NIR's typing: all operands of an op whose type has
// no size share one; a variable has one size; both roots have the same.
#ifndef REWROUGHT_IR_TEXT_SIZES_H_
#define REWROUGHT_IR_TEXT_SIZES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/op_table.h"
#include "ir/term.h"
#include "ir/text/generic_ops.h"

namespace rewrought::ir {

struct SizeOptions {
  OpResolver find = &FindOp;
  // Keeps `0.0` and `-0.0` of the search side apart, as Mesa does from 2026; else each matches both zeros.
  bool literals_exact = false;
  // Whether a replacement may add constraints to the search's sizes. Mesa refuses such rules.
  bool replacement_may_narrow = true;
};

// One size for every node. `names` lists, in order: the variables by first occurrence in the search, inner values whose
// size follows from nothing else ("n2": node 2 in prefix order of the search as written), and "root".
struct SizeAssignment {
  int width =
      0;  // of the rule's free class: the first variable's that is free, if there are several; the root's if none
  std::vector<std::pair<std::string, int>> names;
  std::vector<uint8_t> search_bits, replace_bits;  // by node
};

// Where the size of a replacement's value comes from when the rule is applied.
struct SizeOrigin {
  enum Kind : uint8_t { kFixed, kVariable, kRoot } kind = kFixed;
  uint8_t bits = 0;        // kFixed
  NodeIndex variable = 0;  // kVariable: a node of the search
};

// The classes of values that must have one size.
class RuleSizes {
 public:
  // Infers the classes. InvalidArgument, with the names of the two operands, where two sizes contradict; where an op
  // allows none of the sizes left; where the size of a value of the replacement or of a relation follows from nothing;
  // and where `where` is not as ir/match/relation.h says. The rule must outlive this. rule.replace may be empty (a term
  // alone).
  static absl::StatusOr<RuleSizes> Infer(const Rule& rule, const SizeOptions& options = {});

  // Every assignment of 1, 8, 16, 32, 64 (4 where written) that the ops' types allow, sorted by width, then by names in
  // order. Never empty. At most 4096, ResourceExhausted beyond.
  absl::StatusOr<std::vector<SizeAssignment>> Enumerate() const;

  // By node of the replacement; by node of the search, for those of a relation (ir/match/relation.h).
  std::vector<SizeOrigin> ReplacementOrigins() const { return OriginsOf(replace_class_); }
  std::vector<SizeOrigin> SearchOrigins() const { return OriginsOf(search_class_); }

 private:
  friend class SizeInference;
  struct Class {
    uint8_t fixed = 0;
    uint8_t allowed = 0;  // bit i: kSizes[i]
    bool has_variable = false;
    NodeIndex variable = 0;  // the first one, by node of the search
  };
  uint8_t ClassSizes(const Class& c) const;
  std::vector<SizeOrigin> OriginsOf(const std::vector<uint32_t>& classes) const;  // by node
  std::vector<std::pair<std::string, uint32_t>> NamedClasses() const;  // in the order of SizeAssignment::names
  bool ConversionsExist(const std::vector<uint8_t>& bits) const;

  const Rule* rule_ = nullptr;
  OpResolver find_ = nullptr;
  std::vector<Class> classes_;
  std::vector<uint32_t> search_class_, replace_class_;  // by node
};

// RuleSizes::Infer and Enumerate in one.
absl::StatusOr<std::vector<SizeAssignment>> EnumerateSizes(const Rule& rule, const SizeOptions& options = {});

// The rule with every size and component count known, conversions resolved to sized ops, literals as patterns
// (LiteralKind::kBits), equal nodes merged:
//  - integers are masked to the size; an integer in a float's place stays the raw bits, as in Mesa;
//  - floats are rounded to nearest even, also in an integer's place; a zero on the search side gets the predicate
//    "either_zero" unless options.literals_exact;
//  - Booleans are 0 and 1 at one bit, 0 and ~0 at 8, 16 and 32 bits.
// InvalidArgument if components do not fit, or a conversion does not exist at its size.
absl::StatusOr<Rule> Instantiate(const Rule& rule, const SizeAssignment& sizes, const SizeOptions& options = {});

// The pattern of the open literal `node` at `bits`, as above.
uint64_t LiteralBits(const Node& node, int bits);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_SIZES_H_

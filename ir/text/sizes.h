// Enumerates the sizes that a rule's values may have, and instantiates the rule at given sizes. NIR's typing requires
// that all unsized operands of an op have the same size, that a variable has a single size, and that both roots have
// the same size.
#ifndef REWROUGHT_IR_TEXT_SIZES_H_
#define REWROUGHT_IR_TEXT_SIZES_H_

#include <cstdint>
#include <optional>
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
  // Distinguishes `0.0` from `-0.0` on the search side, as Mesa 26 does. Otherwise, each of the two matches both zeros.
  bool literals_exact = false;
  // If true, a replacement may constrain the search's sizes further. Mesa rejects such rules.
  bool replacement_may_narrow = true;
};

// A size for every node. `names` lists, in this order: the variables, by first occurrence in the search; the inner
// values whose size cannot be inferred ("n2": node 2 in prefix order of the search as written); and "root".
struct SizeAssignment {
  // The size of the class whose size is free. If several classes are free, it is the size of the first free variable;
  // if none is free, it is the root's size.
  int width = 0;
  std::vector<std::pair<std::string, int>> names;
  std::vector<uint8_t> search_bits, replace_bits;  // indexed by node
};

// The origin of a size when a rule is applied: a value of the replacement has a fixed size, the size of a variable, or
// the size of the root.
struct SizeOrigin {
  enum Kind : uint8_t { kFixed, kVariable, kRoot } kind = kFixed;
  uint8_t bits = 0;        // kFixed
  NodeIndex variable = 0;  // kVariable: a node of the search
};

// The node at which contradictory sizes were found.
struct SizeErrorNode {
  bool in_replacement = false;
  NodeIndex node = 0;
};

// Returns the node at which RuleSizes::Infer failed, or nullopt if the error does not concern a single node.
std::optional<SizeErrorNode> NodeOfSizeError(const absl::Status& status);

// The classes of values that must have equal sizes.
class RuleSizes {
 public:
  // Infers the classes. The rule must outlive the result; rule.replace may be empty (a term alone). Fails with
  // InvalidArgument, naming the operands, if two sizes contradict each other, if an op allows none of the remaining
  // sizes, if the size of a value of the replacement or of a relation is undetermined, or if `where` violates the rules
  // of ir/match/relation.h. NodeOfSizeError returns the node of such an error.
  static absl::StatusOr<RuleSizes> Infer(const Rule& rule, const SizeOptions& options = {});

  // Returns every assignment of the sizes 1, 8, 16, 32, and 64 (and 4 where written) that the ops' types allow, sorted
  // by width and then by the sizes in the order of `names`. The result is never empty. Fails with ResourceExhausted if
  // there are more than 4096 assignments.
  absl::StatusOr<std::vector<SizeAssignment>> Enumerate() const;

  // Return the origins of the sizes, indexed by node of the replacement or of the search. SearchOrigins is needed for
  // the nodes of a relation (ir/match/relation.h).
  std::vector<SizeOrigin> ReplacementOrigins() const { return OriginsOf(replace_class_); }
  std::vector<SizeOrigin> SearchOrigins() const { return OriginsOf(search_class_); }

 private:
  friend class SizeInference;
  struct Class {
    uint8_t fixed = 0;
    uint8_t allowed = 0;  // bit i represents kSizes[i]
    bool has_variable = false;
    NodeIndex variable = 0;  // the class's first variable, as a node index in the search
  };
  uint8_t ClassSizes(const Class& c) const;
  std::vector<SizeOrigin> OriginsOf(const std::vector<uint32_t>& classes) const;  // indexed by node
  std::vector<std::pair<std::string, uint32_t>> NamedClasses() const;  // in the order of SizeAssignment::names
  bool ConversionsExist(const std::vector<uint8_t>& bits) const;

  const Rule* rule_ = nullptr;
  OpResolver find_ = nullptr;
  std::vector<Class> classes_;
  std::vector<uint32_t> search_class_, replace_class_;  // indexed by node
};

absl::StatusOr<std::vector<SizeAssignment>> EnumerateSizes(const Rule& rule, const SizeOptions& options = {});

// Returns the rule with all sizes and component counts known, conversions resolved to sized ops, literals as patterns
// (LiteralKind::kBits) and equal nodes merged. Literals are converted as follows:
//  - Integers are masked to the size. An integer in a float operand denotes raw bits, as in Mesa. A replacement has
//    True for every integer except 0 at 1 bit (nir.h, nir_const_value_for_raw_uint).
//  - Floats are rounded to nearest even, even in an integer operand. A zero on the search side gets the predicate
//    "either_zero" unless options.literals_exact is set.
//  - Booleans are 0 and 1 at 1 bit, and 0 and ~0 at 8, 16 and 32 bits.
// Fails with InvalidArgument if component counts are inconsistent or a conversion does not exist at its size.
absl::StatusOr<Rule> Instantiate(const Rule& rule, const SizeAssignment& sizes, const SizeOptions& options = {});

// Returns the `bits`-bit pattern of the open literal `node` of a search, converted as Instantiate does.
uint64_t LiteralBits(const Node& node, int bits);

// Returns the same for a literal of a replacement.
uint64_t BuiltLiteralBits(const Node& node, int bits);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_SIZES_H_

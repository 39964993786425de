// Defines the float contract. The result of a node is a set of bit patterns: the meaning of its row, widened by a
// closed list of choices. Each choice is made once per node. A rewrite S -> T is correct iff, for all admitted inputs
// x, the set T(x) of bit patterns is a subset of S(x).
//
// The choices of a node, in the order in which they are applied:
//   1. each distinct float source that is a denormal may be flushed to a zero of the same sign   (kFlushSource)
//   2. a denormal result, or one that rounds up to the smallest normal, may be flushed           (kFlushResult)
//   3. the sign of a zero is free if the row leaves it free, or the node is nsz                  (kZeroSign)
//   4. a NaN result is any NaN: sign, quiet bit, payload                                         (kNan)
//   5. nnan / ninf: any value if a float operand or the result is a NaN / an infinity            (kAnyValue)
//   6. poison: any value under the row's condition; any value in components that are not written (kAnyValue)
//
// The treatment of denormals depends on the mode. In `preserve`, nothing is flushed. In `flush`, a kArithmetic row must
// flush its sources and its result, but need not flush a result that rounds up to the smallest normal; a kMayFlush row
// may flush them. In `any`, every flush is optional. kBits rows never make choices 1, 2, or 4. Rounding is to nearest
// even. An approximated function is a fixed function of its (flushed) operands.
#ifndef REWROUGHT_IR_FLOAT_CONTRACT_H_
#define REWROUGHT_IR_FLOAT_CONTRACT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/term.h"

namespace rewrought::ir {

// A device's treatment of denormals. kNone means that the term has no float operation, so all modes agree.
enum class DenormMode : uint8_t { kNone, kAny, kPreserve, kFlush };

absl::string_view NameOf(DenormMode mode);

enum class ChoiceKind : uint8_t { kFlushSource, kFlushResult, kZeroSign, kNan, kAnyValue };

// A choice that a node makes. The value 1 means "flushed" for kFlushSource and kFlushResult, and -0 for kZeroSign. For
// kNan, a pattern that is not a NaN denotes the canonical NaN.
struct Choice {
  ChoiceKind kind = ChoiceKind::kNan;
  uint8_t width = 1;   // of the chosen value
  NodeIndex node = 0;  // in the lowered term
  uint8_t component = 0;
  ValueIndex about = 0;  // the value to flush, or the result before the choice
  std::string reason;    // for kAnyValue: "poison", "nnan", "ninf", "unwritten"
};

// Returns a value of choice.width bits for the choice.
using ChoiceSource = std::function<ValueIndex(const Choice&)>;

struct LoweredTerm {
  std::vector<std::vector<ValueIndex>> values;  // indexed by node, then component
  std::vector<ValueIndex> root;                 // indexed by component of the root
};

// Lowers a term, whose sizes must be known, into `dag`. Variables become inputs named "a" (one component) or "a.0",
// "a.1", …. A zero literal in the search that matches both zeros (predicate "either_zero") becomes a 1-bit input
// "zero<n>", where n counts these literals in node order. Fails with InvalidArgument if a size is open or a row cannot
// be built.
absl::StatusOr<LoweredTerm> LowerTerm(Dag* dag, const Term& term, DenormMode mode, const ChoiceSource& choose);

// Returns whether any node is a float operation or makes a choice that depends on the denormal mode.
bool HasFloatOperation(const Term& term);

// Returns x, or a zero of the same sign if x has a float width and is a denormal.
ValueIndex FlushDenorm(Dag* dag, ValueIndex x);

inline constexpr absl::string_view kEitherZero = "either_zero";

// The version of the contract's rules above; part of the digest of the semantics. Raise it when the meaning of a choice
// changes.
inline constexpr absl::string_view kFloatContractVersion = "float-contract-3";

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FLOAT_CONTRACT_H_

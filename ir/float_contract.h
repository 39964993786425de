// The float contract, stated once. A node's result is a set of bit patterns: its row's meaning, widened by a closed
// list of choices, each made once per node. A rewrite S -> T is right iff for all admitted inputs T(x) is a subset of
// S(x), as bits.
//
// The choices of a node, in the order in which they are applied:
//   1. each distinct float source that is a denormal may be flushed to a zero of its sign        (kFlushSource)
//   2. a denormal result, or one that rounds up to the smallest normal, may be flushed           (kFlushResult)
//   3. the sign of a zero where the row leaves it free, or the node is nsz                       (kZeroSign)
//   4. a NaN result is any NaN: sign, quiet bit, payload                                         (kNan)
//   5. nnan / ninf: any value if a float operand or the result is a NaN / an infinity            (kAnyValue)
//   6. poison: any value where the row says so; any value in components that are not written     (kAnyValue)
// Denormals, by mode: `preserve`: no choice. `flush`: kArithmetic must flush sources and result (a result that rounds
// up to the smallest normal: either), kMayFlush may. `any`: every flush is optional. kBits rows choose nothing of 1, 2
// and 4. Rounding is to nearest even; an approximated function is one fixed function of its (flushed) operands.
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

// What a device does with denormals. kNone: the term has no float operation and the modes do not differ.
enum class DenormMode : uint8_t { kNone, kAny, kPreserve, kFlush };

absl::string_view NameOf(DenormMode mode);

enum class ChoiceKind : uint8_t { kFlushSource, kFlushResult, kZeroSign, kNan, kAnyValue };

// One choice of one node. For kFlush… 1 means flushed, for kZeroSign 1 means -0; for kNan a pattern that is no NaN
// stands for the canonical one.
struct Choice {
  ChoiceKind kind = ChoiceKind::kNan;
  uint8_t width = 1;   // of the value chosen
  NodeIndex node = 0;  // in the lowered term
  uint8_t component = 0;
  ValueIndex about = 0;  // the value that is flushed, or the result before the choice
  std::string reason;    // for kAnyValue: "poison", "nnan", "ninf", "unwritten"
};

// Supplies the value of a choice, of choice.width bits, in the DAG.
using ChoiceSource = std::function<ValueIndex(const Choice&)>;

// A term lowered to primitives: values of each node's components.
struct LoweredTerm {
  std::vector<std::vector<ValueIndex>> values;  // by node, then component
  std::vector<ValueIndex> root;                 // by component of the root
};

// Lowers a term of known sizes into `dag`. Variables become inputs named "a" (one component) or "a.0", "a.1", …;
// a search-side zero literal that matches both zeros (predicate "either_zero") becomes an input "zero<n>" of 1 bit, n
// counting such literals in node order. InvalidArgument if a size is open or a row does not build.
absl::StatusOr<LoweredTerm> LowerTerm(Dag* dag, const Term& term, DenormMode mode, const ChoiceSource& choose);

// Whether any node makes a choice that the denormal modes decide, or is a float operation at all.
bool HasFloatOperation(const Term& term);

// The value x, flushed to a zero of its sign if it is a denormal of a float width.
ValueIndex FlushDenorm(Dag* dag, ValueIndex x);

inline constexpr absl::string_view kEitherZero = "either_zero";

// Names the contract's rules above; part of the digest of the semantics. Raise it when the meaning of a choice changes.
inline constexpr absl::string_view kFloatContractVersion = "float-contract-2";

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FLOAT_CONTRACT_H_

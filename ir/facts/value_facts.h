// What is known of a value before it is computed: sign and range of a float, bits and bound of an integer, uniformity;
// joined, and in words.
#ifndef REWROUGHT_IR_FACTS_VALUE_FACTS_H_
#define REWROUGHT_IR_FACTS_VALUE_FACTS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

// Facts of one component. The float half speaks of the pattern read as a float of its width (16, 32, 64); the integer
// half of the pattern read as an unsigned number. A default one says nothing.
struct ValueFacts {
  bool number = false;  // never a NaN
  // If the value is no NaN, it lies here; the zeros count as equal. An infinite end admits that infinity.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool nonzero = false;   // if no NaN, never a zero, and not flushed to one when read: at least the smallest normal
  bool integral = false;  // if a finite number, it is a whole one

  uint64_t known_zero = 0;               // bits that are 0
  uint64_t known_one = 0;                // bits that are 1
  uint64_t max_unsigned = ~uint64_t{0};  // never above; cut to the width
  bool from_bool = false;                // 0 or 1 as an integer, or +0.0 or 1.0, made from a Boolean

  bool uniform = false;  // the same for all lanes of a draw

  // What made the value, which says nothing of it, but decides whether a rule is applied, and what it saves.
  bool product = false;    // a product, or the negation of one
  bool saturable = false;  // an operation on floats, and nothing but one fsat reads it: a modifier of that operation

  // The chains that have the value and the other source of the instruction one (two) on from its reader as leaves, as
  // is_shared_with_outer (is_shared_with_second_outer) asks (ir/text/predicates.h); 0: it does not hold.
  uint32_t chains = 0, second_chains = 0;

  bool finite() const {
    return number && low > -std::numeric_limits<double>::infinity() && high < std::numeric_limits<double>::infinity();
  }
  // Sign facts in Mesa's sense (nir_range_analysis.h): none of them excludes a NaN; -0 is neither negative nor
  // positive.
  bool not_negative() const { return low >= 0; }
  bool not_positive() const { return high <= 0; }
  bool greater_than_zero() const { return low >= 0 && nonzero; }
  bool less_than_zero() const { return high <= 0 && nonzero; }
  bool zero_to_one() const { return number && low >= 0 && high <= 1; }

  friend bool operator==(const ValueFacts&, const ValueFacts&) = default;
};

// What holds of a value of which either `a` or `b` holds.
ValueFacts Join(const ValueFacts& a, const ValueFacts& b);

// The facts in short words, in a fixed order, separated by spaces: "number finite not_negative max=255 uniform". Empty
// if nothing is known. Ends of intervals are shown only as the words >0 >=0 <0 <=0 !=0 and 0..1.
std::string FactsText(const ValueFacts& facts);

// Facts of the variables in words (FactsText), separated by ';', and back: facts that are at least as weak as
// those that were written. Unknown words say nothing.
std::string FactsSummary(const std::vector<ValueFacts>& facts);
std::vector<ValueFacts> ParseFactsSummary(absl::string_view text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_VALUE_FACTS_H_

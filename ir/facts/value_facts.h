// Facts that are known about a value before it is computed: the sign and range of a float, the bits and upper bound of
// an integer, and uniformity.
#ifndef REWROUGHT_IR_FACTS_VALUE_FACTS_H_
#define REWROUGHT_IR_FACTS_VALUE_FACTS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

// Facts about one component. The float facts refer to the pattern read as a float of its width (16, 32 or 64), and the
// integer facts to the pattern read as an unsigned number. A default-constructed object contains no facts.
struct ValueFacts {
  bool number = false;  // never a NaN
  // Unless the value is a NaN, it is in [low, high], where +0 and -0 count as equal. An infinite bound includes that
  // infinity.
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // Unless the value is a NaN, its magnitude is at least the smallest normal, so it is neither zero nor flushed to
  // zero.
  bool nonzero = false;
  bool integral = false;  // an integer if it is finite

  uint64_t known_zero = 0;               // the bits that are always 0
  uint64_t known_one = 0;                // the bits that are always 1
  uint64_t max_unsigned = ~uint64_t{0};  // upper bound, truncated to the width
  bool from_bool = false;                // converted from a Boolean: integer 0 or 1, or float +0.0 or 1.0

  bool uniform = false;  // the same for all invocations of a draw

  // Properties of the defining instruction. They do not restrict the value, but they decide whether a rule applies and
  // how much it saves.
  bool product = false;    // a product or its negation
  bool saturable = false;  // a float op whose only user is an fsat, which can become a modifier of the op

  // `chains` counts the chains whose leaves include both this value and the other source of the instruction one step
  // after the value's reader, as is_shared_with_outer requires (ir/text/predicates.h). `second_chains` is the count for
  // two steps, as is_shared_with_second_outer requires. Each is 0 if its predicate does not hold.
  uint32_t chains = 0, second_chains = 0;

  bool finite() const {
    return number && low > -std::numeric_limits<double>::infinity() && high < std::numeric_limits<double>::infinity();
  }
  // Sign facts as in Mesa (nir_range_analysis.h). They do not exclude NaN, and -0 is neither negative nor positive.
  bool not_negative() const { return low >= 0; }
  bool not_positive() const { return high <= 0; }
  bool greater_than_zero() const { return low >= 0 && nonzero; }
  bool less_than_zero() const { return high <= 0 && nonzero; }
  bool zero_to_one() const { return number && low >= 0 && high <= 1; }

  friend bool operator==(const ValueFacts&, const ValueFacts&) = default;
};

// Returns the facts that hold for every value that satisfies `a` or `b`.
ValueFacts Join(const ValueFacts& a, const ValueFacts& b);

// Returns the facts as short words in a fixed order, separated by spaces: "number finite not_negative max=255 uniform".
// The result is empty if nothing is known. Float ranges appear only as the words >0 >=0 <0 <=0 !=0 and 0..1.
std::string FactsText(const ValueFacts& facts);

// Formats the facts of several variables as FactsText does, separated by ';'. ParseFactsSummary parses this text and
// ignores unknown words; the parsed facts are at most as strong as the original ones.
std::string FactsSummary(const std::vector<ValueFacts>& facts);
std::vector<ValueFacts> ParseFactsSummary(absl::string_view text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_VALUE_FACTS_H_

// Names the corner values of a float width for all float families.
#ifndef REWROUGHT_TOOLS_KNOWN_ANSWERS_FLOAT_VALUES_H_
#define REWROUGHT_TOOLS_KNOWN_ANSWERS_FLOAT_VALUES_H_

#include <cstdint>
#include <vector>

#include "tools/known_answers/answer_table.h"
#include "tools/known_answers/float_format.h"

namespace rewrought::known_answers {

inline constexpr int kFloatWidths[] = {16, 32, 64};

struct FloatValues {
  explicit FloatValues(int w)
      : width(w),
        minus_zero(SignBit(w)),
        one(FromDouble(w, 1.0)),
        inf(Infinity(w)),
        minus_inf(Infinity(w) | SignBit(w)),
        max(Infinity(w) - 1),
        min_normal(Infinity(w) & -Infinity(w)),
        max_denormal(min_normal - 1),
        nan(Infinity(w) | min_normal >> 1 | 1) {}
  uint64_t operator()(double value) const { return FromDouble(width, value); }
  uint64_t Negated(uint64_t bits) const { return bits ^ minus_zero; }

  int width;
  uint64_t zero = 0;
  uint64_t min_denormal = 1;
  uint64_t minus_zero, one, inf, minus_inf, max, min_normal, max_denormal;
  uint64_t nan;  // quiet, with a payload
};

// Returns the spec of an op that has one scalar float result and scalar sources, which all have the free size.
inline OpSpec FloatOp(const char* name, int width, int sources, Flushing flushing, const char* reference,
                      std::function<Outcome(const std::vector<uint64_t>&)> meaning) {
  OpSpec spec{name, width, {width, true}, std::vector<Operand>(sources, {width, true}), flushing, reference, {}};
  spec.evaluate = [meaning](const Inputs& inputs) {
    std::vector<uint64_t> scalars;
    for (const auto& source : inputs) scalars.insert(scalars.end(), source.begin(), source.end());
    return std::vector<Outcome>{meaning(scalars)};
  };
  return spec;
}

inline Outcome Plain(uint64_t bits) { return {bits, false, false, false}; }
inline Outcome From(const Rounded& rounded) { return {rounded.bits, rounded.tiny, false, false}; }

}  // namespace rewrought::known_answers

#endif  // REWROUGHT_TOOLS_KNOWN_ANSWERS_FLOAT_VALUES_H_

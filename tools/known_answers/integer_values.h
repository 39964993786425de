// Provides helpers for the integer families, written in plain C on 64-bit and 128-bit integers.
#ifndef REWROUGHT_TOOLS_KNOWN_ANSWERS_INTEGER_VALUES_H_
#define REWROUGHT_TOOLS_KNOWN_ANSWERS_INTEGER_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/known_answers/answer_table.h"

namespace rewrought::known_answers {

inline constexpr int kIntegerWidths[] = {8, 16, 32, 64};
using Values = std::vector<uint64_t>;

inline uint64_t Mask(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
inline int64_t Signed(int bits, uint64_t value) { return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits); }
inline uint64_t Top(int bits) { return uint64_t{1} << (bits - 1); }
inline Outcome Bits(uint64_t bits) { return {bits, false, false, false}; }
inline Outcome Poison() { return {0, false, false, true}; }

// Returns the spec of an integer op with scalar operands; `meaning` may return more bits than the result has.
inline OpSpec IntegerOp(const std::string& name, int free_size, int result_bits, const std::vector<int>& source_bits,
                        const char* reference, std::function<Outcome(const Values&)> meaning) {
  OpSpec spec{name, free_size, {result_bits, false}, {}, Flushing::kNone, reference, {}};
  for (int bits : source_bits) spec.sources.push_back({bits, false});
  spec.evaluate = [=](const Inputs& in) {
    Values scalars;
    for (const auto& source : in) scalars.push_back(source[0]);
    Outcome result = meaning(scalars);
    result.bits &= Mask(result_bits);
    return std::vector<Outcome>{result};
  };
  return spec;
}

inline void AddAll(AnswerTable& table, const OpSpec& spec, const std::vector<Values>& inputs) {
  for (const Values& values : inputs) {
    Values masked = values;
    for (size_t i = 0; i < masked.size(); ++i) masked[i] &= Mask(spec.sources[i].bits);
    table.AddScalars(spec, masked);
  }
}

}  // namespace rewrought::known_answers

#endif  // REWROUGHT_TOOLS_KNOWN_ANSWERS_INTEGER_VALUES_H_

// What the constants of a goal may stand for: values of their own, powers of two, or functions of one another. Each
// reading makes other programs possible, since banks hold constants as inputs.
#ifndef REWROUGHT_ENUMERATOR_CONSTANT_READINGS_H_
#define REWROUGHT_ENUMERATOR_CONSTANT_READINGS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "enumerator/bank.h"
#include "ir/term.h"

namespace rewrought::enumerator {

// As what the nodes that `is_it` names are read: floats if any use says so, integers if none says anything.
ValueKind KindAsRead(const ir::Term& term, const std::function<bool(const ir::Node&)>& is_it);

struct ConstantReading {
  ir::Term term;                              // equal to the goal where its variables have these values
  std::map<std::string, uint64_t> constants;  // values of the variables "k0", "k1", … that stand for constants
};

// `term` with its constants of 16 and 32 bits that are not in `pool` as variables; then, where it has such constants,
// with integer powers of two 2^k as `1 << k` of a variable k, those of the pool but 1 included (`a * 8` is `a << 3`);
// then with one of two related constants c, d as a function of the other: -c, ~c, width - c, 2 c.
std::vector<ConstantReading> ReadingsOf(const ir::Term& term, absl::Span<const Constant> pool);

// The integers of 32 bits that programs for `term` may have where its constants count bits or are one: c, 32 - c and
// 2^c - 1 of a shift by c; c, c - 1 and its exponent of a power of two from 4. In order. Nothing: the term has another
// constant that `pool` has not, which is better read as a variable.
std::optional<std::vector<uint32_t>> NearConstants(const ir::Term& term, absl::Span<const Constant> pool);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_CONSTANT_READINGS_H_

// Lists the readings of a goal, that is, the interpretations of its constants: as independent values, as powers of two,
// or as functions of each other. Banks treat constants as inputs, so each reading allows different programs.
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

// Returns the kind of value that the users of the nodes selected by `is_it` expect: float if any user reads a float,
// and integer if no user determines the kind.
ValueKind KindAsRead(const ir::Term& term, const std::function<bool(const ir::Node&)>& is_it);

struct ConstantReading {
  ir::Term term;                              // Equals the goal if the variables in `constants` have these values.
  std::map<std::string, uint64_t> constants;  // Values of the variables "k0", "k1", ... that replace constants.
};

// Returns the readings of `term`. First, 16-bit and 32-bit constants that are not in `pool` become variables. Second,
// if the term contains integer powers of two, each 2^k becomes `1 << k`, where k is a variable (`a * 8` is `a << 3`).
// This includes powers of two in the pool, except 1. Finally, for each pair of related constants, one of them becomes a
// function of the other: -c, ~c, width - c, or 2 c.
std::vector<ConstantReading> ReadingsOf(const ir::Term& term, absl::Span<const Constant> pool);

// Returns, in ascending order, the 32-bit integers that programs for `term` may need if its constants are bit counts or
// powers of two. For a shift by c, these are c, 32 - c, and 2^c - 1; for a power of two that is at least 4, these are
// the power, the power minus 1, and the exponent. Returns nullopt if the term has other constants that are not in
// `pool`, because such constants are better read as variables.
std::optional<std::vector<uint32_t>> NearConstants(const ir::Term& term, absl::Span<const Constant> pool);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_CONSTANT_READINGS_H_

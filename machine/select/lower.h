// What drivers lower before they select: ops that a machine has no rule for, as ops that it has.
#ifndef REWROUGHT_MACHINE_SELECT_LOWER_H_
#define REWROUGHT_MACHINE_SELECT_LOWER_H_

#include <cstdint>
#include <string>

#include "machine/select/rules.h"
#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

// Replaces what the machine's description expands (RuleSet::expansions); flrp, fpow, fmod, ftrunc, fsign, divisions,
// remainders and upper halves of products of 32-bit integers, and compares of Booleans where `rules` has nothing for
// that op at that size; and fdiv where the machine has no instruction of its own for it, as Mesa 25.0.7 does
// (nir_opt_algebraic.py lower_fdiv, lower_fpow, lower_fmod, lower_fsign; nir_lower_flrp.c; nir_lower_idiv.c;
// nir_lower_bool_to_*). Like there, floats differ from the op's in roundings and quotients by zero are anything; all
// other integers are exact. Where a machine has no integers at all: LowerIntegers first. How many ops were replaced.
uint64_t LowerMissing(const RuleSet& rules, ScalarShader* scalar);

// Whether selection has something for the op at some size: a rule, or LowerMissing, which replaces it.
bool SelectsOp(const RuleSet& rules, const std::string& op);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_LOWER_H_

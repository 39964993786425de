// Lowers ops for which a machine has no rule to ops for which it has one, as drivers do before selection.
#ifndef REWROUGHT_MACHINE_SELECT_LOWER_H_
#define REWROUGHT_MACHINE_SELECT_LOWER_H_

#include <cstdint>
#include <string>

#include "machine/select/rules.h"
#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

// Applies the expansions of the machine's description (RuleSet::expansions). Also lowers flrp, fpow, fmod, ftrunc,
// fsign, Boolean compares, and 32-bit integer divisions, remainders and high products, where `rules` has no rule for
// the op at that size. Lowers fdiv if the machine has no division instruction. The lowerings are those of Mesa 25.0.7
// (nir_opt_algebraic.py lower_fdiv, lower_fpow, lower_fmod, lower_fsign; nir_lower_flrp.c; nir_lower_idiv.c;
// nir_lower_bool_to_*). As in Mesa, float results may be rounded differently and integer quotients by zero are
// arbitrary; all other integer results are exact. On a machine without integer arithmetic, runs LowerIntegers first.
// Returns the number of replaced ops.
uint64_t LowerMissing(const RuleSet& rules, ScalarShader* scalar);

// Returns true if selection can handle the op at some size, either by a rule or by lowering it.
bool SelectsOp(const RuleSet& rules, const std::string& op);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_LOWER_H_

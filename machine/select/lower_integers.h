// Lowers integer arithmetic to float arithmetic, for machines without integer arithmetic.
#ifndef REWROUGHT_MACHINE_SELECT_LOWER_INTEGERS_H_
#define REWROUGHT_MACHINE_SELECT_LOWER_INTEGERS_H_

#include <cstdint>

#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

// Replaces 32-bit integer arithmetic, compares and conversions with float ops, as Mesa 25.0.7 does
// (nir_lower_int_to_float.c) for machines that keep integers in float registers. Results are exact only up to 2^24, as
// GLSL 1.20 permits. Leaves a shader unchanged if it needs an integer's bits (logic ops, shifts, other sizes), selects
// between constants of unknown type, or contains ops whose operands are all constants. Returns the number of replaced
// ops.
uint64_t LowerIntegers(ScalarShader* scalar);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_LOWER_INTEGERS_H_

// Integers on machines that compute with floats only.
#ifndef REWROUGHT_MACHINE_SELECT_LOWER_INTEGERS_H_
#define REWROUGHT_MACHINE_SELECT_LOWER_INTEGERS_H_

#include <cstdint>

#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

// Replaces 32-bit integer arithmetic, compares and conversions by ops on floats, in whose registers such machines hold
// integers, as Mesa 25.0.7 does for them (nir_lower_int_to_float.c): exact up to 2^24, which is all that GLSL 1.20
// asks. A shader that needs the bits of an integer (logic ops, shifts, other sizes) or chooses between constants of
// unknown type stays as it is; so does one with ops on constants alone. How many ops were replaced.
uint64_t LowerIntegers(ScalarShader* scalar);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_LOWER_INTEGERS_H_

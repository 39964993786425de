/* SPDX-License-Identifier: MIT */
// Evaluates steps, and checks the legality and size of instructions, for piece.c. Not for drivers.
#ifndef REWROUGHT_LEGAL_H_
#define REWROUGHT_LEGAL_H_

#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

// The values of steps: constants of variables, the tested constant, and results.
enum { RW_VALUES = RW_VARIABLES + 1 + RW_STEPS };

static inline uint64_t rw_mask_of(unsigned bits) { return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1; }
// Returns the index of a size among 1, 8, 16, 32, and 64 bits, or 5.
static inline unsigned rw_size_index(unsigned bits) {
  return bits == 1 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : bits == 64 ? 4 : 5;
}

// Returns the result of the steps for the constant `subject`. `values` has RW_VALUES elements, starting with the
// variables.
uint64_t rw_evaluate(const rw_tables *t, uint32_t first_step, uint32_t step_count, uint64_t subject, uint64_t *values);

// Checks shapes, immediates, uniforms, and limits. Sets i->bytes if the instruction is legal.
bool rw_is_legal(const rw_tables *t, rw_instruction *i);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_LEGAL_H_

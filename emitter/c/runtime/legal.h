/* SPDX-License-Identifier: MIT */
// Evaluates steps, checks whether instructions are legal, and computes their sizes, for piece.c. Drivers do not use
// this file.
#ifndef REWROUGHT_LEGAL_H_
#define REWROUGHT_LEGAL_H_

#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

// The number of values that steps can read: the constants of variables, the tested constant, and the results of steps.
enum { RW_VALUES = RW_VARIABLES + 1 + RW_STEPS };

static inline uint64_t rw_mask_of(unsigned bits) { return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1; }
// Returns the index of a size in the list of 1, 8, 16, 32, and 64 bits, or 5 for any other size.
static inline unsigned rw_size_index(unsigned bits) {
  return bits == 1 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : bits == 64 ? 4 : 5;
}

// Returns the result of the steps for the constant `subject`. `values` has RW_VALUES elements, starting with the
// variables.
uint64_t rw_evaluate(const rw_tables *t, uint32_t first_step, uint32_t step_count, uint64_t subject, uint64_t *values);

// Returns whether the shapes, immediates, uniforms, and limits of the instruction are legal. If they are, sets
// i->bytes.
bool rw_is_legal(const rw_tables *t, rw_instruction *i);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_LEGAL_H_

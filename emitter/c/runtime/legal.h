/* SPDX-License-Identifier: MIT */
// What piece.c asks of single instructions and values, as the tables say it: what steps come to for a constant, whether
// an instruction is legal, its size in bytes. Not for drivers.
#ifndef REWROUGHT_LEGAL_H_
#define REWROUGHT_LEGAL_H_

#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

// What steps read and give: constants of variables, the constant in question, the steps' own.
enum { RW_VALUES = RW_VARIABLES + 1 + RW_STEPS };

static inline uint64_t rw_mask_of(unsigned bits) { return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1; }
// The place of a size among 1, 8, 16, 32, 64 bits; 5: none of these.
static inline unsigned rw_size_index(unsigned bits) {
  return bits == 1 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : bits == 64 ? 4 : 5;
}

// What the steps give for the constant `subject`. `values`: RW_VALUES of them, the variables' set.
uint64_t rw_evaluate(const rw_tables *t, uint32_t first_step, uint32_t step_count, uint64_t subject, uint64_t *values);

// Whether the machine has the instruction: shapes, immediates, uniforms, limits between fields. Then i->bytes is set.
bool rw_is_legal(const rw_tables *t, rw_instruction *i);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_LEGAL_H_

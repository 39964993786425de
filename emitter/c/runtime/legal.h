/* SPDX-License-Identifier: MIT */
// What piece.c asks of single instructions and values, as the tables say it: what steps come to for a constant, whether
// an instruction is legal, its size in bytes. Not for drivers.
#ifndef REWROUGHT_LEGAL_H_
#define REWROUGHT_LEGAL_H_

#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RW_NO_NODE UINT32_C(0xffffffff)

static inline uint64_t rw_mask_of(unsigned bits) { return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1; }
// The place of a size among 1, 8, 16, 32, 64 bits.
static inline unsigned rw_size_index(unsigned bits) {
  return bits == 1 ? 0 : bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 3 : 4;
}

// What the steps give for the constant `subject`; 0 where a variable is no constant.
uint64_t rw_evaluate(const rw_tables *t, uint32_t first_step, uint32_t step_count, const rw_node *nodes,
                     const uint32_t *variables, uint64_t subject);

// Whether the machine has the instruction: shapes, immediates, uniforms, limits between fields.
bool rw_is_legal(const rw_tables *t, const rw_instruction *i);

// Bytes of code, literals included.
unsigned rw_bytes(const rw_tables *t, const rw_instruction *i);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_LEGAL_H_

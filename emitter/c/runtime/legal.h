/* SPDX-License-Identifier: MIT */
// What select.c asks of single instructions and values, as the tables say it: conditions of constants, whether an
// instruction is legal, its size in bytes. Not for drivers.
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
static inline const rw_place *rw_place_at(const rw_tables *t, const rw_form *form, unsigned source) {
  return &t->places[form->first_place + source];
}

// 1 where the condition holds of the constant `subject`; a variable that is no constant decides for no.
uint64_t rw_evaluate(const rw_tables *t, const rw_condition *condition, const rw_node *nodes, const uint32_t *variables,
                     uint64_t subject);

// Whether the machine has the instruction: modifiers and their order, immediates, uniforms, limits between fields.
bool rw_is_legal(const rw_tables *t, const rw_instruction *i);

// Bytes of code, literals included.
unsigned rw_bytes(const rw_tables *t, const rw_instruction *i);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_LEGAL_H_

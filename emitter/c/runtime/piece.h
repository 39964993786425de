/* SPDX-License-Identifier: MIT */
// One rule at one place of the DAG: matched, its operands bound, modifiers, immediates and uniforms folded as far as
// the machine allows. Not for drivers.
#ifndef REWROUGHT_PIECE_H_
#define REWROUGHT_PIECE_H_

#include "legal.h"

#define RW_NO_NODE UINT32_C(0xffffffff)

// A choice of code for a node; or of a constant or uniform, how many operands read it from node `first` on, in its
// block.
typedef struct rw_label {
  double charge;  // what a reader of the node pays for it
  uint16_t rule;  // RW_NONE16: none gives it
  uint16_t order;
  uint8_t result;  // what the result of the node below goes through, in t->results; RW_NONE8: nothing
  bool is_needed;
  uint32_t first, readers;
} rw_label;

// A value that is read from outside: RW_VALUE, or what `load` gives a register, RW_LOADED or RW_MOVED.
typedef struct rw_read {
  uint8_t kind;
  uint32_t ref;
  const rw_load *load;
} rw_read;

typedef struct rw_piece {
  uint32_t root, read_count, code_count;
  rw_read reads[2 * RW_CODE * RW_SOURCES];  // each once
  rw_instruction code[RW_CODE];
  double cost;   // of its code: cycles, and instructions / 1024, and bytes / 1048576
  double below;  // of what it reads: charges, and shares of loads and moves
} rw_piece;

// What is known of the shader, and the piece that is being built.
typedef struct rw_builder {
  const rw_tables *t;
  const rw_node *nodes;
  const rw_driver *driver;
  rw_label *labels;
  uint32_t first;  // the first of the nodes that stand together, in one block
  const rw_rule *rule;
  const rw_pattern *pattern;  // the next one to be matched
  uint32_t order, at;         // `at`: the node that the rule gives
  bool fits;                  // the search does
  bool is_allowed;            // so may the piece cover what it fits
  uint32_t variables[RW_VARIABLES];
  uint64_t values[RW_VALUES];
  rw_piece piece;
} rw_builder;

static inline bool rw_is_op(const rw_node *n) { return n->op != RW_CONSTANT && n->op != RW_OPAQUE; }

// Builds in s->piece what `choice` gives for node `root`. False: there is no such code.
bool rw_build(rw_builder *s, const rw_label *choice, uint32_t root);

// An instruction of the tables, its variables not yet bound.
void rw_start_instruction(const rw_tables *t, const rw_code *code, rw_instruction *i);

#endif  // REWROUGHT_PIECE_H_

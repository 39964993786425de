/* SPDX-License-Identifier: MIT */
// Applies one rule at one node of the DAG: matches the pattern, binds operands, and folds modifiers, immediates, and
// uniforms as far as the machine allows. Drivers do not use this file.
#ifndef REWROUGHT_PIECE_H_
#define REWROUGHT_PIECE_H_

#include "legal.h"

#define RW_NO_NODE UINT32_C(0xffffffff)

// The chosen code for a node. For a constant or uniform, `readers` is the number of operands that read it between node
// `first` and the end of the block that contains `first`.
typedef struct rw_label {
  double charge;  // The cost that a user of the node pays.
  uint16_t rule;  // RW_NONE16 if no rule computes the node.
  uint16_t order;
  // The node's op, as an index into t->results, if it is folded into the code of its source; else RW_NONE8.
  uint8_t result;
  bool is_needed;
  uint32_t first, readers;
} rw_label;

// A value that the piece reads from outside: RW_VALUE, or a constant or uniform (RW_LOADED or RW_MOVED) that `load`
// puts into a register.
typedef struct rw_read {
  uint8_t kind;
  uint32_t ref;
  const rw_load *load;
} rw_read;

typedef struct rw_piece {
  uint32_t root, read_count, code_count;
  rw_read reads[2 * RW_CODE * RW_SOURCES];  // Contains no duplicates.
  rw_instruction code[RW_CODE];
  double cost;   // Cycles, plus instructions / 1024, plus bytes / 1048576.
  double below;  // Cost of the operands: charges, and shares of loads and moves.
} rw_piece;

// The state of the selection and the piece under construction.
typedef struct rw_builder {
  const rw_tables *t;
  const rw_node *nodes;
  const rw_driver *driver;
  rw_label *labels;
  uint32_t first;  // The first node of the current block.
  const rw_rule *rule;
  const rw_pattern *pattern;  // The next pattern node to match.
  uint32_t order, at;         // `at` is the node that the rule computes.
  bool fits;                  // The pattern matches.
  bool is_allowed;            // The piece may cover the matched nodes.
  uint32_t variables[RW_VARIABLES];
  uint64_t values[RW_VALUES];
  rw_piece piece;
} rw_builder;

static inline bool rw_is_op(const rw_node *n) { return n->op != RW_CONSTANT && n->op != RW_OPAQUE; }

// Builds the code of `choice` for node `root` in s->piece, or returns false if there is none.
bool rw_build(rw_builder *s, const rw_label *choice, uint32_t root);

// Initializes an instruction from the tables, with unbound variables.
void rw_start_instruction(const rw_tables *t, const rw_code *code, rw_instruction *i);

#endif  // REWROUGHT_PIECE_H_

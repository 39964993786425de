/* SPDX-License-Identifier: MIT */
// One rule at one place of the DAG: matched, its operands bound, modifiers, immediates and uniforms folded as far as
// the machine allows. Not for drivers.
#ifndef REWROUGHT_PIECE_H_
#define REWROUGHT_PIECE_H_

#include "legal.h"

typedef struct rw_use_count {
  uint32_t leaf, block, count;
} rw_use_count;

// A value that is read from outside: RW_VALUE, RW_LOADED as `type`, or RW_MOVED.
typedef struct rw_read {
  uint8_t kind, type;
  uint32_t ref;
} rw_read;

typedef struct rw_piece {
  uint32_t root, inner_count, read_count, code_count;
  uint32_t inner[RW_COVERED];  // covered beside the root
  rw_read reads[RW_COVERED];   // each once
  rw_instruction code[RW_CODE];
  double cost;  // its own, and its share of loads and moves
} rw_piece;

// What is known of the shader, and the piece that is being built.
typedef struct rw_builder {
  const rw_tables *t;
  const rw_node *nodes;
  const rw_driver *driver;
  rw_use_count *uses;  // a hash table of uses_mask + 1 slots
  uint32_t uses_mask, commutative_seen, order;
  const rw_rule *rule;
  const rw_pattern *pattern;  // the next one to be matched
  uint32_t variables[RW_VARIABLES];
  bool is_too_long;
  rw_piece piece;
} rw_builder;

static inline bool rw_is_op(const rw_node *n) { return n->op != RW_CONSTANT && n->op != RW_OPAQUE; }

// Shared values are computed once, and code never covers values of two blocks.
static inline bool rw_may_be_inner(const rw_builder *s, uint32_t node, uint32_t root) {
  return s->nodes[node].uses <= 1 && s->nodes[node].block == s->nodes[root].block;
}

// Builds in s->piece what `rule` gives at node `at` with the operands in `order`; its result goes through
// t->results[result] to node `root` unless that is RW_NONE8. `fits`: whether the search does. False: there is no such
// code.
bool rw_build(rw_builder *s, const rw_rule *rule, uint32_t order, uint32_t at, uint32_t root, uint8_t result,
              bool *fits);

// Cycles of s->piece's code, and instructions / 1024, and bytes / 1048576.
double rw_code_cost(const rw_builder *s);

// An instruction of the tables, its variables not yet bound.
void rw_start_instruction(const rw_tables *t, const rw_code *code, rw_instruction *i);

// Where the number of ops of a block that read `leaf` is kept.
rw_use_count *rw_use_count_of(const rw_builder *s, uint32_t leaf, uint32_t block);

#endif  // REWROUGHT_PIECE_H_

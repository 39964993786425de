/* SPDX-License-Identifier: MIT */
// See select.h. Pieces of code are built anew wherever they are needed: what is kept of a choice is the rule, the order
// of operands in which it fits, and the field that its result goes through.
#include <math.h>
#include <string.h>

#include "piece.h"

typedef struct label {
  double charge;  // what a reader of the node pays for it
  uint16_t rule, order;
  uint8_t result;  // what the result of the node below goes through, in t->results; RW_NONE8: nothing
} label;

typedef struct selector {
  rw_builder b;
  label *labels;
  uint8_t *needed;
} selector;

static bool contains(const uint32_t *nodes, uint32_t count, uint32_t node) {
  for (uint32_t i = 0; i < count; ++i) {
    if (nodes[i] == node) return true;
  }
  return false;
}

static bool reads_value(const rw_piece *p, uint32_t node) {
  for (uint32_t i = 0; i < p->read_count; ++i) {
    if (p->reads[i].kind == RW_VALUE && p->reads[i].ref == node) return true;
  }
  return false;
}

// What lies below the piece: the charge of each value that it reads, divided among the readers of shared values inside.
static double cost_below(const selector *s) {
  const rw_piece *p = &s->b.piece;
  uint32_t open[RW_COVERED + 1] = {p->root}, open_count = 1, leaves[RW_COVERED], leaf_count = 0;
  double share[RW_COVERED + 1] = {1.0}, cost = 0;
  for (uint32_t at = 0; at < open_count; ++at) {
    const rw_node *n = &s->b.nodes[open[at]];
    for (uint32_t k = 0; k < n->source_count; ++k) {
      const uint32_t below = n->sources[k];
      if (!rw_is_op(&s->b.nodes[below])) continue;
      const bool is_open = contains(open, open_count, below);
      if (contains(p->inner, p->inner_count, below)) {
        if (is_open) continue;
        share[open_count] = s->b.nodes[below].uses > 1 ? share[at] / s->b.nodes[below].uses : share[at];
        open[open_count++] = below;
      } else if (reads_value(p, below) && !contains(leaves, leaf_count, below)) {
        leaves[leaf_count++] = below;
        cost += share[at] * s->labels[below].charge;
      }
    }
  }
  return cost;
}

// Weighs all code of rules for node `at` against what is known for `root`.
static void weigh(selector *s, uint32_t at, uint32_t root, uint8_t result, double *least) {
  label *l = &s->labels[root];
  const rw_op *op = &s->b.t->ops[s->b.nodes[at].op];
  if (s->b.nodes[at].op == RW_UNKNOWN_OP) return;
  for (uint32_t r = op->first_rule; r < op->first_rule + (uint32_t)op->rule_count; ++r) {
    const rw_rule *rule = &s->b.t->rules[r];
    const bool first_only = (rule->flags & RW_FIRST_ONLY) != 0;
    unsigned found = 0;
    if (rule->condition != RW_NONE16 &&
        (s->b.driver->allows == NULL || !s->b.driver->allows(s->b.driver->context, rule->condition))) {
      continue;
    }
    for (uint32_t order = 0; order >> rule->commutative == 0 && found < (first_only ? 1u : 8u); ++order) {
      bool fits = false;
      const bool is_built = rw_build(&s->b, rule, order, at, root, result, &fits);
      found += fits;
      if (!is_built) continue;
      const double below = cost_below(s);
      if (s->b.piece.cost + below >= *least - 1e-9) continue;
      *least = s->b.piece.cost + below;
      l->rule = (uint16_t)r, l->order = (uint16_t)order, l->result = result;
      l->charge = s->b.piece.cost + (s->b.nodes[root].uses > 1 ? below / s->b.nodes[root].uses : below);
    }
  }
}

static void choose(selector *s, uint32_t n) {
  const rw_node *node = &s->b.nodes[n];
  double least = HUGE_VAL;
  weigh(s, n, n, RW_NONE8, &least);
  if (node->source_count != 1 || !rw_is_op(&s->b.nodes[node->sources[0]]) ||
      !rw_may_be_inner(&s->b, node->sources[0], n))
    return;
  for (unsigned i = 0; i < s->b.t->result_count; ++i) {
    const rw_on_result *r = &s->b.t->results[i];
    if (r->op != node->op || (r->bits != 0 && r->bits != node->bits)) continue;
    weigh(s, node->sources[0], n, (uint8_t)i, &least);
  }
}

// Builds again what was chosen for node `n`.
static void rebuild(selector *s, uint32_t n) {
  const label *l = &s->labels[n];
  bool fits = false;
  (void)rw_build(&s->b, &s->b.t->rules[l->rule], l->order, l->result == RW_NONE8 ? n : s->b.nodes[n].sources[0], n,
                 l->result, &fits);
}

static void mark_needed(selector *s, uint32_t count) {
  for (uint32_t n = 0; n < count; ++n) s->needed[n] = (s->b.nodes[n].flags & RW_NEEDED) != 0;
  for (uint32_t n = count; n-- > 0;) {
    if (s->needed[n] == 0 || !rw_is_op(&s->b.nodes[n])) continue;
    if (s->labels[n].rule == RW_NONE16) {
      for (uint32_t k = 0; k < s->b.nodes[n].source_count; ++k) s->needed[s->b.nodes[n].sources[k]] = 1;
      continue;
    }
    rebuild(s, n);
    for (uint32_t i = 0; i < s->b.piece.read_count; ++i) s->needed[s->b.piece.reads[i].ref] = 1;
  }
}

// Emission.

// The constant or moved uniform `read`, given to the driver.
static int emit_read(selector *s, const rw_read *read) {
  const rw_tables *t = s->b.t;
  const rw_node *n = &s->b.nodes[read->ref];
  const bool is_constant = read->kind == RW_LOADED;
  rw_instruction i;
  rw_start_instruction(t, &t->code[is_constant ? t->types[read->type].load : t->moves[rw_size_index(n->bits)]], &i);
  i.destination.kind = read->kind, i.destination.ref = read->ref;
  i.sources[0].kind = is_constant ? RW_IMMEDIATE : RW_VALUE;
  i.sources[0].ref = is_constant ? 0 : read->ref;
  i.sources[0].flags |= is_constant ? 0 : RW_UNIFORM;
  i.bits[0] = n->value;
  return s->b.driver->emit(s->b.driver->context, s->b.piece.root, &i);
}

static bool emit_piece(selector *s, rw_result *result) {
  const rw_driver *d = s->b.driver;
  const rw_piece *p = &s->b.piece;
  result->cost += rw_code_cost(&s->b);
  result->instructions += p->code_count;
  ++result->pieces;
  for (uint32_t i = 0; d->emit != NULL && i < p->read_count; ++i) {
    if (p->reads[i].kind != RW_VALUE && emit_read(s, &p->reads[i]) != 0) return false;
  }
  for (uint32_t i = 0; d->emit != NULL && i < p->code_count; ++i) {
    if (d->emit(d->context, p->root, &p->code[i]) != 0) return false;
  }
  return true;
}

static rw_status emit_all(selector *s, uint32_t count, rw_result *result) {
  for (uint32_t n = 0; n < count; ++n) {
    if (s->needed[n] == 0 || !rw_is_op(&s->b.nodes[n])) continue;
    if (s->labels[n].rule == RW_NONE16) {
      ++result->uncovered;
      if (s->b.driver->uncovered != NULL && s->b.driver->uncovered(s->b.driver->context, n) != 0) return RW_STOPPED;
      continue;
    }
    rebuild(s, n);
    if (!emit_piece(s, result)) return RW_STOPPED;
  }
  return RW_OK;
}

// The caller's side.

uint16_t rw_find_op(const rw_tables *tables, const char *name) {
  for (uint16_t i = 0; i < tables->op_count; ++i) {
    if (strcmp(tables->names[tables->ops[i].name], name) == 0) return i;
  }
  return RW_UNKNOWN_OP;
}

static uint32_t slots_for(uint32_t source_count) {
  uint32_t slots = 16;
  while (slots < 0x40000000u && slots / 2 < source_count) slots *= 2;
  return slots;
}

size_t rw_memory(uint32_t node_count, uint32_t source_count) {
  return sizeof(selector) + (size_t)node_count * (sizeof(label) + 1) + 16 +
         (size_t)slots_for(source_count) * sizeof(rw_use_count);
}

static bool is_sound(const rw_tables *t, const rw_node *nodes, uint32_t count, uint64_t *sources) {
  for (uint32_t n = 0; n < count; ++n) {
    const rw_node *node = &nodes[n];
    if (node->bits == 0 || node->bits > 64 || (node->op >= t->op_count && node->op < RW_UNKNOWN_OP)) return false;
    if (!rw_is_op(node) && node->source_count != 0) return false;
    for (uint32_t k = 0; k < node->source_count; ++k) {
      if (node->sources[k] >= n) return false;
    }
    *sources += node->source_count;
  }
  return *sources < 0x20000000u;
}

static void count_uses(selector *s, uint32_t count) {
  for (uint32_t n = 0; n < count; ++n) {
    for (uint32_t k = 0; s->b.nodes[n].uses != 0 && k < s->b.nodes[n].source_count; ++k) {
      const uint32_t leaf = s->b.nodes[n].sources[k], block = s->b.nodes[n].block;
      if (rw_is_op(&s->b.nodes[leaf])) continue;
      rw_use_count *slot = rw_use_count_of(&s->b, leaf, block);
      slot->leaf = leaf, slot->block = block;
      ++slot->count;
    }
  }
}

rw_status rw_select(const rw_tables *tables, const rw_node *nodes, uint32_t node_count, const rw_driver *driver,
                    void *memory, size_t memory_size, rw_result *result) {
  uint64_t sources = 0;
  memset(result, 0, sizeof *result);
  if (!is_sound(tables, nodes, node_count, &sources)) return RW_BAD_SHADER;
  result->memory_used = rw_memory(node_count, (uint32_t)sources);
  if (memory == NULL || memory_size < result->memory_used) return RW_NO_MEMORY;
  memset(memory, 0, result->memory_used);
  selector *s = memory;
  const uint32_t slots = slots_for((uint32_t)sources);
  s->b.t = tables, s->b.nodes = nodes, s->b.driver = driver, s->b.uses_mask = slots - 1;
  s->labels = (label *)(void *)(s + 1);
  s->b.uses = (rw_use_count *)(void *)(s->labels + node_count);
  s->needed = (uint8_t *)(s->b.uses + slots);
  count_uses(s, node_count);
  for (uint32_t n = 0; n < node_count && !s->b.is_too_long; ++n) {
    s->labels[n].rule = RW_NONE16;
    if (rw_is_op(&nodes[n]) && nodes[n].uses != 0) choose(s, n);
  }
  if (s->b.is_too_long) return RW_TOO_LONG;
  mark_needed(s, node_count);
  return emit_all(s, node_count, result);
}

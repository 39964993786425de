/* SPDX-License-Identifier: MIT */
// See select.h. Only labels of choices are stored; pieces of code are rebuilt when needed.
#include <math.h>
#include <string.h>

#include "piece.h"

// Compares all rules for node `n` with the best choice so far. If `result` is not RW_NONE8, the rules apply to the
// source of `n`, and the op of `n` is folded into their result.
static void weigh(rw_builder *s, uint32_t n, uint8_t result, double *least) {
  const rw_node *node = &s->nodes[n];
  const uint16_t op = result == RW_NONE8 ? node->op : s->nodes[node->sources[0]].op;
  if (op >= RW_ANY_OP) return;
  for (uint16_t r = s->t->ops[op].first_rule; r < s->t->ops[op].first_rule + s->t->ops[op].rule_count; ++r) {
    const rw_rule *rule = &s->t->rules[r];
    unsigned found = 0;
    if (rule->condition != RW_NONE16 &&
        (s->driver->allows == NULL || !s->driver->allows(s->driver->context, rule->condition))) {
      continue;
    }
    for (uint16_t order = 0; order >> rule->commutative == 0 && found < rule->most; ++order) {
      rw_label choice = {.rule = r, .order = order, .result = result};
      const bool is_built = rw_build(s, &choice, n);
      const double cost = s->piece.cost + s->piece.below;
      found += s->fits;
      if (!is_built || cost >= *least - 1e-9) continue;
      *least = cost;
      // Users do not pay for the operands of a shared value.
      choice.charge = node->uses > 1 ? s->piece.cost : cost;
      s->labels[n] = choice;
    }
  }
}

static void choose(rw_builder *s, uint32_t n) {
  const rw_node *node = &s->nodes[n];
  double least = HUGE_VAL;
  weigh(s, n, RW_NONE8, &least);
  for (uint16_t i = 0; node->source_count == 1 && i < s->t->result_count; ++i) {
    const rw_on_result *r = &s->t->results[i];
    if (r->op == node->op && (r->bits == 0 || r->bits == node->bits)) weigh(s, n, (uint8_t)i, &least);
  }
}

// Counts the users of constants and uniforms from node `first` to the end of its block.
static void count_readers(rw_builder *s, uint32_t first, uint32_t count) {
  s->first = first;
  for (const rw_node *n = &s->nodes[first]; n < s->nodes + count && n->block == s->nodes[first].block; ++n) {
    for (uint32_t k = 0; n->uses != 0 && k < n->source_count; ++k) {
      rw_label *l = &s->labels[n->sources[k]];
      l->readers = l->first == first ? l->readers + 1 : 1;
      l->first = first;
    }
  }
}

static void mark_needed(rw_builder *s, uint32_t count) {
  for (uint32_t n = count; n-- > 0;) {
    const rw_node *node = &s->nodes[n];
    rw_label *l = &s->labels[n];
    l->is_needed |= (node->flags & RW_NEEDED) != 0;
    if (!l->is_needed || !rw_is_op(node)) continue;
    s->piece.read_count = 0;
    if (l->rule != RW_NONE16) (void)rw_build(s, l, n);
    for (uint32_t k = 0; l->rule == RW_NONE16 && k < node->source_count; ++k) {
      s->labels[node->sources[k]].is_needed = true;
    }
    for (uint32_t i = 0; i < s->piece.read_count; ++i) s->labels[s->piece.reads[i].ref].is_needed = true;
  }
}

// Emission.

// Emits the load or move `read`.
static int emit_read(rw_builder *s, const rw_read *read) {
  rw_instruction i;
  rw_start_instruction(s->t, &s->t->code[read->load->code], &i);
  i.destination.kind = read->kind, i.destination.ref = i.sources[0].ref = read->ref;
  i.bits[0] = s->nodes[read->ref].value;
  (void)rw_is_legal(s->t, &i);  // Sets the size.
  return s->driver->emit(s->driver->context, s->piece.root, &i);
}

static bool emit_piece(rw_builder *s, rw_result *result) {
  const rw_driver *d = s->driver;
  const rw_piece *p = &s->piece;
  result->cost += p->cost;
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

static rw_status emit_all(rw_builder *s, uint32_t count, rw_result *result) {
  for (uint32_t n = 0; n < count; ++n) {
    if (!s->labels[n].is_needed || !rw_is_op(&s->nodes[n])) continue;
    if (s->labels[n].rule != RW_NONE16) {
      (void)rw_build(s, &s->labels[n], n);
      if (!emit_piece(s, result)) return RW_STOPPED;
      continue;
    }
    ++result->uncovered;
    if (s->driver->uncovered != NULL && s->driver->uncovered(s->driver->context, n) != 0) return RW_STOPPED;
  }
  return RW_OK;
}

// Public functions.

uint16_t rw_find_op(const rw_tables *tables, const char *name) {
  for (uint16_t i = 0; i < tables->op_count; ++i) {
    if (strcmp(tables->names[tables->ops[i].name], name) == 0) return i;
  }
  return RW_UNKNOWN_OP;
}

size_t rw_memory(uint32_t node_count) { return sizeof(rw_builder) + (size_t)node_count * sizeof(rw_label); }

static bool is_sound(const rw_tables *t, const rw_node *nodes, uint32_t count) {
  for (uint32_t n = 0; n < count; ++n) {
    const rw_node *node = &nodes[n];
    if (rw_size_index(node->bits) > 4 || (node->op >= t->op_count && node->op < RW_UNKNOWN_OP)) return false;
    if (!rw_is_op(node) && node->source_count != 0) return false;
    for (uint32_t k = 0; k < node->source_count; ++k) {
      if (node->sources[k] >= n) return false;
    }
  }
  return true;
}

rw_status rw_select(const rw_tables *tables, const rw_node *nodes, uint32_t node_count, const rw_driver *driver,
                    void *memory, size_t memory_size, rw_result *result) {
  rw_builder *s = memory;
  memset(result, 0, sizeof *result);
  if (!is_sound(tables, nodes, node_count)) return RW_BAD_SHADER;
  result->memory_used = rw_memory(node_count);
  if (memory == NULL || memory_size < result->memory_used) return RW_NO_MEMORY;
  memset(memory, 0, result->memory_used);
  s->t = tables, s->nodes = nodes, s->driver = driver;
  s->labels = (rw_label *)(void *)(s + 1);
  for (uint32_t n = 0; n < node_count; ++n) {
    if (n == 0 || nodes[n].block != nodes[n - 1].block) count_readers(s, n, node_count);
    s->labels[n].rule = RW_NONE16;
    if (rw_is_op(&nodes[n]) && nodes[n].uses != 0) choose(s, n);
  }
  mark_needed(s, node_count);
  return emit_all(s, node_count, result);
}

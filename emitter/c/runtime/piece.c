/* SPDX-License-Identifier: MIT */
// See piece.h.
#include "piece.h"

#include <string.h>

static bool holds(const rw_builder *s, const rw_condition *c, uint32_t node) {
  const rw_node *n = &s->nodes[node];
  if (n->op == RW_CONSTANT && c->step_count > 0) {
    return rw_evaluate(s->t, c->first_step, c->step_count, s->nodes, s->variables, n->value) == 1;
  }
  if (c->otherwise == RW_USED_ONCE) return n->uses == 1;
  if (c->otherwise != RW_ASKED) return c->otherwise == RW_TRUE && n->op != RW_CONSTANT;
  return s->driver->fact != NULL && s->driver->fact(s->driver->context, c->name, node, c->base);
}

// Matching.

// Whether the value comes from an op of type `base`; chains of more logical ops than `depth` are given up.
static bool is_of_base(const rw_builder *s, uint32_t node, uint8_t base, int depth) {
  const rw_node *n = &s->nodes[node];
  if (!rw_is_op(n) || n->op == RW_UNKNOWN_OP || depth == 0) return false;
  if (base != RW_BASE_BOOL || !s->t->ops[n->op].is_logical) return s->t->ops[n->op].base == base;
  for (uint32_t i = 0; i < n->source_count; ++i) {
    if (!is_of_base(s, n->sources[i], base, depth - 1)) return false;
  }
  return true;
}

static void add_inner(rw_builder *s, uint32_t node) {
  rw_piece *p = &s->piece;
  for (uint32_t i = 0; i < p->inner_count; ++i) {
    if (p->inner[i] == node) return;
  }
  s->is_too_long |= p->inner_count == RW_COVERED;
  if (!s->is_too_long) p->inner[p->inner_count++] = node;
}

static bool match_value(rw_builder *s, const rw_pattern *p, uint32_t node) {
  uint32_t *bound = &s->variables[p->ref];
  if (*bound != RW_NO_NODE) return *bound == node;
  if ((p->flags & RW_CONSTANT_ONLY) != 0 && s->nodes[node].op != RW_CONSTANT) return false;
  if (p->typed != RW_ANY_BASE && !is_of_base(s, node, p->typed, 64)) return false;
  *bound = node;
  for (unsigned i = 0; i < p->condition_count; ++i) {
    if (!holds(s, &s->t->conditions[p->first_condition + i], node)) return false;
  }
  return true;
}

// Matches the pattern at s->pattern, which moves on; s->order says which commutative ops are read the other way round.
static bool match(rw_builder *s, uint32_t node) {
  const rw_pattern *p = s->pattern++;
  const rw_node *n = &s->nodes[node];
  if (p->bits != 0 && p->bits != n->bits) return false;
  if (p->kind == RW_ANY_VALUE) return match_value(s, p, node);
  if (p->kind == RW_CONSTANT_VALUE) {
    const uint64_t mask = rw_mask_of(n->bits);
    if (n->op != RW_CONSTANT) return false;
    return (p->flags & RW_EITHER_ZERO) != 0 ? (n->value & mask >> 1) == 0
                                            : (s->t->immediates[p->ref] & mask) == n->value;
  }
  if (n->op != p->ref || n->source_count != p->source_count || (p->fast_math & ~n->flags) != 0) return false;
  for (unsigned i = 0; i < p->condition_count; ++i) {
    if (!holds(s, &s->t->conditions[p->first_condition + i], node)) return false;
  }
  add_inner(s, node);
  bool swap = false;
  if ((p->flags & RW_COMMUTES) != 0) {
    // Patterns of the machine count from the last commutative op, those of packs from the first.
    const uint32_t seen = s->commutative_seen++;
    const uint32_t bit = (s->rule->flags & RW_FIRST_ONLY) != 0 ? seen : s->rule->commutative - 1u - seen;
    swap = (s->order >> bit & 1) != 0;
    if (swap && n->sources[0] == n->sources[1]) return false;  // the same match as the other way round
  }
  for (unsigned i = 0; i < p->source_count; ++i) {
    if (!match(s, n->sources[swap && i < 2 ? 1 - i : i])) return false;
  }
  return true;
}

static void add_read(rw_builder *s, uint8_t kind, uint32_t node, uint8_t type) {
  rw_piece *p = &s->piece;
  for (uint32_t i = 0; i < p->read_count; ++i) {
    if (p->reads[i].kind == kind && p->reads[i].ref == node) return;
  }
  s->is_too_long |= p->read_count == RW_COVERED;
  if (!s->is_too_long) p->reads[p->read_count++] = (rw_read){.kind = kind, .type = type, .ref = node};
}

// Whether `o` of `i` can take over the op that gives `node`.
static bool fold(const rw_builder *s, uint32_t node, rw_operand *o, const rw_instruction *i) {
  const rw_node *n = &s->nodes[node];
  const uint16_t before = o->shape;
  for (unsigned f = 0; f < s->t->shapes[before].fold_count; ++f) {
    const rw_fold *fold = &s->t->folds[s->t->shapes[before].first_fold + f];
    if (fold->what != n->op || (fold->bits != 0 && fold->bits != s->nodes[n->sources[0]].bits)) continue;
    o->shape = fold->to;
    if (rw_is_legal(s->t, i)) return true;
    o->shape = before;
  }
  return false;
}

static void exchange(const rw_tables *t, rw_instruction *i) {
  const rw_operand first = i->sources[0];
  const uint64_t first_bits = i->bits[0];
  i->sources[0] = i->sources[1], i->sources[1] = first;
  i->bits[0] = i->bits[1], i->bits[1] = first_bits;
  for (unsigned k = 0; k < 2; ++k) i->sources[k].shape = t->shapes[i->sources[k].shape].exchanged;
  i->word = &t->words[i->word->exchanged];
  i->is_exchanged = !i->is_exchanged;
}

static bool try_immediate(const rw_tables *t, uint16_t shape, uint64_t bits, unsigned k, rw_instruction *i) {
  const rw_instruction before = *i;
  rw_operand *o = &i->sources[k];
  o->kind = RW_IMMEDIATE, o->ref = 0, o->subscript = RW_NONE8, o->swizzle = 0x3210, o->shape = shape;
  i->bits[k] = bits;
  if (rw_is_legal(t, i)) return true;
  if (k < 2 && i->word->exchanged != RW_NONE16) {
    exchange(t, i);
    if (rw_is_legal(t, i)) return true;
  }
  *i = before;
  return false;
}

// An immediate where it fits, or a register that is loaded before.
static bool bind_constant(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  const rw_tables *t = s->t;
  const rw_node *n = &s->nodes[node];
  rw_operand *o = &i->sources[k];
  const rw_shape *shape = &t->shapes[o->shape];
  const bool is_part = o->subscript != RW_NONE8;
  if (shape->immediate != RW_NONE16 && (is_part || t->types[shape->type].bits == n->bits)) {
    const uint64_t bits = rw_evaluate(t, shape->first_step, shape->step_count, NULL, NULL, n->value);
    if (try_immediate(t, shape->immediate, bits, k, i)) return true;
  }
  const uint16_t type = is_part ? t->part_types[rw_size_index(n->bits)] : shape->type;
  if (type == RW_NONE16 || t->types[type].bits != n->bits || t->types[type].load == RW_NONE16) return false;
  o->kind = RW_LOADED, o->ref = node;
  add_read(s, RW_LOADED, node, (uint8_t)type);
  return true;
}

static bool bind(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  if (k < 2 && i->is_exchanged) k = 1 - k;
  rw_operand *o = &i->sources[k];
  for (int left = 8; left > 0 && rw_is_op(&s->nodes[node]) && s->nodes[node].source_count == 1; --left) {
    if (!fold(s, node, o, i)) break;
    add_inner(s, node);
    node = s->nodes[node].sources[0];
  }
  const rw_node *n = &s->nodes[node];
  if (n->op == RW_CONSTANT) return bind_constant(s, node, k, i);
  const bool is_uniform = n->op == RW_OPAQUE && (n->flags & RW_IS_UNIFORM) != 0 && o->subscript == RW_NONE8;
  o->kind = RW_VALUE, o->ref = node, o->flags = is_uniform && s->t->has_uniforms ? RW_UNIFORM : 0;
  add_read(s, RW_VALUE, node, 0);
  return true;
}

// Uniforms that the instruction cannot read are moved into registers before, as few as will do.
static bool move_uniforms(rw_builder *s, rw_instruction *i) {
  for (unsigned k = i->form->source_count; k-- > 0;) {
    const rw_operand moved = i->sources[k];
    if ((moved.flags & RW_UNIFORM) == 0) continue;
    if (moved.kind != RW_VALUE || s->t->moves[rw_size_index(s->nodes[moved.ref].bits)] == RW_NONE16) return false;
    for (rw_operand *o = i->sources; o < i->sources + i->form->source_count; ++o) {
      if (o->kind == RW_VALUE && o->ref == moved.ref) o->kind = RW_MOVED, o->flags = 0;
    }
    add_read(s, RW_MOVED, moved.ref, 0);
    if (rw_is_legal(s->t, i)) return true;
  }
  return false;
}

void rw_start_instruction(const rw_tables *t, const rw_code *code, rw_instruction *i) {
  const rw_operand *written = &t->operands[code->first_operand];
  memset(i, 0, sizeof *i);
  i->word = &t->words[code->word], i->form = &t->forms[i->word->form];
  i->destination = written[0];
  for (unsigned k = 0; k < i->form->source_count; ++k) {
    i->sources[k] = written[k + 1];
    if (written[k + 1].kind == RW_IMMEDIATE) i->bits[k] = t->immediates[written[k + 1].ref];
  }
}

static bool bind_code(rw_builder *s, const rw_rule *rule) {
  for (uint32_t *c = &s->piece.code_count; *c < rule->code_count; ++*c) {
    const rw_code *code = &s->t->code[rule->first_code + *c];
    rw_instruction *i = &s->piece.code[*c];
    rw_start_instruction(s->t, code, i);
    for (unsigned k = 0; k < i->form->source_count; ++k) {
      const rw_operand *written = &s->t->operands[code->first_operand + 1u + k];
      if (written->kind == RW_VARIABLE && !bind(s, s->variables[written->ref], k, i)) return false;
    }
    if (!rw_is_legal(s->t, i) && !move_uniforms(s, i)) return false;
  }
  return true;
}

// The last instruction takes over what t->results[result] does.
static bool fold_into_result(rw_builder *s, uint8_t result) {
  rw_instruction *last = &s->piece.code[s->piece.code_count - 1];
  const rw_fold *fold = &s->t->folds[last->word->first_fold], *end = fold + last->word->fold_count;
  while (fold < end && fold->what != result) ++fold;
  if (fold == end) return false;
  last->word = &s->t->words[fold->to];
  return rw_is_legal(s->t, last);
}

rw_use_count *rw_use_count_of(const rw_builder *s, uint32_t leaf, uint32_t block) {
  uint32_t at = (leaf * 2654435761u ^ block * 40503u) & s->uses_mask;
  while (s->uses[at].count != 0 && (s->uses[at].leaf != leaf || s->uses[at].block != block))
    at = (at + 1) & s->uses_mask;
  return &s->uses[at];
}

double rw_code_cost(const rw_builder *s) {
  double cycles = 0;
  unsigned instructions = 0, bytes = 0;
  for (uint32_t c = 0; c < s->piece.code_count; ++c) {
    cycles += s->piece.code[c].form->cycles;
    instructions += s->piece.code[c].form->instructions;
    bytes += rw_bytes(s->t, &s->piece.code[c]);
  }
  return cycles + instructions / 1024.0 + bytes / 1048576.0;
}

bool rw_build(rw_builder *s, const rw_rule *rule, uint32_t order, uint32_t at, uint32_t root, uint8_t result,
              bool *fits) {
  rw_piece *p = &s->piece;
  p->root = root, p->inner_count = p->read_count = p->code_count = 0;
  s->rule = rule, s->order = order, s->commutative_seen = 0;
  s->pattern = &s->t->patterns[rule->first_pattern];
  memset(s->variables, 0xff, sizeof s->variables);
  *fits = match(s, at);
  if (!*fits || s->is_too_long) return false;
  for (uint32_t i = 0; i < p->inner_count; ++i) {
    if (i > 0 && !rw_may_be_inner(s, p->inner[i], at)) return false;
    if ((rule->flags & RW_INEXACT) != 0 && (s->nodes[p->inner[i]].flags & RW_EXACT) != 0) return false;
  }
  // What is matched stands in `inner`, the root first, which is none where nothing lies above it.
  if (result == RW_NONE8) p->inner[0] = RW_NO_NODE;
  if (!bind_code(s, rule) || s->is_too_long || (result != RW_NONE8 && !fold_into_result(s, result))) return false;
  p->cost = rw_code_cost(s);
  // A load or move is done once in a block: each of its readers there pays a part.
  for (const rw_read *read = p->reads; read < p->reads + p->read_count; ++read) {
    if (read->kind == RW_VALUE) continue;
    const uint32_t count = rw_use_count_of(s, read->ref, s->nodes[root].block)->count;
    const double cost = read->kind == RW_LOADED ? s->t->types[read->type].load_cost
                                                : s->t->move_costs[rw_size_index(s->nodes[read->ref].bits)];
    p->cost += 1.0 / (count != 0 ? count : 1) * cost;
  }
  return true;
}

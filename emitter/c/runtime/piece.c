/* SPDX-License-Identifier: MIT */
// See piece.h.
#include "piece.h"

#include <string.h>

// Matching.

static bool holds(rw_builder *s, const rw_condition *c, uint32_t node) {
  const rw_node *n = &s->nodes[node];
  const bool is_constant = n->op == RW_CONSTANT;
  if (is_constant && c->step_count > 0) {
    return rw_evaluate(s->t, c->first_step, c->step_count, n->value, s->values) == 1;
  }
  if (c->otherwise == RW_USED_ONCE) return n->uses == 1;
  if (c->otherwise != RW_ASKED) return c->otherwise == RW_TRUE && !is_constant;
  return s->driver->fact != NULL && s->driver->fact(s->driver->context, c->name, node, c->base);
}

// Returns whether the value's op has the base type `base`. Gives up on chains of more than `depth` logical ops.
static bool is_of_base(const rw_builder *s, uint32_t node, uint8_t base, int depth) {
  const rw_node *n = &s->nodes[node];
  if (n->op >= RW_ANY_OP || depth == 0) return false;
  if (base != RW_BASE_BOOL || !s->t->ops[n->op].is_logical) return s->t->ops[n->op].base == base;
  for (uint32_t i = 0; i < n->source_count; ++i) {
    if (!is_of_base(s, n->sources[i], base, depth - 1)) return false;
  }
  return true;
}

static bool may_be_inner(const rw_builder *s, uint32_t node, uint32_t root) {
  return node == root || (s->nodes[node].uses <= 1 && s->nodes[node].block == s->nodes[root].block);
}

// Matches the pattern at s->pattern and advances s->pattern.
static bool match(rw_builder *s, uint32_t node) {
  const rw_pattern *p = s->pattern++;
  const rw_node *n = &s->nodes[node];
  const bool swap = (s->order & p->swap) != 0;
  if ((p->bits != 0 && p->bits != n->bits) || (p->fast_math & ~n->flags) != 0) return false;
  if (p->op != RW_ANY_OP && (p->op != n->op || p->source_count != n->source_count)) return false;
  if (p->literal != RW_NONE16 && (s->t->immediates[p->literal] & rw_mask_of(n->bits)) != n->value) return false;
  if (p->variable != RW_NONE8) {
    uint32_t *bound = &s->variables[p->variable];
    if (*bound != RW_NO_NODE) return *bound == node;
    if (p->typed != RW_ANY_BASE && !is_of_base(s, node, p->typed, 64)) return false;
    *bound = node, s->values[p->variable] = n->value;
  }
  for (unsigned i = 0; i < p->condition_count; ++i) {
    if (!holds(s, &s->t->conditions[p->first_condition + i], node)) return false;
  }
  // Shared values are computed once, and a piece of code never covers values of two blocks.
  if (p->op < RW_ANY_OP) s->is_allowed &= may_be_inner(s, node, s->at) && (n->flags & s->rule->without) == 0;
  if (swap && n->sources[0] == n->sources[1]) return false;  // Both orders are the same match.
  for (unsigned i = 0; i < p->source_count; ++i) {
    if (!match(s, n->sources[swap && i < 2 ? 1 - i : i])) return false;
  }
  return true;
}

// Binding.

// Adds a value that the piece reads. `cost` is the piece's share of the value's cost.
static void add_read(rw_builder *s, uint8_t kind, uint32_t node, const rw_load *load, double cost) {
  rw_piece *p = &s->piece;
  for (uint32_t i = 0; i < p->read_count; ++i) {
    if (p->reads[i].kind == kind && p->reads[i].ref == node) return;
  }
  p->reads[p->read_count++] = (rw_read){.kind = kind, .ref = node, .load = load};
  p->below += cost;
}

// Adds a load or move. It is emitted once per block, and its users in the block share the cost.
static void add_load(rw_builder *s, uint8_t kind, uint32_t node, const rw_load *load) {
  const rw_label *l = &s->labels[node];
  const bool is_read = l->readers != 0 && l->first == s->first;
  add_read(s, kind, node, load, is_read ? load->cost / l->readers : load->cost);
}

// Tries to fold the op of `node` into source `o` of `i`.
static bool fold(const rw_builder *s, uint32_t node, rw_operand *o, rw_instruction *i) {
  const rw_node *n = &s->nodes[node];
  const rw_shape *before = &s->t->shapes[o->shape];
  if (n->source_count != 1) return false;
  for (unsigned k = 0; k < before->fold_count; ++k) {
    const rw_fold *f = &s->t->folds[before->first_fold + k];
    if (f->what != n->op || (f->bits != 0 && f->bits != s->nodes[n->sources[0]].bits)) continue;
    o->shape = f->to;
    if (rw_is_legal(s->t, i)) return true;
  }
  o->shape = (uint16_t)(before - s->t->shapes);
  return false;
}

// Exchanges the first two sources if an equivalent instruction exists.
static bool exchange(const rw_tables *t, rw_instruction *i) {
  const rw_instruction before = *i;
  if (before.word->exchanged == RW_NONE16) return false;
  i->word = &t->words[before.word->exchanged], i->is_exchanged = !before.is_exchanged;
  for (unsigned k = 0; k < 2; ++k) {
    i->sources[k] = before.sources[1 - k], i->bits[k] = before.bits[1 - k];
    i->sources[k].shape = t->shapes[i->sources[k].shape].exchanged;
  }
  return true;
}

// Binds a constant as an immediate if possible, and otherwise loads it into a register.
static bool bind_constant(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  const rw_tables *t = s->t;
  const rw_node *n = &s->nodes[node];
  const unsigned size = rw_size_index(n->bits);
  rw_operand *o = &i->sources[k];
  const rw_shape *shape = &t->shapes[o->shape];
  if ((shape->immediate_sizes >> size & 1) != 0) {
    const rw_instruction before = *i;
    o->kind = RW_IMMEDIATE, o->ref = 0, o->subscript = RW_NONE8, o->swizzle = 0x3210, o->shape = shape->immediate;
    i->bits[k] = rw_evaluate(t, shape->first_step, shape->step_count, n->value, s->values);
    if (rw_is_legal(t, i) || (k < 2 && exchange(t, i) && rw_is_legal(t, i))) return true;
    *i = before;
  }
  const rw_load *load = &t->loads[shape->first_load + size];
  if (load->code == RW_NONE16) return false;
  o->kind = RW_LOADED, o->ref = node;
  add_load(s, RW_LOADED, node, load);
  return true;
}

static bool bind(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  if (k < 2 && i->is_exchanged) k = 1 - k;
  rw_operand *o = &i->sources[k];
  bool is_shared = false;
  for (int left = 8; left > 0 && fold(s, node, o, i); --left) {
    is_shared |= s->nodes[node].uses > 1;
    node = s->nodes[node].sources[0];
  }
  const rw_node *n = &s->nodes[node];
  if (n->op == RW_CONSTANT) return bind_constant(s, node, k, i);
  const bool is_uniform = n->op == RW_OPAQUE && (n->flags & RW_IS_UNIFORM) != 0 && o->subscript == RW_NONE8;
  o->kind = RW_VALUE, o->ref = node, o->flags = is_uniform && s->t->has_uniforms ? RW_UNIFORM : 0;
  // Operands of a value with several users are charged to the value itself.
  add_read(s, RW_VALUE, node, NULL, is_shared ? 0 : s->labels[node].charge);
  return true;
}

// Moves as few uniforms as possible into registers.
static bool move_uniforms(rw_builder *s, rw_instruction *i) {
  for (unsigned k = i->form->source_count; k-- > 0;) {
    const rw_operand moved = i->sources[k];
    if ((moved.flags & RW_UNIFORM) == 0) continue;
    const rw_load *move = &s->t->loads[rw_size_index(s->nodes[moved.ref].bits)];
    if (moved.kind != RW_VALUE || move->code == RW_NONE16) return false;
    for (rw_operand *o = i->sources; o < i->sources + i->form->source_count; ++o) {
      if (o->kind == RW_VALUE && o->ref == moved.ref) o->kind = RW_MOVED, o->flags = 0;
    }
    add_load(s, RW_MOVED, moved.ref, move);
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

static bool bind_code(rw_builder *s) {
  for (uint32_t *c = &s->piece.code_count; *c < s->rule->code_count; ++*c) {
    const rw_code *code = &s->t->code[s->rule->first_code + *c];
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

// Folds t->results[result] into the last instruction.
static bool fold_into_result(rw_builder *s, uint8_t result) {
  rw_instruction *last = &s->piece.code[s->piece.code_count - 1];
  const rw_fold *fold = &s->t->folds[last->word->first_fold], *end = fold + last->word->fold_count;
  while (fold < end && fold->what != result) ++fold;
  if (fold == end) return false;
  last->word = &s->t->words[fold->to];
  return rw_is_legal(s->t, last);
}

bool rw_build(rw_builder *s, const rw_label *choice, uint32_t root) {
  rw_piece *p = &s->piece;
  unsigned instructions = 0, bytes = 0;
  p->root = root, p->read_count = p->code_count = 0, p->cost = p->below = 0;
  s->rule = &s->t->rules[choice->rule], s->order = choice->order;
  s->pattern = &s->t->patterns[s->rule->first_pattern];
  s->at = choice->result == RW_NONE8 ? root : s->nodes[root].sources[0];
  s->is_allowed = may_be_inner(s, s->at, root);
  memset(s->variables, 0xff, sizeof s->variables);
  s->fits = match(s, s->at);
  if (!s->fits || !s->is_allowed || !bind_code(s)) return false;
  if (choice->result != RW_NONE8 && !fold_into_result(s, choice->result)) return false;
  for (const rw_instruction *i = p->code; i < p->code + p->code_count; ++i) {
    p->cost += i->form->cycles;
    instructions += i->form->instructions;
    bytes += i->bytes;
  }
  p->cost += instructions / 1024.0 + bytes / 1048576.0;
  return true;
}

/* SPDX-License-Identifier: MIT */
// See legal.h.
#include "legal.h"

uint64_t rw_evaluate(const rw_tables *t, uint32_t first_step, uint32_t step_count, const rw_node *nodes,
                     const uint32_t *variables, uint64_t subject) {
  uint64_t values[RW_VALUES] = {0};
  for (uint32_t n = 0; n < step_count; ++n) {
    const rw_step *s = &t->steps[first_step + n];
    const uint64_t a = values[s->from[0]], b = values[s->from[1]], c = values[s->from[2]];
    const uint32_t bound = s->what == RW_BOUND ? variables[s->argument] : RW_NO_NODE;
    if (s->what == RW_BOUND && (bound == RW_NO_NODE || nodes[bound].op != RW_CONSTANT)) return 0;
    const uint64_t gives[] = {[RW_AND] = a & b,
                              [RW_OR] = a | b,
                              [RW_XOR] = a ^ b,
                              [RW_ADD] = a + b,
                              [RW_SUB] = a - b,
                              [RW_MUL] = a * b,
                              [RW_SHL] = b < 64 ? a << b : 0,
                              [RW_SHR] = b < 64 ? a >> b : 0,
                              [RW_EQ] = a == b,
                              [RW_LESS] = a < b,
                              [RW_CHOOSE] = a != 0 ? b : c,
                              [RW_SUBJECT] = subject,
                              [RW_BOUND] = bound != RW_NO_NODE ? nodes[bound].value : 0,
                              [RW_NUMBER] = s->what == RW_NUMBER ? t->immediates[s->argument] : 0};
    values[n] = gives[s->what] & rw_mask_of(s->result);
  }
  return values[step_count - 1];
}

static bool in_set(const rw_tables *t, const rw_shape *shape, uint64_t bits) {
  const rw_range *at = &t->ranges[t->sets[shape->set].first_range];
  const rw_range *const last = at + t->sets[shape->set].range_count;
  for (const rw_range *end = last; at < end;) {
    const rw_range *middle = at + (end - at) / 2;
    if (t->immediates[middle->to] >= bits) end = middle;
    if (t->immediates[middle->to] < bits) at = middle + 1;
  }
  return at < last && t->immediates[at->from] <= bits;
}

static uint64_t features_of(const rw_tables *t, const rw_instruction *i, unsigned k) {
  const rw_operand *o = &i->sources[k];
  const rw_shape *shape = &t->shapes[o->shape];
  uint64_t features = shape->features;
  if ((o->flags & RW_UNIFORM) != 0) features |= t->uniform_at[k];
  if (o->kind == RW_IMMEDIATE && shape->set != RW_NONE16) {
    features |= in_set(t, shape, i->bits[k]) ? t->is_inline : t->literal;
  }
  return features;
}

static uint64_t all_features(const rw_tables *t, const rw_instruction *i) {
  uint64_t features = i->word->features;
  for (unsigned k = 0; k < i->form->source_count; ++k) features |= features_of(t, i, k);
  return features;
}

static bool is_same_value(const rw_tables *t, const rw_instruction *i, unsigned a, unsigned b) {
  const rw_operand *x = &i->sources[a], *y = &i->sources[b];
  if (x->kind != y->kind) return false;
  if (x->kind != RW_IMMEDIATE) return x->ref == y->ref && x->subscript == y->subscript;
  return i->bits[a] == i->bits[b] && t->types[t->shapes[x->shape].type].bits == t->types[t->shapes[y->shape].type].bits;
}

// How many features of `counted` the operands and the instruction have in all; how many values have any.
static unsigned count_features(const rw_tables *t, const rw_instruction *i, uint64_t counted, bool is_distinct) {
  unsigned sum = 0;
  for (unsigned k = 0; k <= i->form->source_count; ++k) {
    uint64_t f = (k < i->form->source_count ? features_of(t, i, k) : i->word->features) & counted;
    for (unsigned j = 0; is_distinct && k < i->form->source_count && j < k; ++j) {
      if (is_same_value(t, i, j, k) && (features_of(t, i, j) & counted) != 0) f = 0;
    }
    if (is_distinct) f = f != 0;
    for (; f != 0; f &= f - 1) ++sum;
  }
  return sum;
}

bool rw_is_legal(const rw_tables *t, const rw_instruction *i) {
  for (unsigned k = 0; k < i->form->source_count; ++k) {
    const rw_operand *o = &i->sources[k];
    if (o->shape == RW_NONE16) return false;
    const rw_shape *shape = &t->shapes[o->shape];
    if ((shape->flags & RW_ILLEGAL) != 0) return false;
    if ((o->flags & RW_UNIFORM) != 0 && (shape->flags & RW_NO_UNIFORM) != 0) return false;
    if (o->kind == RW_IMMEDIATE && (shape->flags & RW_ANY_IMMEDIATE) == 0 && !in_set(t, shape, i->bits[k]))
      return false;
  }
  const uint64_t all = all_features(t, i);
  for (unsigned l = 0; i->form->limits >> l != 0; ++l) {
    const rw_limit *limit = &t->limits[l];
    if ((i->form->limits >> l & 1) == 0 || (all & limit->features) == 0) continue;
    if (limit->kind == RW_ALL_OF ? (all & limit->features) == limit->features
                                 : count_features(t, i, limit->features, limit->kind == RW_DISTINCT) > limit->at_most) {
      return false;
    }
  }
  return true;
}

unsigned rw_bytes(const rw_tables *t, const rw_instruction *i) {
  const bool is_long = (all_features(t, i) & i->form->long_when) != 0;
  const unsigned literals = i->form->literal_bytes != 0 ? count_features(t, i, t->literal, true) : 0;
  return (is_long ? i->form->long_bytes : i->form->bytes) + literals * i->form->literal_bytes;
}

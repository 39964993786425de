/* SPDX-License-Identifier: MIT */
// See legal.h.
#include "legal.h"

uint64_t rw_evaluate(const rw_tables *t, uint32_t first_step, uint32_t step_count, uint64_t subject, uint64_t *values) {
  uint64_t *to = &values[RW_VARIABLES];
  *to = subject;
  for (const rw_step *s = &t->steps[first_step]; s < &t->steps[first_step + step_count]; ++s) {
    const uint64_t a = values[s->from[0]], b = values[s->from[1]], c = values[s->from[2]];
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
                              [RW_NUMBER] = t->immediates[s->argument]};
    *++to = gives[s->what] & rw_mask_of(s->result);
  }
  return *to;
}

static bool in_set(const rw_tables *t, const rw_set *set, uint64_t bits) {
  const rw_range *at = &t->ranges[set->first_range];
  const rw_range *const last = at + set->range_count;
  for (const rw_range *end = last; at < end;) {
    const rw_range *middle = at + (end - at) / 2;
    if (t->immediates[middle->to] >= bits) end = middle;
    if (t->immediates[middle->to] < bits) at = middle + 1;
  }
  return at < last && t->immediates[at->from] <= bits;
}

static bool is_same_value(const rw_tables *t, const rw_instruction *i, unsigned a, unsigned b) {
  const rw_operand *x = &i->sources[a], *y = &i->sources[b];
  if (x->kind != y->kind) return false;
  if (x->kind != RW_IMMEDIATE) return x->ref == y->ref && x->subscript == y->subscript;
  return i->bits[a] == i->bits[b] && t->types[t->shapes[x->shape].type].bits == t->types[t->shapes[y->shape].type].bits;
}

// Counts `features` as `limit` specifies. The array contains the features of each source, followed by the instruction's
// own.
static unsigned count(const rw_tables *t, const rw_instruction *i, const uint64_t *features, const rw_limit *limit) {
  uint64_t seen = 0;
  unsigned sum = 0;
  for (unsigned k = 0; k <= i->form->source_count; ++k) {
    uint64_t f = features[k] & limit->features & ~seen;
    if (limit->counted == RW_KINDS) seen |= f;
    for (unsigned j = 0; limit->counted == RW_DISTINCT && k < i->form->source_count && j < k; ++j) {
      if ((features[j] & limit->features) != 0 && is_same_value(t, i, j, k)) f = 0;
    }
    for (; f != 0; f = limit->counted == RW_DISTINCT ? 0 : f & (f - 1)) ++sum;
  }
  return sum;
}

bool rw_is_legal(const rw_tables *t, rw_instruction *i) {
  uint64_t features[RW_SOURCES + 1], all = i->word->features;
  features[i->form->source_count] = all;
  for (unsigned k = 0; k < i->form->source_count; ++k) {
    const rw_operand *o = &i->sources[k];
    const rw_shape *shape = &t->shapes[o->shape];
    const bool is_uniform = (o->flags & RW_UNIFORM) != 0;
    const bool is_of_set = o->kind == RW_IMMEDIATE && shape->set != RW_NONE16;
    const bool is_inline = is_of_set && in_set(t, &t->sets[shape->set], i->bits[k]);
    const int unfit = RW_ILLEGAL | (is_uniform ? RW_NO_UNIFORM : 0) | (is_of_set && !is_inline ? RW_ONLY_INLINE : 0);
    if ((shape->flags & unfit) != 0) return false;
    features[k] = shape->features | (is_uniform ? t->uniform_at[k] : 0);
    if (is_of_set) features[k] |= is_inline ? t->is_inline : t->literal;
    all |= features[k];
  }
  for (unsigned l = 0; i->form->limits >> l != 0; ++l) {
    const rw_limit *limit = &t->limits[l];
    if ((i->form->limits >> l & 1) == 0 || (all & limit->features) == 0) continue;
    if (count(t, i, features, limit) > limit->at_most) return false;
  }
  const rw_limit literals = {.counted = RW_DISTINCT, .features = t->literal};
  i->bytes = (all & i->form->long_when) != 0 ? i->form->long_bytes : i->form->bytes;
  if (i->form->literal_bytes != 0) i->bytes += count(t, i, features, &literals) * i->form->literal_bytes;
  return true;
}

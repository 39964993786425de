/* SPDX-License-Identifier: MIT */
// See legal.h.
#include "legal.h"

#include <string.h>

static int64_t sign_extend(uint64_t v, unsigned bits) {
  const uint64_t sign = UINT64_C(1) << (bits - 1);
  return (int64_t)(((v & rw_mask_of(bits)) ^ sign) - sign);
}

// A float pattern's magnitude with its sign, in the order of the numbers.
static int64_t float_order(uint64_t v, unsigned width) {
  const int64_t magnitude = (int64_t)(v & rw_mask_of(width - 1));
  return (v >> (width - 1) & 1) != 0 ? -magnitude : magnitude;
}
static unsigned mantissa_bits(unsigned width) { return width == 16 ? 10 : width == 32 ? 23 : 52; }
static uint64_t infinity(unsigned width) {
  return rw_mask_of(width - 1 - mantissa_bits(width)) << mantissa_bits(width);
}
static bool is_nan(uint64_t v, unsigned width) { return (v & rw_mask_of(width - 1)) > infinity(width); }
static uint64_t truncated(uint64_t v, unsigned width) {
  const unsigned mantissa = mantissa_bits(width);
  const int64_t bias = (int64_t)rw_mask_of(width - 2 - mantissa);
  const int64_t exponent = (int64_t)((v & infinity(width)) >> mantissa) - bias;
  if (exponent < 0) return v & ~rw_mask_of(width - 1);
  return exponent >= (int64_t)mantissa ? v : v & ~rw_mask_of(mantissa - (unsigned)exponent);
}

static unsigned operands_of(uint8_t what) {
  switch (what) {
    case RW_NOT:
    case RW_NEG:
    case RW_SEXT:
    case RW_EXTRACT:
    case RW_ISNAN:
    case RW_ISINF:
    case RW_ISZERO:
    case RW_FTRUNC:
      return 1;
    case RW_ITE:
      return 3;
    default:
      return 2;
  }
}

static uint64_t step_value(const rw_step *s, uint64_t a, uint64_t b, uint64_t c) {
  const unsigned w = s->width;
  switch (s->what) {
    case RW_NOT:
      return ~a;
    case RW_AND:
      return a & b;
    case RW_OR:
      return a | b;
    case RW_XOR:
      return a ^ b;
    case RW_NEG:
      return 0 - a;
    case RW_ADD:
      return a + b;
    case RW_SUB:
      return a - b;
    case RW_MUL:
      return a * b;
    case RW_SHL:
      return b < w ? a << b : 0;
    case RW_LSHR:
      return b < w ? a >> b : 0;
    case RW_ASHR:
      return (uint64_t)(sign_extend(a, w) < 0 ? ~(~sign_extend(a, w) >> (b < w ? b : w - 1))
                                              : sign_extend(a, w) >> (b < w ? b : w - 1));
    case RW_EQ:
      return a == b;
    case RW_ULT:
      return a < b;
    case RW_ULE:
      return a <= b;
    case RW_SLT:
      return sign_extend(a, w) < sign_extend(b, w);
    case RW_SLE:
      return sign_extend(a, w) <= sign_extend(b, w);
    case RW_SEXT:
      return (uint64_t)sign_extend(a, w);
    case RW_EXTRACT:
      return a >> s->argument;
    case RW_ITE:
      return a != 0 ? b : c;
    case RW_FLT:
      return !is_nan(a, w) && !is_nan(b, w) && float_order(a, w) < float_order(b, w);
    case RW_FLE:
      return !is_nan(a, w) && !is_nan(b, w) && float_order(a, w) <= float_order(b, w);
    case RW_FEQ:
      return !is_nan(a, w) && !is_nan(b, w) && float_order(a, w) == float_order(b, w);
    case RW_ISNAN:
      return is_nan(a, w);
    case RW_ISINF:
      return (a & rw_mask_of(w - 1)) == infinity(w);
    case RW_ISZERO:
      return (a & rw_mask_of(w - 1)) == 0;
    case RW_FTRUNC:
      return truncated(a, w);
    default:
      return 0;
  }
}

uint64_t rw_evaluate(const rw_tables *t, const rw_condition *condition, const rw_node *nodes, const uint32_t *variables,
                     uint64_t subject) {
  uint64_t stack[RW_STACK + 4] = {0};
  unsigned top = 0;
  for (unsigned i = 0; i < condition->step_count; ++i) {
    const rw_step *step = &t->steps[condition->first_step + i];
    uint64_t value = subject;
    if (step->what == RW_PUSH_VARIABLE) {
      const uint32_t node = variables[step->argument];
      if (node == RW_NO_NODE || nodes[node].op != RW_CONSTANT) return 0;
      value = nodes[node].value;
    } else if (step->what == RW_PUSH_IMMEDIATE) {
      value = t->immediates[step->argument];
    } else if (step->what != RW_PUSH_SUBJECT) {
      top -= operands_of(step->what);
      value = step_value(step, stack[top + 1], stack[top + 2], stack[top + 3]);
    }
    stack[++top] = value & rw_mask_of(step->result);
  }
  return stack[top];
}

static bool in_set(const rw_tables *t, uint8_t set, uint64_t bits, unsigned width) {
  for (unsigned i = 0; i < t->sets[set].range_count; ++i) {
    const rw_range *r = &t->ranges[t->sets[set].first_range + i];
    const uint64_t from = t->immediates[r->from], to = t->immediates[r->to];
    if (r->width != 0 && r->width != width) continue;
    if (r->is_signed != 0 ? (int64_t)from <= sign_extend(bits, width) && sign_extend(bits, width) <= (int64_t)to
                          : from <= bits && bits <= to) {
      return true;
    }
  }
  return false;
}

static bool lists(const rw_tables *t, uint16_t first, uint16_t count, uint8_t modifier) {
  return count != 0 && memchr(&t->modifier_lists[first], modifier, count) != NULL;
}

static uint64_t operand_features(const rw_tables *t, const rw_instruction *i, unsigned k) {
  const rw_operand *o = &i->sources[k];
  const rw_place *place = rw_place_at(t, i->form, k);
  uint64_t f = t->types[o->type].features;
  for (unsigned m = 0; m < o->modifier_count; ++m) {
    f |= t->modifiers[o->modifiers[m]].features;
    if ((o->flags & RW_MIXED) != 0) f |= t->modifiers[o->modifiers[m]].mixed_features;
  }
  for (unsigned m = 0; o->type != place->type && m < place->modifier_count; ++m) {
    const rw_modifier *widens = &t->modifiers[t->modifier_lists[place->first_modifier + m]];
    if (widens->place != RW_WIDENS || widens->from != o->type || widens->to != place->type) continue;
    f |= widens->features;
    break;
  }
  if (o->subscript != RW_NONE8) f |= t->part | (o->subscript > 0 ? t->part_above : 0);
  if ((o->flags & RW_UNIFORM) != 0) f |= t->uniform | t->uniform_at[k];
  if ((o->flags & RW_SWIZZLED) != 0) f |= t->swizzled;
  if ((o->flags & RW_CONSTANTS) != 0) f |= t->constants;
  if (o->kind != RW_IMMEDIATE) return f;
  const unsigned bits = t->types[o->type].bits;
  f |= t->immediate | t->immediate_at[k] | t->immediate_bits[rw_size_index(bits)];
  if (o->modifier_count != 0) f |= t->immediate_modified;
  if (place->set != RW_NONE8) f |= in_set(t, place->set, i->bits[k], bits) ? t->is_inline : t->literal;
  return f;
}

static uint64_t own_features(const rw_tables *t, const rw_instruction *i) {
  uint64_t f = i->features | t->types[i->destination.type].result_features;
  if (i->choice != RW_NONE8) f |= t->choices[t->selectors[i->form->selector].first_choice + i->choice].features;
  for (unsigned m = 0; m < 2; ++m) {
    if (i->destination_modifiers[m] != RW_NONE8) f |= t->modifiers[i->destination_modifiers[m]].features;
  }
  return f;
}

static bool is_same_value(const rw_tables *t, const rw_instruction *i, unsigned a, unsigned b) {
  const rw_operand *x = &i->sources[a], *y = &i->sources[b];
  if (x->kind != y->kind) return false;
  if (x->kind == RW_IMMEDIATE) return i->bits[a] == i->bits[b] && t->types[x->type].bits == t->types[y->type].bits;
  return x->ref == y->ref && x->subscript == y->subscript;
}

// How many features of `counted` the operands have in all; how many values have any.
static unsigned count_features(const rw_tables *t, const rw_instruction *i, uint64_t counted, bool is_distinct) {
  const unsigned count = i->form->source_count;
  unsigned sum = 0;
  for (unsigned k = 0; k <= count; ++k) {
    uint64_t f = (k < count ? operand_features(t, i, k) : own_features(t, i)) & counted;
    for (unsigned j = 0; is_distinct && k < count && j < k; ++j) {
      if (is_same_value(t, i, j, k) && (operand_features(t, i, j) & counted) != 0) f = 0;
    }
    if (is_distinct) f = f != 0;
    for (; f != 0; f &= f - 1) ++sum;
  }
  return sum;
}

static bool is_source_legal(const rw_tables *t, const rw_instruction *i, unsigned k) {
  const rw_operand *o = &i->sources[k];
  const rw_place *place = rw_place_at(t, i->form, k);
  for (unsigned m = 0; m < o->modifier_count; ++m) {
    const rw_modifier *modifier = &t->modifiers[o->modifiers[m]];
    if (!lists(t, place->first_modifier, place->modifier_count, o->modifiers[m])) return false;
    if ((modifier->types >> place->type & 1) == 0) return false;
    if (m > 0 && modifier->order <= t->modifiers[o->modifiers[m - 1]].order) return false;
  }
  if (o->kind == RW_IMMEDIATE) {
    if (place->immediate == RW_NO_IMMEDIATE || (o->flags & RW_NEGATED) != 0) return false;
    if (o->subscript != RW_NONE8 || (o->flags & RW_UNIFORM) != 0) return false;
    return place->immediate == RW_ANY_IMMEDIATE || in_set(t, place->set, i->bits[k], t->types[o->type].bits);
  }
  if ((place->flags & RW_ONLY_IMMEDIATE) != 0 || (i->is_exchanged != 0 && (o->flags & RW_FIXED_PLACE) != 0))
    return false;
  if (o->subscript != RW_NONE8 && (place->flags & RW_PARTS) == 0) return false;
  return (o->flags & RW_UNIFORM) == 0 || (place->flags & RW_NO_UNIFORM) == 0;
}

bool rw_is_legal(const rw_tables *t, const rw_instruction *i) {
  const rw_form *form = i->form;
  for (unsigned m = 0; m < 2 && i->destination_modifiers[m] != RW_NONE8; ++m) {
    const uint8_t modifier = i->destination_modifiers[m];
    if (!lists(t, form->first_modifier, form->modifier_count, modifier)) return false;
    if ((t->modifiers[modifier].types >> form->result & 1) == 0) return false;
    if (m == 1 && modifier == i->destination_modifiers[0]) return false;
  }
  uint64_t all = own_features(t, i);
  for (unsigned k = 0; k < form->source_count; ++k) {
    if (!is_source_legal(t, i, k)) return false;
    all |= operand_features(t, i, k);
  }
  for (unsigned l = 0; form->limits >> l != 0; ++l) {
    const rw_limit *limit = &t->limits[l];
    if ((form->limits >> l & 1) == 0) continue;
    if (limit->kind == RW_ALL_OF ? (all & limit->features) == limit->features
                                 : count_features(t, i, limit->features, limit->kind == RW_DISTINCT) > limit->at_most) {
      return false;
    }
  }
  return true;
}

unsigned rw_bytes(const rw_tables *t, const rw_instruction *i) {
  const rw_form *form = i->form;
  if (form->long_bytes == 0 && form->literal_bytes == 0) return form->bytes;
  uint64_t all = own_features(t, i);
  for (unsigned k = 0; k < form->source_count; ++k) all |= operand_features(t, i, k);
  const unsigned bytes = (all & form->long_when) != 0 ? form->long_bytes : form->bytes;
  return bytes + form->literal_bytes * count_features(t, i, t->literal, true);
}

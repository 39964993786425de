/* SPDX-License-Identifier: MIT */
// See piece.h.
#include "piece.h"

#include <string.h>

static bool holds(const rw_builder *s, const rw_condition *c, uint32_t node) {
  const rw_node *n = &s->nodes[node];
  if (n->op == RW_CONSTANT && c->step_count > 0) return rw_evaluate(s->t, c, s->nodes, s->variables, n->value) == 1;
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
  if (s->is_too_long) return;
  rw_operand *read = &p->reads[p->read_count++];
  memset(read, 0, sizeof *read);
  read->kind = kind, read->ref = node, read->type = type;
}

// Puts modifier `inner` below those of `o`, which cancel or swallow it where they can. False: there are too many.
static bool compose(const rw_tables *t, uint8_t inner, rw_operand *o) {
  const uint8_t does = t->modifiers[inner].bits;
  const uint8_t outer = o->modifier_count > 0 ? t->modifiers[o->modifiers[0]].bits : RW_OTHER_BITS;
  const bool is_sign = does == RW_FNEG || does == RW_INEG, is_magnitude = does == RW_FABS || does == RW_IABS;
  if ((outer == RW_FABS || outer == RW_IABS) && (is_sign || is_magnitude)) return true;
  if (does == outer && (is_sign || does == RW_INOT)) {
    --o->modifier_count;
    memmove(o->modifiers, o->modifiers + 1, RW_MODIFIERS - 1);
    o->modifiers[o->modifier_count] = 0;
    return true;
  }
  if (o->modifier_count == RW_MODIFIERS) return false;
  memmove(o->modifiers + 1, o->modifiers, RW_MODIFIERS - 1);
  o->modifiers[0] = inner;
  ++o->modifier_count;
  return true;
}

static bool fold_one(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  const rw_tables *t = s->t;
  const rw_node *n = &s->nodes[node];
  const rw_place *place = rw_place_at(t, i->form, k);
  rw_operand *o = &i->sources[k];
  for (unsigned m = 0; m < place->modifier_count; ++m) {
    const uint8_t index = t->modifier_lists[place->first_modifier + m];
    const rw_modifier *modifier = &t->modifiers[index];
    const rw_operand before = *o;
    if (modifier->op != n->op || o->type != place->type) continue;
    if (modifier->place == RW_WIDENS) {
      if (t->types[modifier->from].bits != s->nodes[n->sources[0]].bits) continue;
      o->type = modifier->from;
    } else if (!compose(t, index, o)) {
      continue;
    }
    if (rw_is_legal(t, i)) return true;
    *o = before;
  }
  return false;
}

// Strips what the modifiers of source k can do; the node that is left.
static uint32_t fold_modifiers(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  for (int left = 8; left > 0 && rw_is_op(&s->nodes[node]); --left) {
    if (i->sources[k].subscript != RW_NONE8 || s->nodes[node].source_count != 1 || !fold_one(s, node, k, i)) break;
    add_inner(s, node);
    node = s->nodes[node].sources[0];
  }
  return node;
}

static bool apply_to_constant(uint8_t does, unsigned width, uint64_t *bits) {
  const uint64_t sign = UINT64_C(1) << (width - 1);
  switch (does) {
    case RW_FNEG:
      *bits ^= sign;
      break;
    case RW_FABS:
      *bits &= ~sign;
      break;
    case RW_INEG:
      *bits = 0 - *bits;
      break;
    case RW_IABS:
      *bits = (*bits & sign) != 0 ? 0 - *bits : *bits;
      break;
    case RW_INOT:
      *bits = ~*bits;
      break;
    default:
      return false;
  }
  *bits &= rw_mask_of(width);
  return true;
}

static bool try_immediate(const rw_tables *t, const rw_operand *immediate, uint64_t bits, unsigned k,
                          rw_instruction *i) {
  rw_instruction trial = *i;
  trial.sources[k] = *immediate, trial.bits[k] = bits;
  if (!rw_is_legal(t, &trial)) {
    if (k > 1 || i->form->source_count < 2 || (i->form->commutative == 0 && i->exchanged == RW_NONE8)) return false;
    if (i->form->commutative == 0) trial.choice = i->exchanged, trial.exchanged = i->choice;
    trial.sources[k] = trial.sources[1 - k], trial.bits[k] = trial.bits[1 - k];
    trial.sources[1 - k] = *immediate, trial.bits[1 - k] = bits;
    trial.is_exchanged ^= 1;
    if (!rw_is_legal(t, &trial)) return false;
  }
  *i = trial;
  return true;
}

// An immediate where it fits, or a register that is loaded before.
static bool bind_constant(rw_builder *s, uint32_t node, unsigned k, rw_instruction *i) {
  const rw_tables *t = s->t;
  const rw_node *n = &s->nodes[node];
  rw_operand immediate = i->sources[k], *o = &i->sources[k];
  const unsigned width = t->types[o->type].bits;
  const bool is_part = o->subscript != RW_NONE8;
  uint64_t bits = n->value >> (is_part ? o->subscript * width : 0) & rw_mask_of(width);
  // A Boolean's register may hold a float, whose sign no Boolean has.
  bool is_known = (is_part || width == n->bits) && (width > 1 || o->modifier_count == 0);
  for (unsigned m = 0; m < o->modifier_count; ++m) {
    is_known &= apply_to_constant(t->modifiers[o->modifiers[m]].bits, width, &bits);
  }
  immediate.kind = RW_IMMEDIATE, immediate.ref = 0, immediate.subscript = RW_NONE8, immediate.modifier_count = 0;
  memset(immediate.modifiers, 0, RW_MODIFIERS);
  immediate.flags &= RW_UNIFORM | RW_NEGATED, immediate.swizzle = 0x3210;
  if (is_known && try_immediate(t, &immediate, bits, k, i)) return true;
  unsigned type = o->type;
  if (is_part) {
    for (type = 0; type < t->type_count; ++type) {
      if (t->types[type].bits == n->bits && t->types[type].load != RW_NONE16) break;
    }
    if (type == t->type_count) return false;
  }
  if (t->types[type].bits != n->bits || t->types[type].load == RW_NONE16) return false;
  o->kind = RW_LOADED, o->ref = node;
  add_read(s, RW_LOADED, node, (uint8_t)type);
  return true;
}

static bool bind(rw_builder *s, uint32_t node, const rw_operand *written, unsigned k, rw_instruction *i) {
  // A constant may have exchanged the first two sources.
  if (k < 2 && i->form->source_count >= 2 && memcmp(&i->sources[k], written, sizeof *written) != 0 &&
      memcmp(&i->sources[1 - k], written, sizeof *written) == 0) {
    k = 1 - k;
  }
  node = fold_modifiers(s, node, k, i);
  const rw_node *n = &s->nodes[node];
  if (n->op == RW_CONSTANT) return bind_constant(s, node, k, i);
  rw_operand *o = &i->sources[k];
  o->kind = RW_VALUE, o->ref = node, o->flags &= (uint8_t)~RW_UNIFORM;
  if (n->op == RW_OPAQUE && s->t->has_uniforms && (n->flags & RW_IS_UNIFORM) != 0 && o->subscript == RW_NONE8) {
    o->flags |= RW_UNIFORM;
  }
  add_read(s, RW_VALUE, node, o->type);
  return true;
}

// Uniforms that the instruction cannot read are moved into registers before, as few as will do.
static bool move_uniforms(rw_builder *s, rw_instruction *i) {
  for (unsigned k = i->form->source_count; k-- > 0;) {
    const rw_operand moved = i->sources[k];
    if ((moved.flags & RW_UNIFORM) == 0) continue;
    if (moved.kind != RW_VALUE || s->t->moves[rw_size_index(s->nodes[moved.ref].bits)] == RW_NONE16) return false;
    for (unsigned j = 0; j < i->form->source_count; ++j) {
      rw_operand *o = &i->sources[j];
      if (o->kind != RW_VALUE || o->ref != moved.ref) continue;
      o->kind = RW_MOVED, o->flags &= (uint8_t)~RW_UNIFORM;
    }
    add_read(s, RW_MOVED, moved.ref, moved.type);
    if (rw_is_legal(s->t, i)) return true;
  }
  return false;
}

void rw_start_instruction(const rw_tables *t, const rw_code *code, rw_instruction *i) {
  memset(i, 0, sizeof *i);
  i->form = &t->forms[code->form];
  i->choice = code->choice, i->exchanged = code->exchanged, i->flag_choice = code->flag_choice;
  i->flag = code->flag, i->predicate = code->predicate, i->inverted = code->inverted, i->saturated = code->saturated;
  memcpy(i->destination_modifiers, code->destination_modifiers, sizeof i->destination_modifiers);
  i->features = code->features;
  i->destination = t->operands[code->first_operand];
  for (unsigned k = 0; k < i->form->source_count; ++k) {
    i->sources[k] = t->operands[code->first_operand + 1u + k];
    if (i->sources[k].kind == RW_IMMEDIATE) i->bits[k] = t->immediates[i->sources[k].ref];
  }
}

static bool bind_code(rw_builder *s, const rw_rule *rule) {
  const rw_tables *t = s->t;
  for (unsigned c = 0; c < rule->code_count; ++c) {
    const rw_code *code = &t->code[rule->first_code + c];
    rw_instruction *i = &s->piece.code[c];
    rw_start_instruction(t, code, i);
    for (unsigned k = 0; k < i->form->source_count; ++k) {
      const rw_operand *written = &t->operands[code->first_operand + 1u + k];
      if (written->kind == RW_VARIABLE && !bind(s, s->variables[written->ref], written, k, i)) return false;
    }
    if (!rw_is_legal(t, i) && !move_uniforms(s, i)) return false;
    s->piece.code_count = c + 1;
  }
  return true;
}

// Makes `modifier`, which does the op of the root, a field of the last instruction.
static bool fold_into_result(rw_builder *s, uint8_t modifier) {
  const rw_modifier *m = &s->t->modifiers[modifier];
  rw_instruction *last = &s->piece.code[s->piece.code_count - 1];
  rw_operand *to = &last->destination;
  if (to->kind != RW_RESULT || to->type != last->form->result || last->destination_modifiers[0] != RW_NONE8)
    return false;
  if (to->subscript != RW_NONE8 || last->saturated != 0 || last->flag != RW_NONE8) return false;
  // A predicated write keeps what another instruction gave.
  if (last->predicate != RW_NONE8 && last->form->reads_predicate == 0) return false;
  if (m->place == RW_ON_RESULT) {
    if ((m->types >> last->form->result & 1) == 0) return false;
    last->destination_modifiers[0] = modifier;
  } else {
    if (last->form->result != m->from) return false;
    bool narrows = false;
    for (unsigned k = 0; k < last->form->modifier_count; ++k) {
      const rw_modifier *other = &s->t->modifiers[s->t->modifier_lists[last->form->first_modifier + k]];
      narrows |= other->place == RW_NARROWS && other->from == m->from && other->to == m->to;
    }
    if (!narrows) return false;
    to->type = m->to;
  }
  return rw_is_legal(s->t, last);
}

rw_use_count *rw_use_count_of(const rw_builder *s, uint32_t leaf, uint32_t block) {
  uint32_t at = (leaf * 2654435761u ^ block * 40503u) & s->uses_mask;
  while (s->uses[at].count != 0 && (s->uses[at].leaf != leaf || s->uses[at].block != block))
    at = (at + 1) & s->uses_mask;
  return &s->uses[at];
}

// The part of a load or move that one of its readers pays: it is done once in a block.
static double share_of(const rw_builder *s, uint32_t leaf, uint32_t block) {
  const uint32_t count = rw_use_count_of(s, leaf, block)->count;
  return 1.0 / (count != 0 ? count : 1);
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

bool rw_build(rw_builder *s, const rw_rule *rule, uint32_t order, uint32_t at, uint32_t root, uint8_t modifier,
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
  if (modifier == RW_NONE8) p->inner[0] = RW_NO_NODE;
  if (!bind_code(s, rule) || s->is_too_long || (modifier != RW_NONE8 && !fold_into_result(s, modifier))) return false;
  p->cost = rw_code_cost(s);
  for (uint32_t i = 0; i < p->read_count; ++i) {
    const rw_operand *read = &p->reads[i];
    if (read->kind == RW_VALUE) continue;
    p->cost += share_of(s, read->ref, s->nodes[root].block) *
               (read->kind == RW_LOADED ? s->t->types[read->type].load_cost
                                        : s->t->move_costs[rw_size_index(s->nodes[read->ref].bits)]);
  }
  return true;
}

/* Reduces a shader whose result a rule changes to a small shader. */
#include <string.h>

#include "harness.h"

bool apply_rule(const struct rule *rule, const struct program *before, struct program *after) {
  nir_shader *shader = build_program(before);
  harness_before_pass();
  const unsigned first_created = nir_shader_get_entrypoint(shader)->ssa_alloc;
  const bool progress = rule->pass(shader);
  record_program(shader, before->denorms, first_created, after);
  mark_folded_constants(rule, before, after);
  ralloc_free(shader);
  return progress;
}

struct reduction {
  const struct rule *rule;
  struct random *random;
  struct program best, best_after;
  struct difference difference;
};

/* Replaces the best program with the candidate if the rule still changes the candidate's result on the vector. */
static bool try_candidate(struct reduction *r, struct program *candidate, const struct vector *vector) {
  static struct program after;
  bool determined;
  struct difference difference;
  const struct vector copy = *vector;
  find_live(candidate);
  if (!apply_rule(r->rule, candidate, &after) || after.malformed ||
      !(r->rule->inexact ? differs_grossly(candidate, &after, &copy, &determined, &difference)
                         : differs_on(candidate, &after, &copy, 48, r->random, &determined, &difference)))
    return false;
  r->best = *candidate;
  r->best_after = after;
  r->difference = difference;
  return true;
}

static unsigned free_input(const struct program *program) {
  unsigned number = 0;
  for (unsigned i = 0; i < program->count; i++)
    if (program->instrs[i].kind == KIND_INPUT && program->instrs[i].live)
      number = MAX2(number, program->instrs[i].number + 1u);
  return number;
}

static bool drop_store(struct reduction *r, unsigned i) {
  static struct program candidate;
  if (r->best.instrs[i].kind != KIND_STORE) return false;
  candidate = r->best;
  candidate.instrs[i].kind = KIND_INPUT;
  candidate.instrs[i].source_count = 0;
  return try_candidate(r, &candidate, &r->difference.vector);
}

static bool make_input_of(struct reduction *r, unsigned i) {
  static struct program candidate;
  struct vector vector = r->difference.vector;
  const unsigned number = free_input(&r->best);
  if ((r->best.instrs[i].kind != KIND_ALU && r->best.instrs[i].kind != KIND_CONSTANT) || number >= MAX_INPUTS)
    return false;
  candidate = r->best;
  if (!natural_value(&candidate, &vector, i, vector.lanes[number])) return false;
  candidate.instrs[i].kind = KIND_INPUT;
  candidate.instrs[i].number = number;
  candidate.instrs[i].source_count = 0;
  return try_candidate(r, &candidate, &vector);
}

static bool store_source_instead(struct reduction *r, unsigned i) {
  static struct program candidate;
  const struct instr *store = &r->best.instrs[i];
  if (store->kind != KIND_STORE || r->best.instrs[store->source[0]].kind != KIND_ALU) return false;
  const struct instr *alu = &r->best.instrs[store->source[0]];
  for (unsigned s = 0; s < alu->source_count; s++) {
    candidate = r->best;
    candidate.instrs[i].source[0] = alu->source[s];
    if (try_candidate(r, &candidate, &r->difference.vector)) return true;
  }
  return false;
}

static bool keep_one_lane(struct reduction *r, unsigned i) {
  static struct program candidate;
  const struct instr *instr = &r->best.instrs[i];
  if (instr->lanes == 1 || instr->kind == KIND_STORE ||
      (instr->kind == KIND_ALU && nir_op_infos[instr->op].output_size))
    return false;
  for (unsigned lane = 0; lane < instr->lanes; lane++) {
    struct vector vector = r->difference.vector;
    candidate = r->best;
    struct instr *changed = &candidate.instrs[i];
    changed->lanes = 1;
    changed->value[0] = changed->value[lane];
    for (unsigned s = 0; s < changed->source_count; s++)
      if (nir_op_infos[changed->op].input_sizes[s] == 0) changed->swizzle[s][0] = changed->swizzle[s][lane];
    if (changed->kind == KIND_INPUT) vector.lanes[changed->number][0] = vector.lanes[changed->number][lane];
    for (unsigned user = i + 1; user < candidate.count; user++)
      for (unsigned s = 0; s < candidate.instrs[user].source_count; s++)
        if (candidate.instrs[user].source[s] == i) memset(candidate.instrs[user].swizzle[s], 0, MAX_LANES);
    if (try_candidate(r, &candidate, &vector)) return true;
  }
  return false;
}

static bool simplify_flags(struct reduction *r, unsigned i) {
  static struct program candidate;
  const struct instr *instr = &r->best.instrs[i];
  bool changed = false;
  if (instr->kind != KIND_ALU) return false;
  for (unsigned step = 0; step < 4; step++) {
    candidate = r->best;
    struct instr *simpler = &candidate.instrs[i];
    if (step == 0) simpler->flags &= ~EXACT;
    if (step == 1) simpler->no_signed_wrap = false;
    if (step == 2) simpler->no_unsigned_wrap = false;
    if (step == 3) simpler->flags |= ALL_PRESERVED & valid_flags(simpler->op);
    if (memcmp(simpler, &r->best.instrs[i], sizeof(*simpler)) != 0)
      changed |= try_candidate(r, &candidate, &r->difference.vector);
  }
  return changed;
}

static bool simplify_witness(struct reduction *r, unsigned i) {
  static struct program candidate;
  const struct instr *instr = &r->best.instrs[i];
  if (instr->kind != KIND_INPUT || !instr->live) return false;
  bool changed = false;
  for (unsigned c = 0; c < instr->lanes; c++) {
    const uint64_t simple[] = {0, is_float_size(instr->bits) && instr->base_type == nir_type_float
                                      ? bits_of(nir_const_value_for_float(1, instr->bits), instr->bits)
                                      : 1};
    for (unsigned k = 0; k < ARRAY_SIZE(simple); k++) {
      struct vector vector = r->difference.vector;
      const uint64_t old = bits_of(vector.lanes[instr->number][c], instr->bits);
      if (old == simple[0] || old == simple[k]) break;
      vector.lanes[instr->number][c] = value_of(simple[k], instr->bits);
      candidate = r->best;
      changed |= try_candidate(r, &candidate, &vector);
    }
  }
  return changed;
}

static bool simplify_mode(struct reduction *r) {
  static struct program candidate;
  if (r->best.denorms == DENORM_PRESERVE && r->best.execution_mode == execution_mode_of(DENORM_PRESERVE, true))
    return false;
  candidate = r->best;
  candidate.denorms = DENORM_PRESERVE;
  candidate.execution_mode = execution_mode_of(DENORM_PRESERVE, true);
  return try_candidate(r, &candidate, &r->difference.vector);
}

void reduce(const struct rule *rule, struct program *before, struct program *after, struct difference *difference,
            struct random *random) {
  static struct reduction r;
  r.rule = rule;
  r.random = random;
  r.best = *before;
  r.best_after = *after;
  r.difference = *difference;
  bool (*const steps[])(struct reduction *, unsigned) = {drop_store,    store_source_instead, make_input_of,
                                                         keep_one_lane, simplify_flags,       simplify_witness};
  bool changed = true;
  for (unsigned round = 0; changed && round < 12; round++) {
    changed = simplify_mode(&r);
    for (unsigned step = 0; step < ARRAY_SIZE(steps); step++)
      for (unsigned i = r.best.count; i-- > 0;)
        if (r.best.instrs[i].live) changed |= steps[step](&r, i);
  }
  *before = r.best;
  *after = r.best_after;
  *difference = r.difference;
}

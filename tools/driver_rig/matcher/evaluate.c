/* Evaluates programs with the tree's constant folding, and compares the results of two programs.
 *
 * A program may have several allowed results because of the choices that docs/float_contract.md lists. For a program
 * before a pass, this file enumerates the choices of signs and denormals, and marks results that may be any value or
 * any NaN. For a program after a pass, it draws one outcome per choice. A result that the program before the pass does
 * not allow is therefore a real difference. */
#include <math.h>
#include <string.h>

#include "harness.h"

enum { MAX_CHOICES = 12, MAX_SCENARIOS = 96 };

struct evaluation {
  const struct program *program;
  const struct vector *vector;
  struct random *random; /* draws the outcome of each choice; NULL enumerates all outcomes */
  bool created;          /* the rule created the current instruction */
  bool flushes;          /* with `random`, arithmetic flushes the denormals that it may keep or flush */
  unsigned chosen, depth;
  uint8_t digits[MAX_CHOICES], limits[MAX_CHOICES];
  bool overflow; /* there are more than MAX_CHOICES choices */
  nir_const_value values[MAX_INSTRS][MAX_LANES];
  uint8_t states[MAX_INSTRS][MAX_LANES];
};

/* Returns the outcome of a choice, from 0 (the usual outcome) to limit - 1. With `random`, only instructions that the
 * rule created draw other outcomes, because an instruction of both programs may have users in both, and all of these
 * users must see the same outcome. */
static unsigned choose(struct evaluation *e, unsigned limit) {
  if (e->random) return e->created ? random_below(e->random, limit) : 0;
  if (e->chosen == MAX_CHOICES) {
    e->overflow = true;
    return 0;
  }
  if (e->chosen == e->depth) {
    e->digits[e->depth] = 0;
    e->limits[e->depth++] = limit;
  }
  return e->digits[e->chosen++];
}

/* Advances to the next combination of choices. Returns false after the last one. */
static bool next_scenario(struct evaluation *e) {
  e->depth = e->chosen;
  while (e->depth > 0 && e->digits[e->depth - 1] + 1 == e->limits[e->depth - 1]) e->depth--;
  if (e->depth == 0) return false;
  e->digits[e->depth - 1]++;
  return true;
}

/* Returns one of NAN_COUNT NaNs: for each sign, a quiet NaN, the NaN with the smallest payload, and the NaN with the
 * largest payload. */
enum { NAN_COUNT = 6 };
static uint64_t nan_number(unsigned number, unsigned bits) {
  const uint64_t quiet_bit = smallest_normal(bits) >> 1;
  const uint64_t sign = number & 1 ? sign_bit(bits) : 0;
  switch (number / 2 % 3) {
    case 0:
      return sign | infinity_of(bits) | quiet_bit;
    case 1:
      return sign | (infinity_of(bits) + 1);
    default:
      return sign | (sign_bit(bits) - 1);
  }
}

/* Returns whether the op only copies bits and therefore makes none of the choices of a float operation. */
static bool is_copy(nir_op op) { return nir_op_is_vec_or_mov(op); }

static bool wraps(const struct instr *instr, const struct operand *operands) {
  const unsigned bits = operands[0].bits;
  const __int128 limit = (__int128)1 << (bits - 1);
  const __int128 a = signed_of(operands[0].pattern[0], bits), ua = operands[0].pattern[0];
  const __int128 b = instr->source_count > 1 ? signed_of(operands[1].pattern[0], operands[1].bits) : 0;
  const __int128 ub = instr->source_count > 1 ? operands[1].pattern[0] : 0;
  __int128 number, natural;
  switch (instr->op) {
    case nir_op_iadd:
      number = a + b, natural = ua + ub;
      break;
    case nir_op_isub:
      number = a - b, natural = ua - ub;
      break;
    case nir_op_imul:
      number = a * b, natural = bits == 64 && ua >> 32 && ub >> 32 ? (__int128)1 << 100 : ua * ub;
      break;
    case nir_op_ineg:
      number = -a, natural = -ua;
      break;
    case nir_op_ishl:
      number = a * ((__int128)1 << (ub & (bits - 1)));
      natural = ua * ((__int128)1 << (ub & (bits - 1)));
      break;
    default:
      return true;
  }
  return (instr->no_signed_wrap && (number < -limit || number >= limit)) ||
         (instr->no_unsigned_wrap && (natural < 0 || natural >= 2 * limit));
}

/* Returns whether the result is poison, for which any value is allowed (docs/float_contract.md, section 2), apart from
 * what fold_op reports. This includes overflow of an instruction that must not wrap. */
static bool is_poison(const struct instr *instr, const struct operand *operands) {
  return is_poison_op(instr, operands) ||
         ((instr->no_signed_wrap || instr->no_unsigned_wrap) && wraps(instr, operands));
}

/* Folds one lane as `op`, or all lanes if the op's result has a fixed number of lanes. Keeps denormals. Returns whether
 * the folding marks the result as poison. */
static bool fold(nir_op op, const struct instr *instr, const struct operand *operands, unsigned lanes,
                 uint64_t *results) {
  nir_const_value values[MAX_LANES][MAX_LANES], *sources[MAX_LANES], outcome[MAX_LANES];
  const nir_op_info *info = &nir_op_infos[instr->op];
  unsigned bits = base_of(info->output_type) && nir_alu_type_get_type_size(info->output_type) ? 0 : instr->bits;
  for (unsigned s = 0; s < instr->source_count; s++) {
    sources[s] = values[s];
    if (bits == 0 && nir_alu_type_get_type_size(info->input_types[s]) == 0) bits = operands[s].bits;
    for (unsigned c = 0; c < operands[s].count; c++) {
      uint64_t pattern = operands[s].pattern[c];
      /* Quiet the NaN, because the host's functions treat signaling NaNs differently from quiet NaNs
       * (tests/mesa/oracle/differences.txt). */
      if (operands[s].base == nir_type_float && is_nan_pattern(pattern, operands[s].bits))
        pattern |= smallest_normal(operands[s].bits) >> 1;
      values[s][c] = value_of(pattern, operands[s].bits);
    }
  }
  memset(outcome, 0, sizeof(outcome[0]) * lanes);
  const bool poison = fold_op(op, outcome, lanes, bits ? bits : 32, sources);
  for (unsigned c = 0; c < lanes; c++) results[c] = bits_of(outcome[c], instr->bits);
  return poison;
}

static uint64_t any_value(struct evaluation *e, unsigned bits) {
  return draw_value(e->random, bits, random_below(e->random, 2) ? nir_type_float : nir_type_int, NULL) & mask_of(bits);
}

static void set_unknown(struct evaluation *e, const struct instr *instr, unsigned lanes, uint64_t *results,
                        uint8_t *states) {
  for (unsigned c = 0; c < lanes; c++) {
    results[c] = e->random ? any_value(e, instr->bits) : 0;
    states[c] = e->random ? STATE_KNOWN : STATE_UNKNOWN;
  }
}

/* Returns whether folding gives the same results when several values replace the operand components that are marked
 * with `state`. The caller ensures that every operand is the same unknown value, as in ieq(x, x), or that all marked
 * NaNs are the same value. */
static bool is_insensitive(const struct instr *instr, const struct operand *operands, unsigned lanes, unsigned state,
                           uint64_t *results) {
  static const uint64_t unknown_values[] = {0, 1, UINT64_MAX, UINT64_C(0x8000800080008000),
                                            UINT64_C(0x3c003f803ff01234)};
  const unsigned tries = state == STATE_NAN ? NAN_COUNT : ARRAY_SIZE(unknown_values);
  for (unsigned number = 0; number < tries; number++) {
    struct operand changed[4];
    uint64_t outcome[MAX_LANES];
    for (unsigned s = 0; s < instr->source_count; s++) {
      changed[s] = operands[s];
      for (unsigned c = 0; c < operands[s].count; c++) {
        if ((operands[s].state[c] & state) == 0) continue;
        changed[s].pattern[c] = state == STATE_NAN ? nan_number(number, operands[s].bits)
                                                   : unknown_values[number] & mask_of(operands[s].bits);
      }
    }
    if (is_poison(instr, changed) || fold(instr->op, instr, changed, lanes, number == 0 ? results : outcome))
      return false;
    if (number > 0 && memcmp(outcome, results, lanes * sizeof(outcome[0])) != 0) return false;
  }
  /* A NaN that constant folding keeps may differ from all of these NaNs. */
  uint64_t outcome[MAX_LANES];
  return state != STATE_NAN || (!fold(instr->op, instr, operands, lanes, outcome) &&
                                memcmp(outcome, results, lanes * sizeof(outcome[0])) == 0);
}

/* Chooses whether to flush a denormal that may be kept or flushed. With `random`, behaves like a device that treats all
 * arithmetic alike, and that keeps denormals in operations that never have to flush them. */
static bool choose_flush(struct evaluation *e, nir_op op) {
  return e->random ? e->flushes && !may_flush_only(op) : choose(e, 2);
}

/* Flushes the denormal sources of a float operation according to the denormal mode. Treats equal sources alike. */
static void flush_sources(struct evaluation *e, const struct instr *instr, struct operand *operands) {
  const enum denorm_mode mode = e->program->denorms;
  if (mode == DENORM_PRESERVE) return;
  uint64_t seen[8];
  unsigned flushed[8], count = 0;
  for (unsigned s = 0; s < instr->source_count; s++) {
    if (operands[s].base != nir_type_float) continue;
    for (unsigned c = 0; c < operands[s].count; c++) {
      uint64_t *pattern = &operands[s].pattern[c];
      if (!is_denormal_pattern(*pattern, operands[s].bits)) continue;
      unsigned flush = 1, found = 0;
      if (mode == DENORM_ANY || may_flush_only(instr->op)) {
        while (found < count && seen[found] != *pattern) found++;
        flush = found < count ? flushed[found] : choose_flush(e, instr->op);
        if (found == count && count < 8) {
          seen[count] = *pattern;
          flushed[count++] = flush;
        }
      }
      if (flush) *pattern &= sign_bit(operands[s].bits);
    }
  }
}

/* Chooses the signs of the zeros for which `free` is set or that have STATE_ZERO. Reads equal sources alike. */
static void read_zeros(struct evaluation *e, const struct instr *instr, struct operand *operands, bool free) {
  for (unsigned s = 0; s < instr->source_count; s++) {
    for (unsigned c = 0; c < operands[s].count; c++) {
      const bool is_free = (free && operands[s].base == nir_type_float) || operands[s].state[c] & STATE_ZERO;
      operands[s].state[c] &= ~STATE_ZERO;
      if (!is_free || !is_zero_pattern(operands[s].pattern[c], operands[s].bits)) continue;
      const struct operand *same = NULL;
      unsigned same_lane = 0;
      for (unsigned other = 0; !same && other <= s; other++)
        for (unsigned d = 0; !same && d < (other < s ? operands[other].count : c); d++)
          if (operands[other].base == operands[s].base && operands[other].source == operands[s].source &&
              operands[other].lane[d] == operands[s].lane[c])
            same = &operands[other], same_lane = d;
      if (same)
        operands[s].pattern[c] = same->pattern[same_lane];
      else if (choose(e, 2))
        operands[s].pattern[c] ^= sign_bit(operands[s].bits);
    }
  }
}

/* Applies the choices for a float result: flushing of denormals, the sign of a zero, NaN, and ignored infinities. */
static void finish_float(struct evaluation *e, const struct instr *instr, const struct operand *operands,
                         bool zero_free, bool nan_free, bool inf_free, uint64_t *result, uint8_t *state) {
  const unsigned bits = instr->bits;
  const enum denorm_mode mode = e->program->denorms;
  const bool is_denormal = is_denormal_pattern(*result, bits);
  const bool is_smallest = (*result & ~sign_bit(bits)) == smallest_normal(bits);
  if (mode != DENORM_PRESERVE && (is_denormal || (is_smallest && may_be_rounded_denormal(instr, operands)))) {
    const bool must = mode == DENORM_FLUSH && !may_flush_only(instr->op) && is_denormal;
    if (must || choose_flush(e, instr->op)) *result &= sign_bit(bits);
  }
  if (is_nan_pattern(*result, bits)) {
    if (nan_free) {
      set_unknown(e, instr, 1, result, state);
    } else {
      if (e->random) *result = nan_number(random_below(e->random, NAN_COUNT), bits);
      *state |= STATE_NAN;
    }
  } else if (is_inf_pattern(*result, bits)) {
    if (inf_free) set_unknown(e, instr, 1, result, state);
  } else if (is_zero_pattern(*result, bits)) {
    /* A device returns the same sign for the same operand if an op leaves the sign open, so with `random` the sign is
     * that of constant folding. */
    const bool each_user = EACH_USER_CHOOSES_SIGN && zero_free && !e->random && !instr->names_nsz;
    const bool either = zero_free || (!e->random && leaves_sign_open(instr, operands));
    if (each_user)
      *state |= STATE_ZERO;
    else if (either && !(EACH_USER_CHOOSES_SIGN && e->random && instr->uses > 1) && choose(e, 2))
      *result ^= sign_bit(bits);
  }
}

/* Returns whether a Boolean operand may be neither 0 nor all ones. NIR does not define the result in this case. */
static bool has_wide_boolean(const struct instr *instr, const struct operand *operands) {
  for (unsigned s = 0; s < instr->source_count; s++)
    for (unsigned c = 0; c < operands[s].count; c++)
      if (operands[s].base == nir_type_bool &&
          ((operands[s].pattern[c] != 0 && operands[s].pattern[c] != mask_of(operands[s].bits)) ||
           operands[s].state[c] & STATE_NAN))
        return true;
  return false;
}

/* Returns whether a packed half may have several values: any NaN if it is a NaN, either zero if `zero_free` is set, and
 * a zero if denormals may be flushed. */
static bool is_open_half(enum denorm_mode mode, bool zero_free, uint64_t half) {
  return is_nan_pattern(half, 16) || (zero_free && is_zero_pattern(half, 16)) ||
         (mode != DENORM_PRESERVE && (half & 0x7fff) != 0 && (half & 0x7fff) <= smallest_normal(16));
}

/* Returns whether an op packs halves that may have several values, or unpacks a denormal half that may be flushed. */
static bool has_open_half(enum denorm_mode mode, bool zero_free, const struct instr *instr,
                          const struct operand *operands, const uint64_t *results) {
  const bool packs = instr->op == nir_op_pack_half_2x16 || instr->op == nir_op_pack_half_2x16_split ||
                     instr->op == nir_op_pack_half_2x16_rtz_split;
  if (packs)
    return is_open_half(mode, zero_free, results[0] & 0xffff) ||
           is_open_half(mode, zero_free, results[0] >> 16 & 0xffff);
  return reads_packed_halves(instr->op) && mode != DENORM_PRESERVE &&
         (is_denormal_pattern(operands[0].pattern[0] & 0xffff, 16) ||
          is_denormal_pattern(operands[0].pattern[0] >> 16 & 0xffff, 16));
}

/* Folds an op that rounds its product before it adds the last operand. Both steps have the flags of the instruction.
 * Returns the sum. */
static uint64_t fold_in_two_steps(struct evaluation *e, const struct instr *instr, nir_op product_op,
                                  const struct operand *operands, bool zero_free, bool nan_free, bool inf_free,
                                  uint8_t *state) {
  struct instr step = *instr;
  uint64_t result;
  step.op = product_op;
  step.source_count = 2;
  fold(step.op, &step, operands, 1, &result);
  finish_float(e, &step, operands, zero_free, nan_free, inf_free, &result, state);
  struct operand terms[2] = {operands[0], operands[2]};
  terms[0].pattern[0] = result;
  step.op = nir_op_fadd;
  fold(step.op, &step, terms, 1, &result);
  return result;
}

/* Returns the state of a component of an instruction as its users see it. A value that depends on the choice of an
 * undefined Boolean is undefined if several users read it, because the choice may differ between them. */
static uint8_t state_of(const struct evaluation *e, unsigned index, unsigned lane) {
  const uint8_t state = e->states[index][lane];
  return state & STATE_CHOSEN && e->program->instrs[index].uses > 1 ? state | STATE_UNKNOWN : state;
}

/* Chooses the value of an undefined Boolean that is read only once. */
static void choose_boolean(struct evaluation *e, unsigned source, uint64_t *pattern, uint8_t *state) {
  const struct instr *instr = &e->program->instrs[source];
  if (!BOOLEANS_ARE_DEFINITE || e->random || instr->bits != 1 || instr->uses > 1 || *state != STATE_UNKNOWN) return;
  *pattern = choose(e, 2);
  *state = STATE_CHOSEN;
}

static void evaluate_lanes(struct evaluation *e, const struct instr *instr, struct operand *operands, unsigned lanes,
                           bool same_unknown, bool same_nan, uint64_t *results, uint8_t *states) {
  const nir_op_info *info = &nir_op_infos[instr->op];
  unsigned seen = 0, copied_nan = 0;
  bool zero_free, nan_free, inf_free, has_nan = false, has_inf = false, is_float = false;
  read_zeros(e, instr, operands, false);
  for (unsigned s = 0; s < instr->source_count; s++) {
    for (unsigned c = 0; c < operands[s].count; c++) {
      choose_boolean(e, operands[s].source, &operands[s].pattern[c], &operands[s].state[c]);
      seen |= operands[s].state[c];
      if (operands[s].base == nir_type_float) {
        has_nan |= is_nan_pattern(operands[s].pattern[c], operands[s].bits);
        has_inf |= is_inf_pattern(operands[s].pattern[c], operands[s].bits);
      } else {
        copied_nan |= operands[s].state[c] & STATE_NAN;
      }
    }
    is_float |= operands[s].base == nir_type_float;
  }
  const bool float_result = base_of(info->output_type) == nir_type_float;
  is_float |= float_result;
  memset(states, seen & STATE_CHOSEN, lanes);
  if (instr->misfolded || seen & STATE_MISFOLDED) {
    memset(states, STATE_MISFOLDED, lanes);
    memset(results, 0, lanes * sizeof(results[0]));
    return;
  }
  if (seen & STATE_UNKNOWN) {
    if (!(same_unknown && !is_float && is_insensitive(instr, operands, lanes, STATE_UNKNOWN, results)))
      set_unknown(e, instr, lanes, results, states);
    return;
  }
  if (copied_nan && !e->random && !(same_nan && is_insensitive(instr, operands, lanes, STATE_NAN, results))) {
    set_unknown(e, instr, lanes, results, states);
    return;
  }
  if (has_wide_boolean(instr, operands)) {
    set_unknown(e, instr, lanes, results, states);
    return;
  }
  find_freedom(instr, operands, &zero_free, &nan_free, &inf_free);
  if (is_poison(instr, operands) || (is_float && ((has_nan && nan_free) || (has_inf && inf_free)))) {
    set_unknown(e, instr, lanes, results, states);
    return;
  }
  if (is_float) flush_sources(e, instr, operands);
  if (zero_free && may_read_opposite_zero(instr->op)) read_zeros(e, instr, operands, true);
  nir_op op = alternative_of(instr->op);
  if (op != instr->op && !choose(e, 2)) op = instr->op;
  const nir_op product_op = product_of(op);
  uint8_t product_state = STATE_KNOWN;
  bool poison = false;
  if (product_op != nir_num_opcodes)
    results[0] = fold_in_two_steps(e, instr, product_op, operands, zero_free, nan_free, inf_free, &product_state);
  else
    poison = fold(op, instr, operands, lanes, results);
  if (poison || product_state & STATE_UNKNOWN ||
      has_open_half(e->program->denorms, zero_free, instr, operands, results)) {
    set_unknown(e, instr, lanes, results, states);
    return;
  }
  for (unsigned c = 0; c < lanes; c++) {
    if (float_result) finish_float(e, instr, operands, zero_free, nan_free, inf_free, &results[c], &states[c]);
    if (is_opaque_float(instr->op, results[c], zero_free)) states[c] = STATE_MISFOLDED;
  }
}

/* Returns whether the condition of a select holds. */
static bool is_selected(struct evaluation *e, const struct instr *instr, uint64_t condition, unsigned bits) {
  if (!is_float_select(instr->op)) return condition != 0;
  if (is_denormal_pattern(condition, bits) && e->program->denorms != DENORM_PRESERVE && choose_flush(e, instr->op))
    condition &= sign_bit(bits);
  const double number = number_of(condition, bits);
  return instr->op == nir_op_fcsel ? number != 0 : instr->op == nir_op_fcsel_gt ? number > 0 : number >= 0;
}

/* Evaluates a select, which copies the bits of the selected value. The other value matters only if the condition is
 * uncertain. */
static void evaluate_select(struct evaluation *e, unsigned index) {
  const struct instr *instr = &e->program->instrs[index];
  for (unsigned c = 0; c < instr->lanes; c++) {
    const unsigned lane[] = {instr->swizzle[0][c], instr->swizzle[1][c], instr->swizzle[2][c]};
    uint8_t state = state_of(e, instr->source[0], lane[0]);
    const unsigned bits = e->program->instrs[instr->source[0]].bits;
    uint64_t condition = bits_of(e->values[instr->source[0]][lane[0]], bits);
    choose_boolean(e, instr->source[0], &condition, &state);
    const unsigned taken = is_selected(e, instr, condition, bits) ? 1 : 2;
    e->values[index][c] = e->values[instr->source[taken]][lane[taken]];
    e->states[index][c] = state_of(e, instr->source[taken], lane[taken]) | (state & (STATE_MISFOLDED | STATE_CHOSEN));
    const bool is_open = is_float_select(instr->op)
                             ? (instr->flags & ALL_PRESERVED) != ALL_PRESERVED
                             : (state & STATE_NAN && !e->random) || (condition != 0 && condition != mask_of(bits));
    if (!(state & STATE_UNKNOWN) && !is_open) continue;
    const bool same = bits_of(e->values[instr->source[1]][lane[1]], instr->bits) ==
                          bits_of(e->values[instr->source[2]][lane[2]], instr->bits) &&
                      e->states[instr->source[1]][lane[1]] == e->states[instr->source[2]][lane[2]];
    if (!same && !e->random) e->states[index][c] |= STATE_UNKNOWN;
  }
}

static void evaluate_alu(struct evaluation *e, unsigned index) {
  const struct program *program = e->program;
  const struct instr *instr = &program->instrs[index];
  const nir_op_info *info = &nir_op_infos[instr->op];
  if (is_select(instr->op)) {
    evaluate_select(e, index);
    return;
  }
  if (is_copy(instr->op)) {
    for (unsigned c = 0; c < instr->lanes; c++) {
      const unsigned s = instr->op == nir_op_mov ? 0 : c,
                     lane = instr->op == nir_op_mov ? instr->swizzle[0][c] : instr->swizzle[c][0];
      e->values[index][c] = e->values[instr->source[s]][lane];
      e->states[index][c] = state_of(e, instr->source[s], lane);
    }
    return;
  }
  const unsigned steps = info->output_size ? 1 : instr->lanes, lanes = info->output_size ? info->output_size : 1;
  for (unsigned step = 0; step < steps; step++) {
    struct operand operands[MAX_LANES];
    uint64_t results[MAX_LANES];
    int unknown_source = -1, unknown_lane = -1;
    int nan_source = -1, nan_lane = -1;
    bool same_unknown = true, same_nan = instr->source_count <= 4;
    for (unsigned s = 0; s < instr->source_count; s++) {
      struct operand *operand = &operands[s];
      operand->count = info->input_sizes[s] ? info->input_sizes[s] : 1;
      operand->bits = program->instrs[instr->source[s]].bits;
      operand->base = base_of(info->input_types[s]);
      operand->source = instr->source[s];
      for (unsigned c = 0; c < operand->count; c++) {
        const unsigned lane = instr->swizzle[s][info->input_sizes[s] ? c : step];
        operand->pattern[c] = bits_of(e->values[instr->source[s]][lane], operand->bits);
        operand->state[c] = state_of(e, instr->source[s], lane);
        operand->lane[c] = lane;
        if (operand->state[c] & STATE_NAN) {
          same_nan &= nan_source < 0 || (nan_source == instr->source[s] && nan_lane == (int)lane);
          nan_source = instr->source[s], nan_lane = lane;
        }
        same_unknown &= (operand->state[c] & STATE_UNKNOWN) != 0;
        if (!same_unknown) continue;
        same_unknown = unknown_source < 0 || (unknown_source == instr->source[s] && unknown_lane == (int)lane);
        unknown_source = instr->source[s], unknown_lane = lane;
      }
    }
    uint8_t states[MAX_LANES];
    evaluate_lanes(e, instr, operands, lanes, same_unknown && instr->source_count <= 4, same_nan, results, states);
    for (unsigned c = 0; c < lanes; c++) {
      e->values[index][step + c] = value_of(results[c], instr->bits);
      e->states[index][step + c] = states[c];
    }
  }
}

static void evaluate(struct evaluation *e) {
  e->chosen = 0;
  for (unsigned i = 0; i < e->program->count; i++) {
    const struct instr *instr = &e->program->instrs[i];
    if (!instr->live) continue;
    e->created = instr->created;
    switch (instr->kind) {
      case KIND_INPUT:
        memcpy(e->values[i], e->vector->lanes[instr->number], instr->lanes * sizeof(nir_const_value));
        memset(e->states[i], 0, instr->lanes);
        break;
      case KIND_CONSTANT:
        memcpy(e->values[i], instr->value, instr->lanes * sizeof(nir_const_value));
        memset(e->states[i], instr->misfolded ? STATE_MISFOLDED : STATE_KNOWN, instr->lanes);
        break;
      case KIND_ALU:
        evaluate_alu(e, i);
        break;
      case KIND_STORE:
        break;
    }
  }
}

static void take_outputs(const struct evaluation *e, unsigned outputs, struct result *results) {
  for (unsigned i = 0; i < outputs; i++) results[i].lane_count = 0;
  for (unsigned i = 0; i < e->program->count; i++) {
    const struct instr *store = &e->program->instrs[i];
    if (store->kind != KIND_STORE) continue;
    const struct instr *source = &e->program->instrs[store->source[0]];
    struct result *result = &results[store->number];
    result->bits = source->bits;
    result->lane_count = source->lanes;
    result->is_float = source->kind == KIND_ALU && base_of(nir_op_infos[source->op].output_type) == nir_type_float;
    memcpy(result->lanes, e->values[store->source[0]], source->lanes * sizeof(nir_const_value));
    for (unsigned c = 0; c < source->lanes; c++) result->states[c] = state_of(e, store->source[0], c);
  }
}

bool natural_value(const struct program *program, const struct vector *vector, unsigned index, nir_const_value *lanes) {
  static struct evaluation e;
  e.program = program;
  e.vector = vector;
  e.random = NULL;
  e.depth = 0;
  evaluate(&e);
  memcpy(lanes, e.values[index], program->instrs[index].lanes * sizeof(nir_const_value));
  for (unsigned c = 0; c < program->instrs[index].lanes; c++)
    if (e.states[index][c] & (STATE_UNKNOWN | STATE_MISFOLDED)) return false;
  return true;
}

/* Returns whether `before` allows the result `after` in this lane. A NaN from a float operation matches any NaN. */
static bool admits(const struct result *before, const struct result *after, unsigned lane) {
  const uint64_t was = bits_of(before->lanes[lane], before->bits), is = bits_of(after->lanes[lane], after->bits);
  if (was == is || (before->states[lane] | after->states[lane]) & STATE_MISFOLDED ||
      before->states[lane] & STATE_UNKNOWN)
    return true;
  if (before->states[lane] & STATE_ZERO && is_zero_pattern(was, before->bits) && is_zero_pattern(is, before->bits))
    return true;
  return (before->states[lane] | after->states[lane]) & STATE_NAN && is_nan_pattern(was, before->bits) &&
         is_nan_pattern(is, before->bits);
}

/* Returns whether the matcher may have folded an instruction, which keeps denormals unless they must be flushed. */
static bool has_folded_constant(const struct program *after) {
  for (unsigned i = 0; i < after->count && MATCHER_FOLDS; i++)
    if (after->instrs[i].live && after->instrs[i].kind == KIND_CONSTANT && after->instrs[i].created) return true;
  return false;
}

bool differs_on(const struct program *before, const struct program *after, const struct vector *vector,
                unsigned samples, struct random *random, bool *determined, struct difference *difference) {
  static struct evaluation e;
  static struct result admitted[MAX_SCENARIOS][MAX_OUTPUTS], got[MAX_OUTPUTS];
  unsigned scenarios = 0;
  e.program = before;
  e.vector = vector;
  e.random = NULL;
  e.depth = 0;
  e.overflow = false;
  do {
    if (scenarios == MAX_SCENARIOS) return false;
    evaluate(&e);
    if (e.overflow) return false;
    take_outputs(&e, before->outputs, admitted[scenarios++]);
  } while (next_scenario(&e));
  e.program = after;
  e.random = random;
  const bool folds = has_folded_constant(after);
  for (unsigned sample = 0; sample < samples; sample++) {
    e.flushes = random_below(random, 2) && !folds;
    evaluate(&e);
    take_outputs(&e, before->outputs, got);
    for (unsigned output = 0; output < before->outputs; output++) {
      for (unsigned lane = 0; lane < MIN2(admitted[0][output].lane_count, got[output].lane_count); lane++) {
        unsigned scenario = 0;
        while (scenario < scenarios && !admits(&admitted[scenario][output], &got[output], lane)) scenario++;
        if (!(admitted[0][output].states[lane] & ~(STATE_ZERO | STATE_CHOSEN))) *determined = true;
        if (scenario < scenarios) continue;
        difference->output = output;
        difference->lane = lane;
        difference->vector = *vector;
        difference->bits = got[output].bits;
        difference->before = admitted[0][output].lanes[lane];
        difference->state_before = admitted[0][output].states[lane];
        difference->after = got[output].lanes[lane];
        return true;
      }
    }
  }
  return false;
}

/* Returns the largest magnitude among the float values of the program, or infinity if one is not finite. Sets
 * *has_halves if a value has 16 bits. */
static double largest_value(const struct evaluation *e, bool *has_halves) {
  double largest = 0;
  for (unsigned i = 0; i < e->program->count; i++) {
    const struct instr *instr = &e->program->instrs[i];
    if (!instr->live || instr->kind == KIND_STORE || !is_float_size(instr->bits)) continue;
    if (instr->kind == KIND_ALU && base_of(nir_op_infos[instr->op].output_type) != nir_type_float) continue;
    *has_halves |= instr->bits == 16;
    for (unsigned c = 0; c < instr->lanes; c++) {
      const double number = __builtin_fabs(number_of(bits_of(e->values[i][c], instr->bits), instr->bits));
      if (!(number < 1e300)) return INFINITY;
      largest = MAX2(largest, number);
    }
  }
  return largest;
}

bool differs_grossly(const struct program *before, const struct program *after, const struct vector *vector,
                     bool *determined, struct difference *difference) {
  static struct evaluation e;
  static struct result was[MAX_OUTPUTS], is[MAX_OUTPUTS];
  e.program = before;
  e.vector = vector;
  e.depth = 0;
  evaluate(&e);
  take_outputs(&e, before->outputs, was);
  bool has_halves = false;
  double largest = largest_value(&e, &has_halves);
  e.program = after;
  e.depth = 0;
  evaluate(&e);
  take_outputs(&e, before->outputs, is);
  largest = MAX2(largest, largest_value(&e, &has_halves));
  if (largest < 1e-3 || largest > 6e4) return false;
  for (unsigned output = 0; output < before->outputs; output++) {
    const unsigned bits = was[output].bits;
    if (was[output].lane_count == 0 || !is_float_size(bits) || !(was[output].is_float || is[output].is_float)) continue;
    for (unsigned lane = 0; lane < was[output].lane_count; lane++) {
      if ((was[output].states[lane] | is[output].states[lane]) & ~(STATE_ZERO | STATE_CHOSEN)) continue;
      *determined = true;
      const double distance = __builtin_fabs(number_of(bits_of(was[output].lanes[lane], bits), bits) -
                                             number_of(bits_of(is[output].lanes[lane], bits), bits));
      if (distance <= (has_halves ? 0.03 : 0.001) * largest) continue;
      difference->output = output;
      difference->lane = lane;
      difference->vector = *vector;
      difference->bits = bits;
      difference->before = was[output].lanes[lane];
      difference->state_before = was[output].states[lane];
      difference->after = is[output].lanes[lane];
      return true;
    }
  }
  return false;
}

/* Draws random numbers, values, and input vectors, with a bias toward corner cases. */
#include "harness.h"

uint64_t random_bits(struct random *random) {
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

unsigned random_below(struct random *random, unsigned limit) {
  return (unsigned)(((random_bits(random) >> 32) * limit) >> 32);
}

bool random_chance(struct random *random, unsigned percent) { return random_below(random, 100) < percent; }

static void add_constants(const nir_algebraic_table *table, unsigned index, struct rule_constants *constants) {
  const nir_search_value_union *value = &table->values[index];
  if (value->value.type == nir_search_value_constant && constants->count < MAX_RULE_CONSTANTS) {
    constants->at[constants->count].is_float = value->constant.type == nir_type_float;
    constants->at[constants->count].number = value->constant.data.d;
    constants->at[constants->count++].bits = value->constant.data.u;
  } else if (value->value.type == nir_search_value_expression) {
    const unsigned count =
        value->expression.opcode > nir_last_opcode ? 1 : nir_op_infos[value->expression.opcode].num_inputs;
    for (unsigned i = 0; i < count; i++) add_constants(table, value->expression.srcs[i], constants);
  }
}

unsigned replacement_of(const struct rule *rule) {
  const struct transform *transform = rule->table->transforms;
  while (transform->search != rule->search) transform++;
  return transform->replace;
}

void find_constants(const struct rule *rule, struct rule_constants *constants) {
  constants->count = 0;
  add_constants(rule->table, rule->search, constants);
}

static uint64_t float_pattern(double number, unsigned bits) {
  return bits_of(nir_const_value_for_float(number, bits), bits);
}

static uint64_t draw_float(struct random *random, unsigned bits, const struct rule_constants *constants) {
  const uint64_t sign = random_chance(random, 40) ? sign_bit(bits) : 0;
  switch (random_below(random, 10)) {
    case 0:
    case 1:
    case 2: {
      const uint64_t special[] = {0,
                                  0,
                                  1,
                                  smallest_normal(bits) - 1,
                                  smallest_normal(bits),
                                  smallest_normal(bits) + 1,
                                  infinity_of(bits),
                                  infinity_of(bits),
                                  infinity_of(bits) - 1,
                                  infinity_of(bits) | smallest_normal(bits) >> 1,
                                  infinity_of(bits) | smallest_normal(bits) >> 1,
                                  infinity_of(bits) + 1};
      return sign | special[random_below(random, ARRAY_SIZE(special))];
    }
    case 3:
    case 4: {
      static const double numbers[] = {1, 1, 2, 0.5, 3, 4, 0.25, 10, 255, 256, 0.1, 1.5, 65504, 16777216};
      return sign ^ float_pattern(numbers[random_below(random, ARRAY_SIZE(numbers))], bits);
    }
    case 5:
      return float_pattern((int)random_below(random, 33) - 16, bits);
    case 6:
      if (constants && constants->count) {
        const unsigned at = random_below(random, constants->count);
        const double number =
            constants->at[at].is_float ? constants->at[at].number : (double)(int64_t)constants->at[at].bits;
        return (float_pattern(number, bits) + random_below(random, 3) - 1) & mask_of(bits);
      }
      FALLTHROUGH;
    case 7:
    case 8:
      return sign | float_pattern((random_bits(random) >> 11) * 0x1p-53 * (1u << random_below(random, 12)), bits);
    default:
      return random_bits(random) & mask_of(bits);
  }
}

static uint64_t draw_integer(struct random *random, unsigned bits, const struct rule_constants *constants) {
  switch (random_below(random, 8)) {
    case 0:
    case 1: {
      const uint64_t special[] = {0,
                                  1,
                                  2,
                                  UINT64_MAX,
                                  UINT64_MAX - 1,
                                  sign_bit(bits),
                                  sign_bit(bits) - 1,
                                  sign_bit(bits) + 1,
                                  31,
                                  32,
                                  0x7f,
                                  0xff,
                                  0x80,
                                  0xffff,
                                  0x8000,
                                  bits,
                                  bits - 1};
      return special[random_below(random, ARRAY_SIZE(special))] & mask_of(bits);
    }
    case 2:
      return random_below(random, 66) & mask_of(bits);
    case 3:
      return ((UINT64_C(1) << random_below(random, 64)) - random_below(random, 2)) & mask_of(bits);
    case 4:
      if (constants && constants->count) {
        const unsigned at = random_below(random, constants->count);
        if (!constants->at[at].is_float) return (constants->at[at].bits + random_below(random, 3) - 1) & mask_of(bits);
      }
      FALLTHROUGH;
    case 5:
      return (random_bits(random) >> random_below(random, 64)) & mask_of(bits);
    case 6:
      return -(random_bits(random) >> (40 + random_below(random, 24))) & mask_of(bits);
    default:
      return random_bits(random) & mask_of(bits);
  }
}

uint64_t draw_value(struct random *random, unsigned bits, unsigned base_type, const struct rule_constants *constants) {
  if (bits == 1) return random_below(random, 2);
  if (base_type == nir_type_bool) return random_below(random, 2) ? mask_of(bits) : 0;
  bool as_float = base_type == nir_type_float ? random_chance(random, 95)
                  : base_type == 0            ? random_chance(random, 50)
                                              : random_chance(random, 6);
  return as_float && is_float_size(bits) ? draw_float(random, bits, constants) : draw_integer(random, bits, constants);
}

/* Often draws related values: equal, negated, or adjacent values. */
void draw_vector(struct random *random, const struct program *program, const struct rule_constants *constants,
                 bool moderate, struct vector *vector) {
  uint64_t pool[65][2];
  uint8_t filled[65] = {0};
  const unsigned related = random_below(random, 3) * 35;
  for (unsigned i = 0; i < program->count; i++) {
    const struct instr *instr = &program->instrs[i];
    if (instr->kind != KIND_INPUT || !instr->live) continue;
    const unsigned bits = instr->bits;
    for (unsigned c = 0; c < instr->lanes; c++) {
      uint64_t pattern = draw_value(random, bits, instr->base_type, constants);
      if (moderate && is_float_size(bits) && instr->base_type != nir_type_int && instr->base_type != nir_type_uint) {
        const double number = (1 + (random_bits(random) >> 11) * 0x1p-53) * (1 << random_below(random, 8)) / 16;
        pattern = float_pattern(random_chance(random, 40) ? -number : number, bits);
      } else if (filled[bits] && random_chance(random, related)) {
        pattern = pool[bits][random_below(random, filled[bits])];
        switch (random_below(random, 6)) {
          case 0:
            pattern ^= sign_bit(bits);
            break;
          case 1:
            pattern = -pattern;
            break;
          case 2:
            pattern += random_below(random, 3) - 1;
            break;
        }
        if (instr->base_type == nir_type_bool) pattern = pattern ? UINT64_MAX : 0;
      } else if (filled[bits] < 2) {
        pool[bits][filled[bits]++] = pattern;
      }
      vector->lanes[instr->number][c] = value_of(pattern, bits);
    }
  }
}

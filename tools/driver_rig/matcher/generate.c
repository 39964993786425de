/* Builds random shaders in which the search pattern of a rule is likely to match. */
#include <string.h>

#include "harness.h"

/* The matcher exchanges the operands of at most MAX_COMMUTED commutative ops of a pattern. */
enum { MAX_DEFS = 96, SIZE_COUNT = 5, MAX_COMMUTED = 8 };
static const unsigned sizes[SIZE_COUNT] = {1, 8, 16, 32, 64};

/* Determines how the flags of a shader's instructions are drawn. */
enum regime { REGIME_PRESERVE_ALL, REGIME_MIXED, REGIME_NONE };

/* A value as an operand: lane i of the operand is component swizzle[i] of def. */
struct lanes {
  nir_def *def;
  uint8_t swizzle[MAX_LANES];
};

struct generator {
  nir_builder b;
  struct random *random;
  const struct rule *rule;
  const struct rule_constants *constants;
  nir_def *offset; /* the offset of loads and stores */
  enum regime regime;
  unsigned exact_percent, wrap_percent;
  unsigned inputs, outputs;
  unsigned def_count;
  nir_def *defs[MAX_DEFS];
  bool bound[NIR_SEARCH_MAX_VARIABLES];
  struct lanes variables[NIR_SEARCH_MAX_VARIABLES];
  unsigned class_bits[NIR_SEARCH_MAX_VARIABLES];
  predicate_state *state;
  bool failed;
};

/* Constants that a predicate of `rule` accepted before. The table is indexed by the predicate modulo the table's size.
 * */
struct accepted {
  const struct rule *rule;
  unsigned count;
  uint64_t patterns[8];
  uint8_t bits[8];
};
static struct accepted accepted_constants[64];

static void remember(struct generator *g, nir_def *def) {
  if (g->def_count < MAX_DEFS) g->defs[g->def_count++] = def;
}

static unsigned draw_lanes(struct generator *g) {
  static const uint8_t counts[] = {1, 1, 1, 1, 1, 2, 2, 3, 4, 4};
  return counts[random_below(g->random, ARRAY_SIZE(counts))];
}

static unsigned draw_fast_math(struct generator *g) {
  static const unsigned classes[] = {PRESERVE_SIGNED_ZERO, PRESERVE_INF, PRESERVE_NAN};
  if (g->regime == REGIME_PRESERVE_ALL) return ALL_PRESERVED;
  if (g->regime == REGIME_NONE) return 0;
  switch (random_below(g->random, 4)) {
    case 0:
      return ALL_PRESERVED;
    case 1:
      return 0;
    case 2:
      return ALL_PRESERVED & ~classes[random_below(g->random, 3)];
    default: {
      unsigned flags = 0;
      for (unsigned i = 0; i < 3; i++) flags |= random_chance(g->random, 50) ? classes[i] : 0;
      return random_chance(g->random, 80) ? flags : random_bits(g->random) & ALL_PRESERVED;
    }
  }
}

static nir_alu_instr *make_alu(struct generator *g, nir_op op, unsigned lanes, unsigned bits) {
  nir_alu_instr *alu = nir_alu_instr_create(g->b.shader, op);
  nir_def_init(&alu->instr, &alu->def, lanes, bits);
  const unsigned exact = random_chance(g->random, g->exact_percent) ? draw_exact(g->random) : 0;
  set_flags(alu, (exact | draw_fast_math(g)) & valid_flags(op));
  switch (op) {
    case nir_op_iadd:
    case nir_op_isub:
    case nir_op_imul:
    case nir_op_ineg:
    case nir_op_ishl:
      /* NIR has no arithmetic on Booleans that could overflow. */
      alu->no_signed_wrap = random_chance(g->random, g->wrap_percent) && bits > 1;
      alu->no_unsigned_wrap = random_chance(g->random, g->wrap_percent) && bits > 1;
      break;
    default:
      break;
  }
  return alu;
}

static void set_source(struct generator *g, nir_alu_instr *alu, unsigned number, const struct lanes *operand,
                       unsigned count) {
  alu->src[number].src = nir_src_for_ssa(operand->def);
  for (unsigned c = 0; c < NIR_MAX_VEC_COMPONENTS; c++)
    alu->src[number].swizzle[c] = c < count ? operand->swizzle[c] : 0;
}

static nir_def *make_input(struct generator *g, unsigned lanes, unsigned bits) {
  if (g->inputs == MAX_INPUTS) {
    g->failed = true;
    return nir_imm_zero(&g->b, lanes, bits);
  }
  return load_value(&g->b, lanes, bits, g->offset, g->inputs++);
}

static nir_def *make_constant(struct generator *g, unsigned lanes, unsigned bits, unsigned base) {
  nir_const_value values[MAX_LANES];
  const bool splat = random_chance(g->random, 50);
  for (unsigned c = 0; c < lanes; c++)
    values[c] =
        splat && c ? values[0] : foldable(value_of(draw_value(g->random, bits, base, g->constants), bits), bits);
  return nir_build_imm(&g->b, lanes, bits, values);
}

static void random_swizzle(struct generator *g, struct lanes *operand) {
  const unsigned count = operand->def->num_components;
  const bool straight = random_chance(g->random, 50);
  for (unsigned c = 0; c < MAX_LANES; c++)
    operand->swizzle[c] = straight && c < count ? c : random_below(g->random, count);
}

static nir_op draw_op(struct generator *g, unsigned bits, unsigned base) {
  static const uint16_t floats[] = {nir_op_fadd, nir_op_fadd,  nir_op_fmul,   nir_op_fmul,   nir_op_fneg,
                                    nir_op_fneg, nir_op_fabs,  nir_op_fabs,   nir_op_fsat,   nir_op_fmin,
                                    nir_op_fmax, nir_op_ffma,  nir_op_ffloor, nir_op_ffract, nir_op_fsqrt,
                                    nir_op_frcp, nir_op_fsign, nir_op_fexp2};
  static const uint16_t integers[] = {nir_op_iadd, nir_op_iadd, nir_op_imul, nir_op_ineg, nir_op_iand, nir_op_iand,
                                      nir_op_ior,  nir_op_ixor, nir_op_inot, nir_op_imin, nir_op_imax, nir_op_umin,
                                      nir_op_umax, nir_op_ishl, nir_op_ushr, nir_op_ishr, nir_op_iabs};
  static const uint16_t booleans[] = {nir_op_flt,  nir_op_fge, nir_op_feq, nir_op_fneu, nir_op_ilt,
                                      nir_op_ige,  nir_op_ult, nir_op_uge, nir_op_ieq,  nir_op_ine,
                                      nir_op_iand, nir_op_ior, nir_op_inot};
  static const uint16_t to_float[3][3] = {{nir_op_b2f16, nir_op_i2f16, nir_op_u2f16},
                                          {nir_op_b2f32, nir_op_i2f32, nir_op_u2f32},
                                          {nir_op_b2f64, nir_op_i2f64, nir_op_u2f64}};
  static const uint16_t wide[3][3] = WIDE_BOOLEAN_OPS;
  if (base == nir_type_bool && bits > 1 && bits < 64)
    return wide[bits == 8 ? 0 : bits == 16 ? 1 : 2][random_below(g->random, 3)];
  if (bits == 1) return booleans[random_below(g->random, ARRAY_SIZE(booleans))];
  if (base == nir_type_float && is_float_size(bits)) {
    if (random_chance(g->random, 15)) return to_float[bits == 16 ? 0 : bits == 32 ? 1 : 2][random_below(g->random, 3)];
    return floats[random_below(g->random, ARRAY_SIZE(floats))];
  }
  if (bits == 32 && random_chance(g->random, 8)) return nir_op_b2i32;
  if (bits == 32 && random_chance(g->random, 5)) return random_chance(g->random, 50) ? nir_op_f2i32 : nir_op_u2u32;
  return integers[random_below(g->random, ARRAY_SIZE(integers))];
}

/* Returns whether the tree's validator and its constant folding support the op at this size of its unsized operands. */
static bool supports_size(nir_op op, unsigned bits) {
  if ((op == nir_op_ufind_msb || op == nir_op_ufind_msb_rev) && bits < 32) return false;
  return bits != 1 || (!is_misfolded_op(op, 1) && has_one_bit_version(op));
}

static nir_def *make_value(struct generator *g, unsigned lanes, unsigned bits, unsigned base, unsigned depth);

static nir_def *make_random_alu(struct generator *g, nir_op op, unsigned lanes, unsigned bits, unsigned depth) {
  const nir_op_info *info = &nir_op_infos[op];
  unsigned free_bits = bits;
  if (nir_alu_type_get_type_size(info->output_type)) {
    const unsigned base = nir_alu_type_get_base_type(info->input_types[0]);
    free_bits = random_chance(g->random, 70) ? 32 : base == nir_type_bool ? 1 : random_chance(g->random, 50) ? 16 : 64;
  }
  if (!supports_size(op, free_bits)) free_bits = 32;
  struct lanes operands[4];
  for (unsigned s = 0; s < info->num_inputs; s++) {
    unsigned size = nir_alu_type_get_type_size(info->input_types[s]);
    operands[s].def =
        make_value(g, draw_lanes(g), size ? size : free_bits, nir_alu_type_get_base_type(info->input_types[s]), depth);
    random_swizzle(g, &operands[s]);
  }
  nir_alu_instr *alu = make_alu(g, op, lanes, bits);
  for (unsigned s = 0; s < info->num_inputs; s++) set_source(g, alu, s, &operands[s], lanes);
  nir_builder_instr_insert(&g->b, &alu->instr);
  return &alu->def;
}

/* Returns a value of `bits` bits: an earlier value, an input, a constant, or a small expression. */
static nir_def *make_value(struct generator *g, unsigned lanes, unsigned bits, unsigned base, unsigned depth) {
  nir_def *def = NULL;
  if (g->def_count && random_chance(g->random, 20)) {
    def = g->defs[random_below(g->random, g->def_count)];
    if (def->bit_size == bits) return def;
  }
  const unsigned kind = base == nir_type_bool && bits > 1 ? 9 : random_below(g->random, 10);
  if (depth > 0 && kind < 3)
    def = make_random_alu(g, draw_op(g, bits, base), lanes, bits, depth - 1);
  else if (kind < 4)
    def = make_constant(g, lanes, bits, base);
  else
    def = make_input(g, lanes, bits);
  remember(g, def);
  return def;
}

static bool takes_size(unsigned base, unsigned bits) {
  switch (base) {
    case nir_type_float:
      return is_float_size(bits);
    case nir_type_bool:
      return is_bool_size(bits);
    default:
      return true;
  }
}

/* Returns the size that a value of the pattern must have, or 0 if it is still free. */
static unsigned size_of(const struct generator *g, unsigned index) {
  const nir_search_value_union *value = &g->rule->table->values[index];
  if (value->value.bit_size > 0) return value->value.bit_size;
  if (value->value.bit_size < 0) return g->class_bits[-value->value.bit_size - 1];
  if (value->value.type != nir_search_value_expression || value->expression.opcode > nir_last_opcode) return 0;
  const nir_op_info *info = &nir_op_infos[value->expression.opcode];
  if (nir_alu_type_get_type_size(info->output_type)) return nir_alu_type_get_type_size(info->output_type);
  for (unsigned s = 0; s < info->num_inputs; s++) {
    if (nir_alu_type_get_type_size(info->input_types[s])) continue;
    const unsigned bits = size_of(g, value->expression.srcs[s]);
    if (bits) return bits;
  }
  return 0;
}

static nir_op sized_op(unsigned search_op, unsigned bits) {
  for (unsigned op = 0; op < nir_num_opcodes; op++)
    if (nir_search_op_for_nir_op(op) == search_op && nir_alu_type_get_type_size(nir_op_infos[op].output_type) == bits)
      return op;
  return nir_num_opcodes;
}

static unsigned draw_size(struct generator *g, unsigned base) {
  static const uint8_t weighted[] = {32, 32, 32, 32, 32, 16, 16, 64, 64, 8, 1};
  unsigned bits;
  do bits = weighted[random_below(g->random, ARRAY_SIZE(weighted))];
  while (!takes_size(base, bits) || (base == nir_type_bool && bits != 1 && random_chance(g->random, 90)));
  return bits;
}

static bool instantiate(struct generator *g, unsigned index, unsigned lanes, unsigned bits, bool root,
                        struct lanes *out);

static bool is_accepted(struct generator *g, const nir_search_variable *variable, const nir_alu_instr *alu,
                        unsigned source, unsigned lanes, const uint8_t *swizzle) {
  return holds(g->rule->table->variable_cond[variable->cond_index], g->state, alu, source, lanes, swizzle);
}

/* Replaces the value of the variable until its predicate accepts the value. Gives up after 24 attempts. */
static void satisfy(struct generator *g, const nir_search_variable *variable, nir_alu_instr *alu, unsigned source,
                    unsigned lanes, const uint8_t *swizzle) {
  const unsigned base = nir_alu_type_get_base_type(nir_op_infos[alu->op].input_types[source]);
  struct accepted *accepted = &accepted_constants[variable->cond_index % ARRAY_SIZE(accepted_constants)];
  if (accepted->rule != g->rule) memset(accepted, 0, sizeof(*accepted));
  accepted->rule = g->rule;
  struct lanes *bound = &g->variables[variable->variable];
  for (unsigned attempt = 0; attempt < 24 && !is_accepted(g, variable, alu, source, lanes, swizzle); attempt++) {
    nir_instr *leaf = instr_of(bound->def);
    const unsigned bits = bound->def->bit_size;
    if (leaf->type == nir_instr_type_load_const) {
      nir_load_const_instr *constant = nir_instr_as_load_const(leaf);
      const bool splat = random_chance(g->random, 60);
      for (unsigned c = 0; c < bound->def->num_components; c++) {
        uint64_t pattern = draw_value(g->random, bits, base, g->constants);
        const unsigned known = accepted->count ? random_below(g->random, accepted->count) : 0;
        if (accepted->count && random_chance(g->random, 40) && accepted->bits[known] == bits)
          pattern = accepted->patterns[known];
        constant->value[c] = splat && c ? constant->value[0] : foldable(value_of(pattern, bits), bits);
      }
      if (!variable->is_constant && random_chance(g->random, 20)) leaf = NULL;
    } else {
      leaf = NULL;
    }
    if (leaf) continue;
    const nir_cursor cursor = g->b.cursor;
    g->b.cursor = nir_before_instr(&alu->instr);
    const unsigned count = bound->def->num_components;
    bound->def = random_chance(g->random, 25) ? make_constant(g, count, bits, base)
                                              : make_random_alu(g, draw_op(g, bits, base), count, bits, 1);
    nir_src_rewrite(&alu->src[source].src, bound->def);
    g->b.cursor = cursor;
  }
  if (instr_of(bound->def)->type == nir_instr_type_load_const &&
      is_accepted(g, variable, alu, source, lanes, swizzle)) {
    const unsigned at = accepted->count < 8 ? accepted->count++ : random_below(g->random, 8);
    accepted->patterns[at] =
        bits_of(nir_instr_as_load_const(instr_of(bound->def))->value[swizzle[0]], bound->def->bit_size);
    accepted->bits[at] = bound->def->bit_size;
  }
}

static bool bind_variable(struct generator *g, const nir_search_variable *variable, unsigned bits, unsigned base,
                          struct lanes *out) {
  const unsigned number = variable->variable;
  if (g->bound[number]) {
    *out = g->variables[number];
    return out->def->bit_size == bits;
  }
  struct lanes operand = {NULL};
  if (variable->is_constant) {
    operand.def = make_constant(g, draw_lanes(g), bits, base);
  } else {
    const unsigned other = random_below(g->random, NIR_SEARCH_MAX_VARIABLES);
    if (random_chance(g->random, 30) && g->bound[other] && g->variables[other].def->bit_size == bits) {
      operand = g->variables[other];
    } else if (type_of(variable) != nir_type_invalid) {
      const unsigned wanted = nir_alu_type_get_base_type(type_of(variable));
      nir_op op = draw_op(g, bits, wanted == nir_type_bool ? nir_type_bool : wanted);
      operand.def = make_random_alu(g, op, draw_lanes(g), bits, 1);
    } else {
      operand.def = make_value(g, draw_lanes(g), bits, base, 2);
    }
  }
  if (operand.swizzle[0] == 0 && operand.swizzle[1] == 0) random_swizzle(g, &operand);
  g->bound[number] = true;
  g->variables[number] = *out = operand;
  return true;
}

static bool make_literal(struct generator *g, const nir_search_constant *constant, unsigned bits, struct lanes *out) {
  if (constant->type == nir_type_float && !is_float_size(bits)) return false;
  nir_const_value values[MAX_LANES], value;
  if (constant->type == nir_type_float)
    value = nir_const_value_for_float(constant->data.d, bits);
  else
    value = value_of(constant->data.u, bits);
  if (constant->type == nir_type_float && constant->data.d == 0 && random_chance(g->random, 25))
    value = value_of(bits_of(value, bits) ^ sign_bit(bits), bits);
  if (random_chance(g->random, 3)) value = value_of(bits_of(value, bits) + random_below(g->random, 3) - 1, bits);
  const unsigned lanes = draw_lanes(g), first = random_below(g->random, lanes);
  const bool splat = random_chance(g->random, 70);
  for (unsigned c = 0; c < lanes; c++)
    values[c] = foldable(
        splat || c == first ? value : value_of(draw_value(g->random, bits, constant->type, g->constants), bits), bits);
  out->def = nir_build_imm(&g->b, lanes, bits, values);
  for (unsigned c = 0; c < MAX_LANES; c++) out->swizzle[c] = splat ? random_below(g->random, lanes) : first;
  return true;
}

/* Draws which component of an instruction's result represents each lane of the pattern. Returns the result's width. */
static unsigned place_lanes(struct generator *g, unsigned lanes, bool root, uint8_t *place) {
  for (unsigned c = 0; c < MAX_LANES; c++) place[c] = c;
  if (root || lanes > 4) return lanes;
  unsigned width = random_chance(g->random, 25) ? lanes + random_below(g->random, 5 - lanes) : lanes;
  if (!random_chance(g->random, 30)) return width;
  for (unsigned c = width; c-- > 1;) {
    const unsigned other = random_below(g->random, c + 1), swapped = place[c];
    place[c] = place[other];
    place[other] = swapped;
  }
  return width;
}

static unsigned draw_operand_size(struct generator *g, const nir_search_expression *expression, const nir_op_info *info,
                                  unsigned bits) {
  if (nir_alu_type_get_type_size(info->output_type) == 0) return bits;
  unsigned free_bits = 0, base = 0;
  for (unsigned s = 0; s < info->num_inputs; s++) {
    if (nir_alu_type_get_type_size(info->input_types[s])) continue;
    base = nir_alu_type_get_base_type(info->input_types[s]);
    if (free_bits == 0) free_bits = size_of(g, expression->srcs[s]);
  }
  return free_bits ? free_bits : base ? draw_size(g, base) : 0;
}

static bool instantiate_expression(struct generator *g, const nir_search_expression *expression, unsigned lanes,
                                   unsigned bits, bool root, struct lanes *out) {
  nir_op op = expression->opcode > nir_last_opcode ? sized_op(expression->opcode, bits) : expression->opcode;
  if (op == nir_num_opcodes) return false;
  const nir_op_info *info = &nir_op_infos[op];
  const unsigned fixed = nir_alu_type_get_type_size(info->output_type);
  if (fixed ? fixed != bits : !takes_size(nir_alu_type_get_base_type(info->output_type), bits)) return false;
  const unsigned free_bits = draw_operand_size(g, expression, info, bits);
  if (!supports_size(op, free_bits)) return false;
  uint8_t place[MAX_LANES];
  const unsigned width = info->output_size ? info->output_size : place_lanes(g, lanes, root, place);
  if (info->output_size) {
    const int component = component_of(expression);
    if (component < 0 && lanes > info->output_size) return false;
    for (unsigned c = 0; c < MAX_LANES; c++) place[c] = component >= 0 ? component : MIN2(c, width - 1u);
  }
  struct lanes operands[4];
  uint8_t swizzles[4][MAX_LANES];
  for (unsigned s = 0; s < info->num_inputs; s++) {
    const unsigned size = nir_alu_type_get_type_size(info->input_types[s]),
                   base = nir_alu_type_get_base_type(info->input_types[s]);
    const nir_search_value_union *value = &g->rule->table->values[expression->srcs[s]];
    const unsigned child_bits = size ? size : free_bits,
                   child_lanes = info->input_sizes[s] ? info->input_sizes[s] : lanes;
    if (!takes_size(base, child_bits) || child_bits == 0) return false;
    if (value->value.bit_size > 0 && value->value.bit_size != child_bits) return false;
    if (value->value.bit_size < 0) {
      unsigned *class_bits = &g->class_bits[-value->value.bit_size - 1];
      if (*class_bits && *class_bits != child_bits) return false;
      *class_bits = child_bits;
    }
    bool made;
    if (value->value.type == nir_search_value_variable)
      made = bind_variable(g, &value->variable, child_bits, base, &operands[s]);
    else if (value->value.type == nir_search_value_constant)
      made = make_literal(g, &value->constant, child_bits, &operands[s]);
    else
      made = instantiate(g, expression->srcs[s], child_lanes, child_bits, false, &operands[s]);
    if (!made) return false;
    for (unsigned c = 0; c < MAX_LANES; c++)
      swizzles[s][c] =
          info->input_sizes[s] ? operands[s].swizzle[c] : random_below(g->random, operands[s].def->num_components);
    if (info->input_sizes[s] == 0)
      for (unsigned c = 0; c < lanes; c++) swizzles[s][info->output_size ? c : place[c]] = operands[s].swizzle[c];
  }
  nir_alu_instr *alu = make_alu(g, op, width, bits);
  const unsigned excluded = excluded_flags(expression);
  if (excluded && random_chance(g->random, 80)) set_flags(alu, flags_of(alu) & ~excluded);
  if (excluded & PRESERVE_SIGNED_ZERO) alu->instr.pass_flags = NAMES_NSZ;
  const bool commutes =
      info->algebraic_properties & NIR_OP_IS_2SRC_COMMUTATIVE && expression->comm_expr_idx < MAX_COMMUTED;
  const unsigned flip = commutes && random_chance(g->random, 50);
  for (unsigned s = 0; s < info->num_inputs; s++) {
    const unsigned at = s < 2 ? s ^ flip : s;
    alu->src[at].src = nir_src_for_ssa(operands[s].def);
    memcpy(alu->src[at].swizzle, swizzles[s], MAX_LANES);
  }
  nir_builder_instr_insert(&g->b, &alu->instr);
  for (unsigned s = 0; s < info->num_inputs; s++) {
    const nir_search_value_union *value = &g->rule->table->values[expression->srcs[s]];
    if (value->value.type != nir_search_value_variable || value->variable.cond_index == -1) continue;
    satisfy(g, &value->variable, alu, s < 2 ? s ^ flip : s, info->input_sizes[s] ? info->input_sizes[s] : lanes,
            operands[s].swizzle);
  }
  remember(g, &alu->def);
  out->def = &alu->def;
  memcpy(out->swizzle, place, MAX_LANES);
  return true;
}

static bool instantiate(struct generator *g, unsigned index, unsigned lanes, unsigned bits, bool root,
                        struct lanes *out) {
  return instantiate_expression(g, &g->rule->table->values[index].expression, lanes, bits, root, out);
}

/* Returns whether the conversions in the replacement exist for the sizes of this instance of the pattern, which has a
 * result of `root_bits` bits. If one does not, as with b2i for one bit, the matcher ends with an assertion. */
static bool can_build(const struct generator *g, unsigned index, unsigned root_bits) {
  const nir_search_value_union *value = &g->rule->table->values[index];
  if (value->value.type != nir_search_value_expression) return true;
  const unsigned opcode = value->expression.opcode;
  const int size = value->value.bit_size;
  const unsigned bits = size > 0 ? (unsigned)size : size == 0 ? root_bits : g->variables[-size - 1].def->bit_size;
  const nir_op op = opcode > nir_last_opcode ? sized_op(opcode, bits) : opcode;
  if (op == nir_num_opcodes) return false;
  for (unsigned s = 0; s < nir_op_infos[op].num_inputs; s++)
    if (!can_build(g, value->expression.srcs[s], root_bits)) return false;
  return true;
}

static void store(struct generator *g, nir_def *def) {
  if (g->outputs < MAX_OUTPUTS) store_value(&g->b, def, g->offset, g->outputs++);
}

/* Creates an instruction that reads the value, or only its low bits. `by_users`: see add_readers. */
static nir_def *make_reader(struct generator *g, nir_def *value, bool by_users) {
  static const uint16_t narrow[] = {nir_op_u2u8, nir_op_i2i8, nir_op_u2u16, nir_op_i2i16, nir_op_iand};
  const unsigned base = random_chance(g->random, 60) ? nir_type_float : nir_type_int, bits = value->bit_size;
  nir_op op = bits == 1 ? (random_chance(g->random, 50) ? nir_op_bcsel : nir_op_inot) : draw_op(g, bits, base);
  const bool low = bits > 8 && random_chance(g->random, g->rule->table->expression_cond ? 40 : 10);
  if (low) op = narrow[random_below(g->random, bits == 16 ? 2 : ARRAY_SIZE(narrow))];
  bool sized = nir_alu_type_get_type_size(nir_op_infos[op].output_type);
  for (unsigned s = 0; s < nir_op_infos[op].num_inputs; s++)
    sized |= nir_alu_type_get_type_size(nir_op_infos[op].input_types[s]) != 0;
  if (sized && op != nir_op_bcsel && !low) op = nir_op_mov;
  const unsigned fixed = nir_alu_type_get_type_size(nir_op_infos[op].output_type);
  const unsigned operand_bits = op == nir_op_bcsel ? 32 : bits;
  struct lanes operands[3];
  const unsigned position = op == nir_op_bcsel ? 0 : random_below(g->random, nir_op_infos[op].num_inputs);
  for (unsigned s = 0; s < nir_op_infos[op].num_inputs; s++) {
    if (s == position)
      operands[s].def = value;
    else if (low)
      operands[s].def = nir_imm_intN_t(&g->b, random_chance(g->random, 50) ? 0xff : 0xffff, bits);
    else
      operands[s].def = make_value(g, draw_lanes(g), operand_bits, base, 1);
    random_swizzle(g, &operands[s]);
  }
  nir_alu_instr *alu = make_alu(g, op, draw_lanes(g), fixed ? fixed : operand_bits);
  for (unsigned s = 0; s < nir_op_infos[op].num_inputs; s++)
    set_source(g, alu, s, &operands[s], alu->def.num_components);
  if (by_users && random_chance(g->random, 70)) set_flags(alu, flags_of(alu) & ~PRESERVE_SIGNED_ZERO);
  nir_builder_instr_insert(&g->b, &alu->instr);
  return &alu->def;
}

/* Adds users of the pattern's result, and sometimes of a value inside the pattern, so that predicates on users vary.
 * For an inexact rule, all users are stores, because arithmetic could amplify the rounding errors. */
static void add_readers(struct generator *g, nir_def *root) {
  /* Whether the rule has a predicate on the result, which usually concerns its users. */
  const bool by_users = g->rule->table->values[g->rule->search].expression.cond_index != -1;
  const bool read_by_alu = !g->rule->inexact && random_chance(g->random, by_users ? 85 : 35);
  if (!read_by_alu || random_chance(g->random, by_users ? 5 : 30)) store(g, root);
  if (read_by_alu)
    for (unsigned i = 0; i <= random_below(g->random, 2); i++) store(g, make_reader(g, root, by_users));
  if (g->def_count && random_chance(g->random, 20)) store(g, g->defs[random_below(g->random, g->def_count)]);
}

static bool build_pattern(struct generator *g) {
  const nir_search_expression *root = &g->rule->table->values[g->rule->search].expression;
  unsigned bits = size_of(g, g->rule->search), base = nir_type_int, lanes = draw_lanes(g);
  if (root->opcode <= nir_last_opcode) {
    const nir_op_info *info = &nir_op_infos[root->opcode];
    base = nir_alu_type_get_base_type(info->output_type);
    for (unsigned s = 0; s < info->num_inputs; s++)
      if (nir_alu_type_get_base_type(info->input_types[s]) == nir_type_float) base = nir_type_float;
    if (info->output_size) lanes = info->output_size;
  }
  if (root->opcode > nir_last_opcode && bits == 0)
    bits = random_chance(g->random, 60) ? 32 : sizes[1 + random_below(g->random, 4)];
  if (bits == 0) bits = draw_size(g, base);
  if (root->value.bit_size < 0) g->class_bits[-root->value.bit_size - 1] = bits;
  struct lanes result;
  if (!instantiate(g, g->rule->search, lanes, bits, true, &result)) return false;
  if (!can_build(g, replacement_of(g->rule), bits)) return false;
  add_readers(g, result.def);
  return true;
}

static void build_random(struct generator *g) {
  const nir_search_expression *root = &g->rule->table->values[g->rule->search].expression;
  for (unsigned i = 0; i < 4; i++) {
    const unsigned bits = random_chance(g->random, 50) ? 32 : sizes[random_below(g->random, SIZE_COUNT)];
    const unsigned base = random_chance(g->random, 50) ? nir_type_float : nir_type_int;
    make_value(g, draw_lanes(g), bits, base, 3);
  }
  nir_op op = root->opcode > nir_last_opcode ? sized_op(root->opcode, 32) : root->opcode;
  const unsigned size = op < nir_num_opcodes ? nir_alu_type_get_type_size(nir_op_infos[op].output_type) : 0;
  bool plain = op < nir_num_opcodes && nir_op_infos[op].output_size == 0 && nir_op_infos[op].num_inputs <= 3;
  for (unsigned s = 0; plain && s < nir_op_infos[op].num_inputs; s++) plain = nir_op_infos[op].input_sizes[s] == 0;
  nir_def *last = plain ? make_random_alu(g, op, draw_lanes(g), size ? size : 32, 3) : g->defs[g->def_count - 1];
  add_readers(g, last);
}

nir_shader *generate_shader(const struct rule *rule, const struct rule_constants *constants, struct random *random,
                            enum denorm_mode *denorms) {
  static struct generator g;
  static predicate_state state;
  memset(&g, 0, sizeof(g));
  g.random = random;
  g.rule = rule;
  g.constants = constants;
  g.state = &state;
  const unsigned regime = random_below(random, 100);
  g.regime = regime < 10 ? REGIME_NONE : regime < 45 ? REGIME_MIXED : REGIME_PRESERVE_ALL;
  if (!settings.mixed_flags) g.regime = REGIME_PRESERVE_ALL;
  if (rule->inexact) g.regime = REGIME_NONE;
  g.exact_percent = rule->inexact ? 0 : random_below(random, 3) * 50;
  g.wrap_percent = rule->table->expression_cond ? 50 : random_below(random, 4) == 0 ? 30 : 0;
  static const uint8_t modes[] = {DENORM_PRESERVE, DENORM_PRESERVE, DENORM_FLUSH, DENORM_ANY};
  do *denorms = modes[random_below(random, 4)];
  while (!(settings.denormals >> *denorms & 1));
  if (rule->inexact && *denorms == DENORM_FLUSH) *denorms = DENORM_ANY;
  nir_shader *shader = new_shader(&g.b, execution_mode_of(*denorms, g.regime == REGIME_PRESERVE_ALL));
  g.offset = nir_imm_int(&g.b, 0);
  bool built = true;
  if (random_chance(random, 7))
    build_random(&g);
  else
    built = build_pattern(&g);
  if (!built || g.failed) {
    ralloc_free(shader);
    return NULL;
  }
  if (random_chance(random, 30)) nir_opt_cse(shader);
  return shader;
}

/* Records NIR shaders as programs, rebuilds NIR from programs, and prints programs. */
#include <string.h>

#include "harness.h"

static const nir_shader_compiler_options shader_options;

unsigned execution_mode_of(enum denorm_mode denorms, bool preserve) {
  unsigned mode = preserving_mode(preserve);
  if (denorms == DENORM_PRESERVE)
    mode |=
        FLOAT_CONTROLS_DENORM_PRESERVE_FP16 | FLOAT_CONTROLS_DENORM_PRESERVE_FP32 | FLOAT_CONTROLS_DENORM_PRESERVE_FP64;
  if (denorms == DENORM_FLUSH)
    mode |= FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP16 | FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP32 |
            FLOAT_CONTROLS_DENORM_FLUSH_TO_ZERO_FP64;
  return mode;
}

nir_shader *new_shader(nir_builder *builder, unsigned execution_mode) {
  nir_shader *shader = create_shader(&shader_options);
  nir_function *function = nir_function_create(shader, "main");
  function->is_entrypoint = true;
  *builder = nir_builder_at(nir_after_impl(nir_function_impl_create(function)));
  shader->info.float_controls_execution_mode = execution_mode;
  return shader;
}

/* Loads a value. Both load_value and store_value use registers for Booleans, because uniforms and outputs cannot have
 * one bit. */
nir_def *load_value(nir_builder *builder, unsigned lanes, unsigned bits, nir_def *offset, unsigned number) {
  if (bits > 1) return nir_load_uniform(builder, lanes, bits, offset, .base = number);
  return nir_build_load_reg(builder, lanes, bits, nir_decl_reg(builder, lanes, bits, 64), .base = number);
}

void store_value(nir_builder *builder, nir_def *value, nir_def *offset, unsigned number) {
  if (value->bit_size >= 16)
    nir_store_output(builder, value, offset, .base = number);
  else if (value->bit_size > 1)
    nir_store_shared(builder, value, offset, .base = number);
  else
    nir_build_store_reg(builder, value, nir_decl_reg(builder, value->num_components, 1, 64), .base = number);
}

bool is_misfolded_op(nir_op op, unsigned bits) {
  static int8_t known[nir_num_opcodes][65];
  int8_t *entry = &known[op][bits];
  if (*entry) return *entry > 0;
  char name[64];
  snprintf(name, sizeof(name), "%s@%u", nir_op_infos[op].name, bits);
  *entry = -1;
  for (const char *const *at = harness_misfolded; *at; at++)
    if (strcmp(*at, name) == 0 || strcmp(*at, nir_op_infos[op].name) == 0) *entry = 1;
  return *entry > 0;
}

static bool is_misfolded(const struct instr *instr, const struct program *program) {
  unsigned bits = 0;
  for (unsigned s = 0; s < instr->source_count; s++)
    if (nir_alu_type_get_type_size(nir_op_infos[instr->op].input_types[s]) == 0)
      bits = program->instrs[instr->source[s]].bits;
  return is_misfolded_op(instr->op, bits);
}

static bool is_bit_copy(nir_op op) { return nir_op_is_vec_or_mov(op) || op == nir_op_bcsel || op == nir_op_b32csel; }

void find_live(struct program *program) {
  program->inputs = program->outputs = 0;
  for (unsigned i = 0; i < program->count; i++) {
    program->instrs[i].live = program->instrs[i].kind == KIND_STORE;
    program->instrs[i].uses = 0;
  }
  for (unsigned i = program->count; i-- > 0;) {
    struct instr *instr = &program->instrs[i];
    if (!instr->live) continue;
    for (unsigned s = 0; s < instr->source_count; s++) {
      struct instr *source = &program->instrs[instr->source[s]];
      source->live = true;
      source->uses++;
      /* A copy expects its source to have the base type that the copy's users expect. */
      unsigned base = instr->kind != KIND_ALU  ? 0
                      : is_bit_copy(instr->op) ? instr->base_type
                                               : nir_alu_type_get_base_type(nir_op_infos[instr->op].input_types[s]);
      if (source->base_type == 0) source->base_type = base;
    }
    if (instr->kind == KIND_INPUT) program->inputs = MAX2(program->inputs, instr->number + 1u);
    if (instr->kind == KIND_STORE) program->outputs = MAX2(program->outputs, instr->number + 1u);
  }
}

static void record_alu(const nir_alu_instr *alu, const uint16_t *index_of, struct program *program,
                       struct instr *instr) {
  instr->kind = KIND_ALU;
  instr->op = alu->op;
  instr->no_signed_wrap = alu->no_signed_wrap;
  instr->no_unsigned_wrap = alu->no_unsigned_wrap;
  instr->flags = flags_of(alu);
  instr->source_count = nir_op_infos[alu->op].num_inputs;
  for (unsigned s = 0; s < instr->source_count; s++) {
    const unsigned size = nir_op_infos[alu->op].input_sizes[s], count = size ? size : alu->def.num_components;
    instr->source[s] = index_of[alu->src[s].src.ssa->index];
    for (unsigned c = 0; c < count; c++) {
      instr->swizzle[s][c] = alu->src[s].swizzle[c];
      if (instr->swizzle[s][c] >= alu->src[s].src.ssa->num_components) program->malformed = true;
    }
  }
  instr->misfolded = is_misfolded(instr, program);
}

void record_program(nir_shader *shader, enum denorm_mode denorms, unsigned first_created, struct program *program) {
  static uint16_t index_of[4096];
  program->count = 0;
  program->denorms = denorms;
  program->execution_mode = shader->info.float_controls_execution_mode;
  program->malformed = false;
  nir_foreach_instr(one, nir_start_block(nir_shader_get_entrypoint(shader))) {
    if (program->count == MAX_INSTRS) {
      program->malformed = true;
      return;
    }
    struct instr *instr = &program->instrs[program->count];
    instr->source_count = instr->base_type = instr->bits = 0;
    instr->no_signed_wrap = instr->no_unsigned_wrap = instr->misfolded = false;
    instr->names_nsz = one->pass_flags == NAMES_NSZ;
    instr->flags = 0;
    const nir_def *def = nir_instr_def(one);
    instr->created = def && def->index >= first_created;
    if (def) {
      instr->bits = def->bit_size;
      instr->lanes = def->num_components;
      index_of[def->index] = program->count;
    }
    if (one->type == nir_instr_type_alu) {
      record_alu(nir_instr_as_alu(one), index_of, program, instr);
    } else if (one->type == nir_instr_type_load_const) {
      instr->kind = KIND_CONSTANT;
      for (unsigned c = 0; c < instr->lanes; c++)
        instr->value[c] = value_of(bits_of(nir_instr_as_load_const(one)->value[c], instr->bits), instr->bits);
    } else {
      nir_intrinsic_instr *intrinsic = nir_instr_as_intrinsic(one);
      instr->kind = def ? KIND_INPUT : KIND_STORE;
      instr->number = nir_intrinsic_has_base(intrinsic) ? nir_intrinsic_base(intrinsic) : 0;
      if (!def) {
        instr->source_count = 1;
        instr->source[0] = index_of[intrinsic->src[0].ssa->index];
      }
    }
    program->count++;
  }
  find_live(program);
}

/* Returns whether the pattern contains an op that the tree misfolds at one of the sizes, which are a sum of bit sizes.
 */
static bool has_misfolded_op(const nir_algebraic_table *table, unsigned index, unsigned sizes) {
  static const uint8_t all[] = {1, 8, 16, 32, 64};
  const nir_search_value_union *value = &table->values[index];
  if (value->value.type != nir_search_value_expression) return false;
  const unsigned opcode = value->expression.opcode;
  for (unsigned i = 0; i < ARRAY_SIZE(all) && opcode <= nir_last_opcode; i++)
    if (sizes & all[i] && is_misfolded_op(opcode, all[i])) return true;
  for (unsigned s = 0; s < (opcode > nir_last_opcode ? 1 : nir_op_infos[opcode].num_inputs); s++)
    if (has_misfolded_op(table, value->expression.srcs[s], sizes)) return true;
  return false;
}

void mark_folded_constants(const struct rule *rule, const struct program *before, struct program *after) {
  unsigned sizes = 0;
  for (unsigned i = 0; i < before->count; i++) sizes |= before->instrs[i].bits;
  if (!MATCHER_FOLDS || !has_misfolded_op(rule->table, replacement_of(rule), sizes)) return;
  for (unsigned i = 0; i < after->count; i++)
    if (after->instrs[i].kind == KIND_CONSTANT && after->instrs[i].created) after->instrs[i].misfolded = true;
}

nir_shader *build_program(const struct program *program) {
  nir_builder b;
  nir_shader *shader = new_shader(&b, program->execution_mode);
  static nir_def *defs[MAX_INSTRS];
  for (unsigned i = 0; i < program->count; i++) {
    const struct instr *instr = &program->instrs[i];
    if (!instr->live) continue;
    switch (instr->kind) {
      case KIND_INPUT:
        defs[i] = load_value(&b, instr->lanes, instr->bits, nir_imm_int(&b, 0), instr->number);
        break;
      case KIND_CONSTANT:
        defs[i] = nir_build_imm(&b, instr->lanes, instr->bits, instr->value);
        break;
      case KIND_STORE:
        store_value(&b, defs[instr->source[0]], nir_imm_int(&b, 0), instr->number);
        break;
      case KIND_ALU: {
        nir_alu_instr *alu = nir_alu_instr_create(shader, instr->op);
        nir_def_init(&alu->instr, &alu->def, instr->lanes, instr->bits);
        alu->no_signed_wrap = instr->no_signed_wrap;
        alu->no_unsigned_wrap = instr->no_unsigned_wrap;
        set_flags(alu, instr->flags);
        for (unsigned s = 0; s < instr->source_count; s++) {
          const unsigned size = nir_op_infos[instr->op].input_sizes[s], count = size ? size : instr->lanes;
          alu->src[s].src = nir_src_for_ssa(defs[instr->source[s]]);
          for (unsigned c = 0; c < count; c++) alu->src[s].swizzle[c] = instr->swizzle[s][c];
        }
        nir_builder_instr_insert(&b, &alu->instr);
        defs[i] = &alu->def;
        break;
      }
    }
  }
  return shader;
}

static bool is_float_op(const struct instr *instr) {
  bool is_float = nir_alu_type_get_base_type(nir_op_infos[instr->op].output_type) == nir_type_float;
  for (unsigned s = 0; s < instr->source_count; s++)
    is_float |= nir_alu_type_get_base_type(nir_op_infos[instr->op].input_types[s]) == nir_type_float;
  return is_float;
}

static bool preserves_what_it_can(const struct instr *instr) {
  return (ALL_PRESERVED & valid_flags(instr->op) & ~instr->flags) == 0;
}

bool preserves_all(const struct program *program) {
  for (unsigned i = 0; i < program->count; i++) {
    const struct instr *instr = &program->instrs[i];
    if (instr->live && instr->kind == KIND_ALU && !preserves_what_it_can(instr)) return false;
  }
  return true;
}

static void print_flags(FILE *out, const struct instr *instr) {
  static const char *const names[] = FLAG_NAMES;
  if (instr->no_signed_wrap) fprintf(out, " nsw");
  if (instr->no_unsigned_wrap) fprintf(out, " nuw");
  if (!is_float_op(instr) && preserves_what_it_can(instr)) return;
  fprintf(out, "  // preserves");
  const unsigned weaker = (instr->flags & EXACT) == EXACT ? 0 : instr->flags & EXACT;
  if (preserves_what_it_can(instr) && !weaker) {
    fprintf(out, " all");
  } else if ((instr->flags & ALL_PRESERVED) == 0 && !weaker) {
    fprintf(out, " nothing");
  } else {
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
      if (((instr->flags & ALL_PRESERVED) | weaker) >> i & 1) fprintf(out, " %s", names[i]);
  }
}

void print_program(FILE *out, const struct program *program) {
  static const char *const modes[] = {"preserved", "flushed", "either kept or flushed"};
  fprintf(out, "   // denormals are %s\n", modes[program->denorms]);
  for (unsigned i = 0; i < program->count; i++) {
    const struct instr *instr = &program->instrs[i];
    if (!instr->live) continue;
    if (instr->kind == KIND_STORE) {
      fprintf(out, "   store (%%%u, base=%u)\n", instr->source[0], instr->number);
      continue;
    }
    fprintf(out, "   %ux%-2u %%%u = ", instr->bits, instr->lanes, i);
    if (instr->kind == KIND_INPUT) {
      fprintf(out, "load_uniform (base=%u)", instr->number);
    } else if (instr->kind == KIND_CONSTANT) {
      fprintf(out, "load_const (");
      for (unsigned c = 0; c < instr->lanes; c++) {
        fprintf(out, "%s0x%0*" PRIx64, c ? ", " : "", instr->bits / 4, bits_of(instr->value[c], instr->bits));
        if (is_float_size(instr->bits)) fprintf(out, " = %.9g", nir_const_value_as_float(instr->value[c], instr->bits));
      }
      fprintf(out, ")");
    } else {
      fprintf(out, "%s%s", nir_op_infos[instr->op].name, (instr->flags & EXACT) == EXACT ? "!" : "");
      for (unsigned s = 0; s < instr->source_count; s++) {
        const unsigned size = nir_op_infos[instr->op].input_sizes[s], count = size ? size : instr->lanes;
        fprintf(out, "%s %%%u", s ? "," : "", instr->source[s]);
        if (program->instrs[instr->source[s]].lanes == 1 && count == 1) continue;
        fprintf(out, ".");
        for (unsigned c = 0; c < count; c++) fprintf(out, "%c", "xyzwefghijklmnop"[instr->swizzle[s][c]]);
      }
      print_flags(out, instr);
    }
    fprintf(out, "\n");
  }
}

/* Defines what the harness needs to know about Mesa 26 (docs/nir26.md). nir25.h defines the same names for Mesa 25 and
 * describes them. */
#ifndef REWROUGHT_TOOLS_DRIVER_RIG_MATCHER_NIR26_H_
#define REWROUGHT_TOOLS_DRIVER_RIG_MATCHER_NIR26_H_

#include "nir_range_analysis.h"

/* The flags of an instruction are the bits of nir_alu_instr::fp_math_ctrl. */
#define PRESERVE_SIGNED_ZERO nir_fp_preserve_signed_zero
#define PRESERVE_INF nir_fp_preserve_inf
#define PRESERVE_NAN nir_fp_preserve_nan
#define EXACT nir_fp_exact
#define FLAG_NAMES \
  { "sz", "inf", "nan", "no-contract", "no-reassoc", "no-transform" }

static inline unsigned flags_of(const nir_alu_instr *alu) { return alu->fp_math_ctrl; }
static inline void set_flags(nir_alu_instr *alu, unsigned flags) { alu->fp_math_ctrl = flags; }
static inline unsigned valid_flags(nir_op op) { return nir_op_infos[op].valid_fp_math_ctrl; }
/* Each of the other two bits implies nir_fp_no_transform. */
static inline unsigned draw_exact(struct random *random) {
  static const uint8_t weaker[] = {nir_fp_no_transform, nir_fp_no_transform | nir_fp_no_contract,
                                   nir_fp_no_transform | nir_fp_no_reassoc};
  return random_chance(random, 75) ? EXACT : weaker[random_below(random, ARRAY_SIZE(weaker))];
}
static inline unsigned excluded_flags(const nir_search_expression *expression) {
  return expression->fp_math_ctrl_exclude;
}

static inline unsigned preserving_mode(bool preserve) {
  (void)preserve;
  return 0;
}
static inline bool is_plain(const struct program *before, const struct program *after) {
  return before->denorms == DENORM_PRESERVE && preserves_all(before) && preserves_all(after);
}

static inline int component_of(const nir_search_expression *expression) { return expression->swizzle; }
static inline nir_alu_type type_of(const nir_search_variable *variable) {
  (void)variable;
  return nir_type_invalid;
}
static inline nir_shader *create_shader(const nir_shader_compiler_options *options) {
  return nir_shader_create(NULL, MESA_SHADER_COMPUTE, options);
}
static inline nir_instr *instr_of(nir_def *def) { return nir_def_instr(def); }

typedef struct hash_table *predicate_state;
static inline bool holds(nir_search_variable_cond predicate, predicate_state *state, const nir_alu_instr *alu,
                         unsigned source, unsigned lanes, const uint8_t *swizzle) {
  if (!*state) *state = _mesa_pointer_hash_table_create(NULL);
  _mesa_hash_table_clear(*state, NULL);
  nir_fp_analysis_state classes = nir_create_fp_analysis_state(nir_cf_node_get_function(&alu->instr.block->cf_node));
  const nir_search_state both = {.range_ht = &classes, .numlsb_ht = *state};
  const bool result = predicate(&both, alu, source, lanes, swizzle);
  nir_free_fp_analysis_state(&classes);
  return result;
}

static inline bool is_bool_size(unsigned bits) { return bits == 1 || bits == 32; }
#define WIDE_BOOLEAN_OPS                                   \
  {                                                        \
    {0}, {0}, { nir_op_flt32, nir_op_ieq32, nir_op_ult32 } \
  }

/* fcsel* are ordinary float operations. */
static inline bool is_float_select(nir_op op) {
  (void)op;
  return false;
}
static inline bool is_select(nir_op op) { return op == nir_op_bcsel || op == nir_op_b32csel; }
static inline bool reads_packed_halves(nir_op op) {
  return op == nir_op_unpack_half_2x16 || op == nir_op_unpack_half_x_dxil;
}
static inline bool may_flush_only(nir_op op) {
  (void)op;
  return false;
}
/* Omits ops in which the choice could affect only the sign of a zero result, which is free as well. */
static inline bool may_read_opposite_zero(nir_op op) {
  switch (op) {
    case nir_op_fadd:
    case nir_op_fsub:
    case nir_op_fmul:
    case nir_op_fmulz:
    case nir_op_ffma:
    case nir_op_ffmaz:
    case nir_op_ffma_weak:
    case nir_op_fmad:
    case nir_op_fmadz:
    case nir_op_flrp:
    case nir_op_fneg:
    case nir_op_fabs:
    case nir_op_fsat:
    case nir_op_fsign:
    case nir_op_fmin:
    case nir_op_fmax:
    case nir_op_ffloor:
    case nir_op_fceil:
    case nir_op_ftrunc:
    case nir_op_fround_even:
    case nir_op_ffract:
    case nir_op_fcanonicalize:
    case nir_op_f2f16:
    case nir_op_f2f32:
    case nir_op_f2f64:
    case nir_op_fcsel:
    case nir_op_fcsel_gt:
    case nir_op_fcsel_ge:
      return false;
    default:
      return true;
  }
}
static inline bool has_one_bit_version(nir_op op) {
  switch (op) {
    case nir_op_extract_u8:
    case nir_op_extract_i8:
    case nir_op_extract_u16:
    case nir_op_extract_i16:
    case nir_op_insert_u8:
    case nir_op_insert_u16:
    case nir_op_uadd_carry:
    case nir_op_udiv_aligned_4:
    case nir_op_usub_borrow:
      return false;
    default:
      return true;
  }
}
static inline nir_op alternative_of(nir_op op) { return op == nir_op_ffma_weak ? nir_op_fmad : op; }
static inline nir_op product_of(nir_op op) {
  return op == nir_op_fmad ? nir_op_fmul : op == nir_op_fmadz ? nir_op_fmulz : nir_num_opcodes;
}
/* Folding at 64 bits treats signaling NaNs differently from quiet NaNs (tests/mesa/oracle/differences.txt). */
static inline nir_const_value foldable(nir_const_value value, unsigned bits) {
  if (bits == 64 && is_nan_pattern(value.u64, 64)) value.u64 |= smallest_normal(64) >> 1;
  return value;
}
#define MATCHER_FOLDS true
#define EACH_USER_CHOOSES_SIGN true
#define BOOLEANS_ARE_DEFINITE true
/* The sign of a zero of these formats may be free, and a NaN may be any NaN of the format. */
static inline bool is_opaque_float(nir_op op, uint64_t result, bool zero_free) {
  switch (op) {
    case nir_op_f2bf:
      return (result & 0x7fff) > 0x7f80 || (zero_free && (result & 0x7fff) == 0);
    case nir_op_f2e4m3fn:
    case nir_op_f2e4m3fn_sat:
    case nir_op_f2e4m3fn_satfn:
      return (result & 0x7f) == 0x7f || (zero_free && (result & 0x7f) == 0);
    case nir_op_f2e5m2:
    case nir_op_f2e5m2_sat:
      return (result & 0x7f) > 0x7c || (zero_free && (result & 0x7f) == 0);
    default:
      return false;
  }
}
static inline bool fold_op(nir_op op, nir_const_value *outcome, unsigned lanes, unsigned bits,
                           nir_const_value **sources) {
  uint16_t poison = 0;
  nir_eval_const_opcode(op, outcome, &poison, lanes, bits, sources, 0);
  return poison != 0;
}

#endif

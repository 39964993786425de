/* Defines what the harness needs to know about Mesa 25 (docs/float_contract.md). nir26.h defines the same names
 * for Mesa 26, and docs/nir26.md lists the differences. */
#ifndef REWROUGHT_TOOLS_DRIVER_RIG_MATCHER_NIR25_H_
#define REWROUGHT_TOOLS_DRIVER_RIG_MATCHER_NIR25_H_

/* The flags of an instruction: the nine bits of nir_alu_instr::fp_fast_math, and EXACT. */
#define PRESERVE_SIGNED_ZERO FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE
#define PRESERVE_INF FLOAT_CONTROLS_INF_PRESERVE
#define PRESERVE_NAN FLOAT_CONTROLS_NAN_PRESERVE
#define EXACT 0x8000
#define FLAG_NAMES \
  { "sz16", "sz32", "sz64", "inf16", "inf32", "inf64", "nan16", "nan32", "nan64" }

static inline unsigned flags_of(const nir_alu_instr *alu) { return alu->fp_fast_math | (alu->exact ? EXACT : 0); }
static inline void set_flags(nir_alu_instr *alu, unsigned flags) {
  alu->fp_fast_math = flags & ~EXACT;
  alu->exact = (flags & EXACT) != 0;
}
/* Returns the flags that an instruction of the op may carry. */
static inline unsigned valid_flags(nir_op op) {
  (void)op;
  return ALL_PRESERVED | EXACT;
}
/* Returns the flags of a random exact instruction, except those that preserve values. */
static inline unsigned draw_exact(struct random *random) {
  (void)random;
  return EXACT;
}
/* Returns the flags that an instruction must not carry if it matches `expression`, as far as the generator should
 * know. */
static inline unsigned excluded_flags(const nir_search_expression *expression) {
  (void)expression;
  return 0;
}

/* Returns the execution mode of a shader, apart from the treatment of denormals. */
static inline unsigned preserving_mode(bool preserve) { return preserve ? ALL_PRESERVED : 0; }
/* Returns whether no operation of the two programs may choose among several results, except for NaNs. */
static inline bool is_plain(const struct program *before, const struct program *after) {
  (void)after;
  return before->execution_mode == execution_mode_of(DENORM_PRESERVE, true);
}

/* Returns the component that the pattern `expression` reads of an instruction whose result has a fixed number of
 * components, or -1 if it reads all of them. */
static inline int component_of(const nir_search_expression *expression) { return expression->swizzle_y ? 1 : -1; }
/* Returns the base type that the pattern requires of the variable's value, or nir_type_invalid. */
static inline nir_alu_type type_of(const nir_search_variable *variable) { return variable->type; }
static inline nir_shader *create_shader(const nir_shader_compiler_options *options) {
  return nir_shader_create(NULL, MESA_SHADER_COMPUTE, options, NULL);
}
static inline nir_instr *instr_of(nir_def *def) { return def->parent_instr; }

/* What the predicates of variables may remember between calls. */
typedef struct hash_table *predicate_state;
static inline bool holds(nir_search_variable_cond predicate, predicate_state *state, const nir_alu_instr *alu,
                         unsigned source, unsigned lanes, const uint8_t *swizzle) {
  if (!*state) *state = _mesa_pointer_hash_table_create(NULL);
  _mesa_hash_table_clear(*state, NULL);
  return predicate(*state, alu, source, lanes, swizzle);
}

static inline bool is_bool_size(unsigned bits) { return bits != 64; }
/* Ops with a Boolean result of 8, 16, or 32 bits, by the result's size. */
#define WIDE_BOOLEAN_OPS                                                                   \
  {                                                                                        \
    {nir_op_flt8, nir_op_ieq8, nir_op_ult8}, {nir_op_flt16, nir_op_ieq16, nir_op_ult16}, { \
      nir_op_flt32, nir_op_ieq32, nir_op_ult32                                             \
    }                                                                                      \
  }

/* Returns whether the op selects one of two floats by a float. Such an op copies bits, but its flags apply. */
static inline bool is_float_select(nir_op op) {
  return op == nir_op_fcsel || op == nir_op_fcsel_gt || op == nir_op_fcsel_ge;
}
static inline bool is_select(nir_op op) {
  return is_float_select(op) || op == nir_op_bcsel || op == nir_op_b8csel || op == nir_op_b16csel ||
         op == nir_op_b32csel;
}
static inline bool reads_packed_halves(nir_op op) {
  return op == nir_op_unpack_half_2x16 || op == nir_op_unpack_half_2x16_split_x ||
         op == nir_op_unpack_half_2x16_split_y;
}
/* Returns whether the op never has to flush denormals. */
static inline bool may_flush_only(nir_op op) {
  switch (op) {
    case nir_op_fneg:
    case nir_op_fabs:
    case nir_op_fmin:
    case nir_op_fmax:
    case nir_op_fsat:
    case nir_op_f2f16:
    case nir_op_f2f32:
    case nir_op_f2f64:
      return true;
    default:
      return false;
  }
}
/* Returns whether an instruction without PRESERVE_SIGNED_ZERO may read a zero operand with the opposite sign. */
static inline bool may_read_opposite_zero(nir_op op) {
  (void)op;
  return false;
}
/* Returns whether the op exists with 1-bit operands. */
static inline bool has_one_bit_version(nir_op op) {
  (void)op;
  return true;
}
/* Returns the op that a device may execute instead of `op`, or `op` if there is none. */
static inline nir_op alternative_of(nir_op op) { return op; }
/* Returns the op that computes the product if the op rounds the product before it adds its last operand, or
 * nir_num_opcodes. */
static inline nir_op product_of(nir_op op) {
  (void)op;
  return nir_num_opcodes;
}
/* Returns a constant with this value or, if the tree might fold it otherwise than the harness, a similar one. */
static inline nir_const_value foldable(nir_const_value value, unsigned bits) {
  (void)bits;
  return value;
}
/* Whether the matcher folds the instructions that it builds. */
#define MATCHER_FOLDS false
/* Whether the users of a zero may read different signs if the rule does not require that its instruction may choose the
 * sign. Otherwise, all users read the same sign. */
#define EACH_USER_CHOOSES_SIGN false
/* Whether an undefined Boolean is either true or false for its only user. Otherwise, whatever depends on it is
 * undefined. */
#define BOOLEANS_ARE_DEFINITE false
/* Returns whether the harness cannot compare the result of the op, which NIR declares as an integer although it
 * contains a float. */
static inline bool is_opaque_float(nir_op op, uint64_t result, bool zero_free) {
  (void)op, (void)result, (void)zero_free;
  return false;
}
/* Folds the op, and returns whether the folding marks the result as poison. */
static inline bool fold_op(nir_op op, nir_const_value *outcome, unsigned lanes, unsigned bits,
                           nir_const_value **sources) {
  nir_eval_const_opcode(op, outcome, lanes, bits, sources, 0);
  return false;
}

#endif

/* Defines the contract of the float operations of Mesa 26 (docs/nir26.md). */
#include "harness.h"

/* Returns whether a bitfield is outside of a value of `limit` bits. Folding computes its end with overflow. */
static bool is_outside(const struct operand *offset, const struct operand *width, unsigned limit) {
  const int64_t start = signed_of(offset->pattern[0], 32), size = signed_of(width->pattern[0], 32);
  return size != 0 && (start < 0 || size < 0 || start + size > limit);
}

/* Folding marks all other poison. */
bool is_poison_op(const struct instr *instr, const struct operand *o) {
  switch (instr->op) {
    case nir_op_ubitfield_extract:
    case nir_op_ibitfield_extract:
      return is_outside(&o[1], &o[2], instr->bits);
    case nir_op_bitfield_insert:
      return is_outside(&o[2], &o[3], MAX2(instr->bits, 32));
    case nir_op_frexp_exp:
    case nir_op_frexp_sig:
      return is_nan_pattern(o[0].pattern[0], o[0].bits) || is_inf_pattern(o[0].pattern[0], o[0].bits);
    default:
      return false;
  }
}

void find_freedom(const struct instr *instr, const struct operand *operands, bool *zero, bool *nan, bool *inf) {
  const unsigned lacking = valid_flags(instr->op) & ~instr->flags;
  (void)operands;
  *zero = (lacking & nir_fp_preserve_signed_zero) != 0;
  *nan = (lacking & nir_fp_preserve_nan) != 0;
  *inf = (lacking & nir_fp_preserve_inf) != 0;
}

bool leaves_sign_open(const struct instr *instr, const struct operand *operands) {
  (void)operands;
  return instr->op == nir_op_fsign || instr->op == nir_op_fsat_signed || instr->op == nir_op_fclamp_pos;
}

bool may_be_rounded_denormal(const struct instr *instr, const struct operand *o) {
  const __float128 limit = number_of(smallest_normal(instr->bits), instr->bits);
  __float128 exact;
  switch (instr->op) {
    case nir_op_fmul:
    case nir_op_fmulz:
      exact = (__float128)number_of(o[0].pattern[0], o[0].bits) * number_of(o[1].pattern[0], o[1].bits);
      break;
    case nir_op_ffma:
    case nir_op_ffmaz:
    case nir_op_ffma_weak:
      exact = (__float128)number_of(o[0].pattern[0], o[0].bits) * number_of(o[1].pattern[0], o[1].bits) +
              number_of(o[2].pattern[0], o[2].bits);
      break;
    case nir_op_f2f16:
    case nir_op_f2f16_rtne:
    case nir_op_f2f32:
      exact = number_of(o[0].pattern[0], o[0].bits);
      break;
    case nir_op_fadd:
    case nir_op_fsub:
    case nir_op_fmad:
    case nir_op_fmadz:
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
    case nir_op_fcsel:
    case nir_op_fcsel_gt:
    case nir_op_fcsel_ge:
    case nir_op_f2f64:
    case nir_op_f2f16_rtz:
      return false; /* a result of this size is exact */
    default:
      return true;
  }
  return exact < limit && exact > -limit;
}

/* Defines the contract of the float operations of Mesa 26 (docs/nir26.md). */
#include "harness.h"

/* Folding marks all other poison. */
bool is_poison_op(const struct instr *instr, const struct operand *o) {
  if (instr->op != nir_op_frexp_exp && instr->op != nir_op_frexp_sig) return false;
  return is_nan_pattern(o[0].pattern[0], o[0].bits) || is_inf_pattern(o[0].pattern[0], o[0].bits);
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

/* Defines the contract of the float operations of Mesa 25 (docs/float_contract.md). */
#include "harness.h"

bool is_poison_op(const struct instr *instr, const struct operand *o) {
  const uint64_t a = o[0].pattern[0], b = instr->source_count > 1 ? o[1].pattern[0] : 0;
  switch (instr->op) {
    case nir_op_idiv:
    case nir_op_irem:
    case nir_op_imod:
      return a == sign_bit(o[0].bits) && b == mask_of(o[1].bits);
    case nir_op_amul: {
      const __int128 product = (__int128)signed_of(a, o[0].bits) * signed_of(b, o[1].bits);
      return product != signed_of((uint64_t)product & mask_of(o[0].bits), o[0].bits);
    }
    case nir_op_imul24_relaxed:
      return signed_of(a & 0xffffff, 24) != signed_of(a, 32) || signed_of(b & 0xffffff, 24) != signed_of(b, 32);
    case nir_op_umul24_relaxed:
    case nir_op_umad24_relaxed:
      return a > 0xffffff || b > 0xffffff;
    case nir_op_udiv_aligned_4:
      return a & 3;
    case nir_op_extract_u8:
    case nir_op_extract_i8:
    case nir_op_insert_u8:
      return b >= o[0].bits / 8;
    case nir_op_extract_u16:
    case nir_op_extract_i16:
    case nir_op_insert_u16:
      return b >= o[0].bits / 16;
    case nir_op_ubitfield_extract:
    case nir_op_ibitfield_extract: {
      const int64_t offset = signed_of(b, 32), width = signed_of(o[2].pattern[0], 32);
      return offset < 0 || width < 0 || offset + width > 32;
    }
    case nir_op_bitfield_insert: {
      const int64_t offset = signed_of(o[2].pattern[0], 32), width = signed_of(o[3].pattern[0], 32);
      return offset < 0 || width < 0 || offset + width > 32;
    }
    case nir_op_frexp_exp:
    case nir_op_frexp_sig:
      return is_nan_pattern(a, o[0].bits) || is_inf_pattern(a, o[0].bits);
    default:
      break;
  }
  const nir_op_info *info = &nir_op_infos[instr->op];
  if (!info->is_conversion || o[0].base != nir_type_float || base_of(info->output_type) == nir_type_float ||
      base_of(info->output_type) == nir_type_bool)
    return false;
  const double number = number_of(a, o[0].bits);
  const bool is_signed = base_of(info->output_type) == nir_type_int;
  const double low = is_signed ? -__builtin_ldexp(1, instr->bits - 1) : 0,
               high = __builtin_ldexp(1, instr->bits - is_signed);
  return !(__builtin_trunc(number) >= low && __builtin_trunc(number) < high);
}

/* If the result is not a float, as for a comparison, the flags for the size of the float operands apply, and an exact
 * instruction ignores nothing. */
void find_freedom(const struct instr *instr, const struct operand *operands, bool *zero, bool *nan, bool *inf) {
  const nir_op_info *info = &nir_op_infos[instr->op];
  unsigned bits = 0;
  *zero = *nan = *inf = false;
  if (base_of(info->output_type) == nir_type_float) {
    bits = instr->bits;
  } else {
    for (unsigned s = 0; s < instr->source_count; s++)
      if (operands[s].base == nir_type_float) bits = operands[s].bits;
    if (bits == 0 || instr->flags & EXACT) return;
  }
  *zero = !nir_is_float_control_signed_zero_preserve(instr->flags, bits);
  *nan = !nir_is_float_control_nan_preserve(instr->flags, bits);
  *inf = !nir_is_float_control_inf_preserve(instr->flags, bits);
}

bool leaves_sign_open(const struct instr *instr, const struct operand *operands) {
  switch (instr->op) {
    case nir_op_fsat:
      return operands[0].pattern[0] == sign_bit(operands[0].bits);
    case nir_op_fsign:
    case nir_op_fmulz:
      return true;
    case nir_op_ffmaz:
      return is_zero_pattern(operands[0].pattern[0], operands[0].bits) ||
             is_zero_pattern(operands[1].pattern[0], operands[1].bits);
    default:
      return false;
  }
}

bool may_be_rounded_denormal(const struct instr *instr, const struct operand *operands) {
  (void)instr, (void)operands;
  return true;
}

/* Checks the users of a value. */

static bool is_only_added(const nir_def *def) {
  nir_foreach_use_including_if(use, def) {
    if (nir_src_is_if(use) || nir_src_use_instr(use)->type != nir_instr_type_alu) return false;
    const nir_alu_instr *user = nir_instr_as_alu(nir_src_use_instr(use));
    if (user->op == nir_op_fneg || user->op == nir_op_fabs) {
      if (!is_only_added(&user->def)) return false;
    } else if (user->op != nir_op_fadd) {
      return false;
    }
  }
  return true;
}

/* A product with only fadd users is free if the driver fuses products into sums. */
static inline bool is_not_only_used_by_fadd(const nir_alu_instr *alu) { return !is_only_added(&alu->def); }

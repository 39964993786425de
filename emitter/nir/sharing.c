/* Detects operands that several chains share. A chain consists of inexact ALU instructions with the same op, in which
 * the next instruction is the only user of each instruction except the last. The leaves of a chain are its operands
 * from outside the chain. `a * b * c` and `d * b * c` share b and c in every grouping. */

/* The number of times that the conditions below may still hold in this pass. The limit makes every pass terminate. */
static __thread unsigned shared_left;

static bool is_read_in_the_end(const nir_def *def, unsigned depth) {
  nir_foreach_use_including_if(use, def) {
    if (nir_src_is_if(use) || nir_src_use_instr(use)->type != nir_instr_type_alu || depth == 0 ||
        is_read_in_the_end(&nir_instr_as_alu(nir_src_use_instr(use))->def, depth - 1))
      return true;
  }
  return false;
}

/* Returns the instruction of the same chain that uses `alu`, or NULL. */
static nir_alu_instr *next_of_chain(const nir_alu_instr *alu) {
  nir_alu_instr *next = NULL;
  nir_foreach_use_including_if(use, &alu->def) {
    if (nir_src_is_if(use) || nir_src_use_instr(use)->type != nir_instr_type_alu) return NULL;
    nir_alu_instr *user = nir_instr_as_alu(nir_src_use_instr(use));
    if (!is_read_in_the_end(&user->def, 4)) continue; /* replaced, but not removed yet */
    if (next || user->op != alu->op || nir_alu_instr_no_reassoc(user) || user->def.num_components != 1) return NULL;
    next = user;
  }
  return next;
}

static bool is_inside(nir_scalar value, nir_op op) {
  if (!nir_scalar_is_alu(value) || nir_scalar_alu_op(value) != op || value.def->num_components != 1) return false;
  const nir_alu_instr *alu = nir_instr_as_alu(nir_def_instr(value.def));
  return !nir_alu_instr_no_reassoc(alu) && next_of_chain(alu);
}

/* Returns a mask: bit 0 if x is a leaf below `alu`, bit 1 if y is a leaf, and bit 2 if there are more than `*left`
 * values. */
static unsigned leaves_below(const nir_alu_instr *alu, nir_scalar x, nir_scalar y, unsigned *left) {
  unsigned found = 0;
  for (unsigned i = 0; i < 2; i++) {
    if (*left == 0) return 4;
    --*left;
    nir_scalar value = nir_get_scalar(alu->src[i].src.ssa, alu->src[i].swizzle[0]);
    if (is_inside(value, alu->op))
      found |= leaves_below(nir_instr_as_alu(nir_def_instr(value.def)), x, y, left);
    else
      found |= (nir_scalar_equal(value, x) ? 1 : 0) | (nir_scalar_equal(value, y) ? 2 : 0);
  }
  return found;
}

/* Counts the chains of `op` that have both x and y as leaves. Returns 0 if x has too many users to check. */
static unsigned chains_with(nir_op op, nir_scalar x, nir_scalar y) {
  const nir_alu_instr *ends[32];
  unsigned seen = 0, count = 0, looked = 0;
  nir_foreach_use(use, x.def) {
    if (++looked > 256) return 0;
    if (nir_src_use_instr(use)->type != nir_instr_type_alu) continue;
    const nir_alu_instr *end = nir_instr_as_alu(nir_src_use_instr(use));
    if (end->op != op || nir_alu_instr_no_reassoc(end) || end->def.num_components != 1 ||
        !is_read_in_the_end(&end->def, 4))
      continue;
    unsigned length = 0;
    for (const nir_alu_instr *next; length < 32 && (next = next_of_chain(end)); length++) end = next;
    unsigned i = 0;
    while (i < seen && ends[i] != end) i++;
    if (i < seen) continue;
    if (seen == ARRAY_SIZE(ends)) return 0;
    ends[seen++] = end;
    unsigned left = 32;
    count += leaves_below(end, x, y, &left) == 3;
  }
  return count;
}

/* Returns whether source `src` of `alu` and the other source of the instruction `levels` steps further along the chain
 * are common leaves of several chains, and of more chains than `src` and its neighbor are. */
static bool is_shared(const nir_alu_instr *alu, unsigned src, unsigned levels) {
  if (nir_alu_instr_no_reassoc(alu) || alu->def.num_components != 1 || shared_left == 0) return false;
  nir_scalar value = nir_get_scalar(alu->src[src].src.ssa, alu->src[src].swizzle[0]);
  nir_scalar neighbour = nir_get_scalar(alu->src[1 - src].src.ssa, alu->src[1 - src].swizzle[0]);
  const nir_alu_instr *below = alu, *outer = alu;
  for (unsigned i = 0; i < levels; i++) {
    below = outer;
    outer = next_of_chain(outer);
    if (!outer) return false;
  }
  unsigned other = outer->src[0].src.ssa == &below->def;
  nir_scalar partner = nir_get_scalar(outer->src[other].src.ssa, outer->src[other].swizzle[0]);
  if (is_inside(value, alu->op) || is_inside(partner, alu->op)) return false;
  unsigned chains = chains_with(alu->op, value, partner);
  if (chains < 2 || (!is_inside(neighbour, alu->op) && chains <= chains_with(alu->op, value, neighbour))) return false;
  shared_left--;
  return true;
}

static inline bool is_shared_with_outer(UNUSED search_state *state, const nir_alu_instr *alu, unsigned src,
                                        UNUSED unsigned num_components, UNUSED const uint8_t *swizzle) {
  return is_shared(alu, src, 1);
}

static inline bool is_shared_with_second_outer(UNUSED search_state *state, const nir_alu_instr *alu, unsigned src,
                                               UNUSED unsigned num_components, UNUSED const uint8_t *swizzle) {
  return is_shared(alu, src, 2);
}

/* Equal groups become one instruction only after CSE, and that instruction may then be a leaf of further chains. The
 * driver's own CSE runs too late for that, because the driver calls a pass only a few times. */
static bool run_with_cse(nir_shader *shader, bool (*pass)(nir_shader *)) {
  bool progress = false;
  shared_left = 4096;
  for (unsigned round = 0; round < 8 && pass(shader); round++) {
    progress = true;
    nir_opt_cse(shader);
    nir_opt_dce(shader);
  }
  return progress;
}

/* Determines the values from which a shader computes its position. */

/* Caches results while a pass runs. They stay valid, because a replacement reads only values that the replaced
 * instructions depended on. */
static __thread struct {
  const nir_function_impl *impl;
  unsigned values;        /* the capacity of both sets */
  BITSET_WORD *asked;     /* values with a known result, by index */
  BITSET_WORD *positions; /* values from which a position is computed */
} known;

static void forget_positions(void) {
  free(known.asked);
  free(known.positions);
  memset(&known, 0, sizeof(known));
}

static void make_room(const nir_function_impl *impl) {
  if (known.impl == impl && impl->ssa_alloc <= known.values) return;
  forget_positions();
  known.impl = impl;
  known.values = impl->ssa_alloc + impl->ssa_alloc / 2 + 64;
  known.asked = calloc(BITSET_WORDS(known.values), sizeof(BITSET_WORD));
  known.positions = calloc(BITSET_WORDS(known.values), sizeof(BITSET_WORD));
}

struct position_search {
  BITSET_WORD *seen;    /* visited values, by index */
  const nir_def **left; /* the worklist of visited values */
  unsigned count;
  bool found;
};

/* Returns false only for a store that certainly does not write the position. */
static bool may_store_position(nir_intrinsic_instr *store) {
  switch (store->intrinsic) {
    case nir_intrinsic_store_output:
    case nir_intrinsic_store_per_vertex_output:
      return nir_intrinsic_io_semantics(store).location == VARYING_SLOT_POS;
    case nir_intrinsic_store_deref: {
      const nir_variable *variable = nir_intrinsic_get_var(store, 0);
      return variable == NULL || variable->data.mode != nir_var_shader_out ||
             variable->data.location == VARYING_SLOT_POS;
    }
    case nir_intrinsic_store_ssbo:
    case nir_intrinsic_store_global:
    case nir_intrinsic_store_shared:
      return false;
    default:
      return true;
  }
}

static void reach(struct position_search *search, nir_instr *user) {
  const nir_def *result = nir_instr_def(user);
  if (result == NULL) {
    search->found |= user->type == nir_instr_type_intrinsic && may_store_position(nir_instr_as_intrinsic(user));
  } else if (BITSET_TEST(known.asked, result->index)) {
    search->found |= BITSET_TEST(known.positions, result->index);
  } else if (!BITSET_TEST(search->seen, result->index)) {
    BITSET_SET(search->seen, result->index);
    search->left[search->count++] = result;
  }
}

/* Visits everything that a condition may affect: the outermost loop or if around it, and the phis after it. */
static void reach_what_it_decides(struct position_search *search, nir_if *decided) {
  nir_cf_node *region = &decided->cf_node;
  while (region->parent->type != nir_cf_node_function) region = region->parent;
  nir_foreach_block_in_cf_node(block, region) { nir_foreach_instr(instr, block) reach(search, instr); }
  nir_foreach_phi(phi, nir_cf_node_as_block(nir_cf_node_next(region))) reach(search, &phi->instr);
}

static bool reaches_position(const nir_def *def) {
  struct position_search search = {
      .seen = calloc(BITSET_WORDS(known.values), sizeof(BITSET_WORD)),
      .left = malloc(known.values * sizeof(nir_def *)),
  };
  BITSET_SET(search.seen, def->index);
  search.left[search.count++] = def;
  while (search.count != 0 && !search.found) {
    const nir_def *value = search.left[--search.count];
    nir_foreach_use_including_if(use, value) {
      if (nir_src_is_if(use))
        reach_what_it_decides(&search, nir_src_use_if(use));
      else
        reach(&search, nir_src_use_instr(use));
    }
  }
  if (search.found) {
    BITSET_SET(known.asked, def->index);
    BITSET_SET(known.positions, def->index);
  } else { /* no visited value reaches the position */
    for (unsigned word = 0; word < BITSET_WORDS(known.values); word++) known.asked[word] |= search.seen[word];
  }
  free(search.left);
  free(search.seen);
  return search.found;
}

/* Returns whether a vertex or geometry shader may compute its position from the value: through data flow, control flow,
 * or a variable. */
static bool is_used_for_position(const nir_alu_instr *alu) {
  const nir_function_impl *impl = nir_cf_node_get_function(&alu->instr.block->cf_node);
  const struct shader_info *info = &impl->function->shader->info;
  if (info->stage != MESA_SHADER_VERTEX && info->stage != MESA_SHADER_GEOMETRY) return false;
  make_room(impl);
  if (BITSET_TEST(known.asked, alu->def.index)) return BITSET_TEST(known.positions, alu->def.index);
  return reaches_position(&alu->def);
}

static inline bool is_not_used_for_position(const nir_alu_instr *alu) { return !is_used_for_position(alu); }

/* Which values a position is computed from. */

struct position_search {
  BITSET_WORD *seen;    /* values, by index */
  const nir_def **left; /* seen, and whose readers are not */
  unsigned count;
  bool found;
};

/* All that is not known to store something else. */
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
  } else if (!BITSET_TEST(search->seen, result->index)) {
    BITSET_SET(search->seen, result->index);
    search->left[search->count++] = result;
  }
}

/* A condition decides all that stands in the outermost loop or if around it, and what comes together after that. */
static void reach_what_it_decides(struct position_search *search, nir_if *decided) {
  nir_cf_node *region = &decided->cf_node;
  while (region->parent->type != nir_cf_node_function) region = region->parent;
  nir_foreach_block_in_cf_node(block, region) { nir_foreach_instr(instr, block) reach(search, instr); }
  nir_foreach_phi(phi, nir_cf_node_as_block(nir_cf_node_next(region))) reach(search, &phi->instr);
}

/* Whether a vertex or geometry shader computes its position from the value, as far as can be told: by data, by what a
 * condition decides, or through a variable. */
static bool is_used_for_position(const nir_alu_instr *alu) {
  const nir_function_impl *impl = nir_cf_node_get_function(&alu->instr.block->cf_node);
  const gl_shader_stage stage = impl->function->shader->info.stage;
  if (stage != MESA_SHADER_VERTEX && stage != MESA_SHADER_GEOMETRY) return false;
  struct position_search search = {
      .seen = calloc(BITSET_WORDS(impl->ssa_alloc), sizeof(BITSET_WORD)),
      .left = malloc(impl->ssa_alloc * sizeof(nir_def *)),
  };
  BITSET_SET(search.seen, alu->def.index);
  search.left[search.count++] = &alu->def;
  while (search.count != 0 && !search.found) {
    const nir_def *value = search.left[--search.count];
    nir_foreach_use_including_if(use, value) {
      if (nir_src_is_if(use))
        reach_what_it_decides(&search, nir_src_parent_if(use));
      else
        reach(&search, nir_src_parent_instr(use));
    }
  }
  free(search.left);
  free(search.seen);
  return search.found;
}

static inline bool is_not_used_for_position(const nir_alu_instr *alu) { return !is_used_for_position(alu); }

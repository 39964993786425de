/* Runs the predicates of a Mesa tree's nir_search_helpers.h on constants and on operands with given ranges.
 *
 * usage: run_helpers names         prints the predicates: "variable NAME" or "op NAME"
 *        run_helpers types         prints "OP TYPE TYPE..." for each op: the base types of its result and its sources
 *        run_helpers constants     reads requests (struct request) and their values, and prints masks of predicates
 *        run_helpers states        Mesa 25: prints, for each state of an operand, the mask of predicates that hold
 *        run_helpers transfer OP BITS RELATION TYPE
 *                                  Mesa 25: prints the masks of the op's result, which is read as TYPE, for all states
 *                                  of its operands
 * Masks are binary: two words of 64 bits, where bit i is the predicate of line i of `names`, counting variables only.
 * helpers.inc, which predicates_test.sh writes, lists the predicates of the tree. */
#include <stdlib.h>
#include <string.h>

#include "nir.h"
#include "nir_builder.h"
#include "nir_search_helpers.h"

#ifdef MESA_26
typedef const nir_search_state *helper_state;
#else
typedef struct hash_table *helper_state;
#endif
#ifdef MESA_26
static nir_instr *instr_of(nir_def *def) { return nir_def_instr(def); }
#else
static nir_instr *instr_of(nir_def *def) { return def->parent_instr; }
#endif

typedef bool (*helper_function)(helper_state, const nir_alu_instr *, unsigned, unsigned, const uint8_t *);

struct helper {
  const char *name;
  helper_function holds;
};
#define VARIABLE_HELPER(name) {#name, name},
#define OP_HELPER(name)
static const struct helper helpers[] = {
#include "helpers.inc"
};
#undef VARIABLE_HELPER
#undef OP_HELPER
#define HELPER_COUNT (sizeof(helpers) / sizeof(helpers[0]))

struct mask {
  uint64_t words[2];
};

/* Asks for the predicates `asked` of each of `lanes` constants. Each constant has `components` values of `bits` bits,
 * and is read as the type `base` ('f', 'i', 'u', or 'b'). If `extra` is 1, the constant has one more component, which
 * its reader does not read: the last component of the preceding lane. `preserves` is 1 if the reader preserves
 * infinities, plus 2 if it preserves NaN (Mesa 26). */
struct request {
  uint32_t base, bits, components, extra, preserves, lanes;
  struct mask asked;
};

static nir_builder builder;
static nir_shader *shader;

static void start_shader(void) {
  static const nir_shader_compiler_options options;
#ifdef MESA_26
  shader = nir_shader_create(NULL, MESA_SHADER_COMPUTE, &options);
#else
  shader = nir_shader_create(NULL, MESA_SHADER_COMPUTE, &options, NULL);
#endif
  nir_function *function = nir_function_create(shader, "main");
  function->is_entrypoint = true;
  builder = nir_builder_at(nir_after_impl(nir_function_impl_create(function)));
}

static nir_op op_called(const char *name) {
  for (int op = 0; op < nir_num_opcodes; op++)
    if (strcmp(nir_op_infos[op].name, name) == 0) return (nir_op)op;
  fprintf(stderr, "run_helpers: this tree has no op %s\n", name);
  exit(2);
}

/* Returns an instruction `op` whose sources are `sources`. */
static nir_alu_instr *make_alu(nir_op op, nir_def **sources, unsigned components, unsigned bits) {
  nir_alu_instr *alu = nir_alu_instr_create(shader, op);
  for (unsigned k = 0; k < nir_op_infos[op].num_inputs; k++) {
    alu->src[k].src = nir_src_for_ssa(sources[k]);
    for (unsigned c = 0; c < NIR_MAX_VEC_COMPONENTS; c++) alu->src[k].swizzle[c] = c % sources[k]->num_components;
  }
  nir_def_init(&alu->instr, &alu->def, components, bits);
  nir_builder_instr_insert(&builder, &alu->instr);
  return alu;
}

static nir_const_value constant_of(uint64_t value, unsigned bits) {
  nir_const_value result;
  memset(&result, 0, sizeof(result));
  if (bits == 1)
    result.b = value & 1;
  else
    result.u64 = value;
  return result;
}

/* Returns an instruction that reads its first source as the type `base`. */
static nir_alu_instr *make_reader(char base, unsigned bits, unsigned components, nir_def *read) {
  char select[16];
  snprintf(select, sizeof(select), bits == 1 ? "bcsel" : "b%ucsel", bits);
  const nir_op op = op_called(base == 'f' ? "fadd" : base == 'i' ? "iadd" : base == 'u' ? "umin" : select);
  nir_def *other = base == 'b' ? nir_imm_zero(&builder, components, 32) : read;
  nir_def *sources[] = {read, other, other};
  return make_alu(op, sources, components, other->bit_size);
}

static struct mask ask(const struct mask *asked, helper_state state, const nir_alu_instr *reader, unsigned components,
                       const uint8_t *swizzle) {
  struct mask result = {{0, 0}};
  for (unsigned i = 0; i < HELPER_COUNT; i++) {
    if (!(asked->words[i / 64] >> (i % 64) & 1)) continue;
    if (helpers[i].holds(state, reader, 0, components, swizzle)) result.words[i / 64] |= UINT64_C(1) << (i % 64);
  }
  return result;
}

static void answer_request(const struct request *request) {
  start_shader();
  nir_const_value none[NIR_MAX_VEC_COMPONENTS];
  memset(none, 0, sizeof(none));
  const unsigned components = request->components, read = components + request->extra;
  nir_def *constant = nir_build_imm(&builder, read, request->bits, none);
  nir_alu_instr *reader = make_reader((char)request->base, request->bits, components, constant);
  nir_load_const_instr *load = nir_instr_as_load_const(instr_of(constant));
  uint8_t swizzle[NIR_MAX_VEC_COMPONENTS] = {0};
  /* The reader reads the components in reverse order, so that a wrong swizzle changes the result. */
  for (unsigned c = 0; c < components; c++) reader->src[0].swizzle[c] = swizzle[c] = (uint8_t)(components - 1 - c);
#ifdef MESA_26
  reader->fp_math_ctrl =
      (request->preserves & 1 ? nir_fp_preserve_inf : 0) | (request->preserves & 2 ? nir_fp_preserve_nan : 0);
  nir_fp_analysis_state classes = nir_create_fp_analysis_state(nir_shader_get_entrypoint(shader));
  nir_search_state search = {.range_ht = &classes, .numlsb_ht = _mesa_pointer_hash_table_create(NULL)};
  helper_state state = &search;
#else
  helper_state state = _mesa_pointer_hash_table_create(NULL);
#endif
  uint64_t value[NIR_MAX_VEC_COMPONENTS], before = 0;
  for (unsigned lane = 0; lane < request->lanes; lane++) {
    if (fread(value, 8, components, stdin) != components) exit(2);
    for (unsigned c = 0; c < components; c++) load->value[c] = constant_of(value[c], request->bits);
    if (request->extra) load->value[components] = constant_of(before, request->bits);
    before = value[components - 1];
#ifdef MESA_26
    nir_invalidate_fp_analysis_state(&classes);
    _mesa_hash_table_clear(search.numlsb_ht, NULL);
#endif
    const struct mask result = ask(&request->asked, state, reader, components, swizzle);
    fwrite(&result, sizeof(result), 1, stdout);
  }
  ralloc_free(shader);
}

static void print_types(void) {
  for (int op = 0; op < nir_num_opcodes; op++) {
    const nir_op_info *info = &nir_op_infos[op];
    printf("%s", info->name);
    for (int k = -1; k < (int)info->num_inputs; k++) {
      const nir_alu_type type = nir_alu_type_get_base_type(k < 0 ? info->output_type : info->input_types[k]);
      printf(" %c", type == nir_type_float ? 'f' : type == nir_type_int ? 'i' : type == nir_type_uint ? 'u' : 'b');
    }
    printf("\n");
  }
}

#ifndef MESA_26
/* A state of an operand is a range (0 to 6) times 6, plus 3 if the operand is integral, plus 0 if nothing else is
 * known, 1 if it is a number, and 2 if it is finite. The cache of the analysis stores it as below. */
enum { STATES = 42 };

static uintptr_t cached_state(unsigned state) {
  const unsigned number = state % 3;
  return state / 6 | (state / 3 & 1) << 8 | (number == 2) << 9 | (number >= 1) << 10;
}

/* Stores the state of an instruction's result in the cache of the analysis, for each type of its readers. */
static void set_state(struct hash_table *cache, const nir_alu_instr *alu, unsigned state) {
  for (uintptr_t type = 0; type < 4; type++)
    _mesa_hash_table_insert(cache, (void *)((uintptr_t)alu | type), (void *)cached_state(state));
}

/* Returns the range predicates, whose results depend on the cache. */
static struct mask range_predicates(struct hash_table *cache, const nir_alu_instr *value, const nir_alu_instr *reader) {
  const uint8_t swizzle[NIR_MAX_VEC_COMPONENTS] = {0};
  struct mask never = {{0, 0}}, all = {{~UINT64_C(0), ~UINT64_C(0)}};
  for (unsigned state = 0; state < STATES; state++) {
    set_state(cache, value, state);
    const struct mask holds = ask(&all, cache, reader, 1, swizzle);
    for (unsigned w = 0; w < 2; w++) never.words[w] |= holds.words[w];
  }
  set_state(cache, value, 0);
  const struct mask unknown = ask(&all, cache, reader, 1, swizzle);
  for (unsigned w = 0; w < 2; w++) never.words[w] &= ~unknown.words[w];
  return never;
}

static void print_states(void) {
  static const uint8_t swizzle[NIR_MAX_VEC_COMPONENTS];
  const char bases[] = {'f', 'i', 'u', 'b'};
  start_shader();
  struct hash_table *cache = _mesa_pointer_hash_table_create(NULL);
  for (unsigned b = 0; b < sizeof(bases); b++) {
    const unsigned bits = bases[b] == 'b' ? 1 : 32;
    nir_def *undefined = nir_undef(&builder, 1, bits);
    nir_alu_instr *value = make_alu(op_called("mov"), &undefined, 1, bits);
    nir_alu_instr *reader = make_reader(bases[b], bits, 1, &value->def);
    const struct mask asked = range_predicates(cache, value, reader);
    for (unsigned state = 0; state < STATES; state++) {
      set_state(cache, value, state);
      const struct mask holds = ask(&asked, cache, reader, 1, swizzle);
      fwrite(&holds, sizeof(holds), 1, stdout);
    }
  }
}

/* Prints the masks for all states of the op's operands; the state of the last operand changes fastest. With the
 * relation "same", the second operand is the first one, and with "negated", it is the negation of the first one. */
static void print_transfer(const char *name, unsigned bits, const char *relation, char base) {
  static const uint8_t swizzle[NIR_MAX_VEC_COMPONENTS];
  start_shader();
  const nir_op op = op_called(name);
  const nir_op_info *info = &nir_op_infos[op];
  nir_alu_instr *values[4];
  nir_def *sources[4];
  for (unsigned k = 0; k < info->num_inputs; k++) {
    const unsigned size = nir_alu_type_get_type_size(info->input_types[k]);
    const unsigned width = size ? size : bits, count = info->input_sizes[k] ? info->input_sizes[k] : 1;
    nir_def *undefined = nir_undef(&builder, count, width);
    values[k] = make_alu(op_called("mov"), &undefined, count, width);
    sources[k] = &values[k]->def;
  }
  const bool related = strcmp(relation, "distinct") != 0;
  if (strcmp(relation, "same") == 0) sources[1] = sources[0];
  if (strcmp(relation, "negated") == 0)
    sources[1] = &make_alu(op_called("fneg"), sources, sources[0]->num_components, sources[0]->bit_size)->def;
  const unsigned size = nir_alu_type_get_type_size(info->output_type);
  nir_alu_instr *result = make_alu(op, sources, info->output_size ? info->output_size : 1, size ? size : bits);
  nir_alu_instr *reader = make_reader(base, result->def.bit_size, 1, &result->def);
  struct hash_table *cache = _mesa_pointer_hash_table_create(NULL);
  const struct mask asked = range_predicates(cache, result, reader);
  unsigned total = 1;
  for (unsigned k = 0; k < info->num_inputs; k++) total *= related && k == 1 ? 1 : STATES;
  for (unsigned tuple = 0; tuple < total; tuple++) {
    _mesa_hash_table_clear(cache, NULL);
    unsigned rest = tuple;
    for (unsigned k = info->num_inputs; k-- > 0;) {
      if (related && k == 1) continue;
      set_state(cache, values[k], rest % STATES);
      rest /= STATES;
    }
    const struct mask holds = ask(&asked, cache, reader, 1, swizzle);
    fwrite(&holds, sizeof(holds), 1, stdout);
  }
}
#endif

int main(int argc, char **argv) {
  glsl_type_singleton_init_or_ref();
  if (argc == 2 && strcmp(argv[1], "names") == 0) {
#define VARIABLE_HELPER(name) printf("variable %s\n", #name);
#define OP_HELPER(name) printf("op %s\n", #name);
#include "helpers.inc"
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "types") == 0) return print_types(), 0;
  if (argc == 2 && strcmp(argv[1], "constants") == 0) {
    struct request request;
    while (fread(&request, sizeof(request), 1, stdin) == 1) answer_request(&request);
    return 0;
  }
#ifndef MESA_26
  if (argc == 2 && strcmp(argv[1], "states") == 0) return print_states(), 0;
  if (argc == 6 && strcmp(argv[1], "transfer") == 0)
    return print_transfer(argv[2], atoi(argv[3]), argv[4], argv[5][0]), 0;
#endif
  fprintf(stderr, "run_helpers: unknown command\n");
  return 2;
}

/* Runs the matcher harness on the rules that are linked into it, and prints one JSON object per line.
 *
 * usage: harness SHADERS SEED PART PARTS FLAGS DENORMALS [SKIPPED_RULE...]
 * Runs about SHADERS shaders, divided equally among the rules. Of each rule's shaders, this process runs every PARTS-th
 * one, starting with number PART. FLAGS is "mixed" or "preserved"; DENORMALS is the sum of 1 (preserved), 2 (flushed),
 * and 4 (either). SIGINT and SIGTERM end the run early; the counts so far are printed. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { VECTORS = 10, CHUNK = 128 };

/* The kinds of differences, from strongest to weakest. */
enum { DIFFERS_PRESERVED, DIFFERS_DENORMALS, DIFFERS_MIXED_FLAGS, DIFFERENCE_KINDS };
static const char *const kind_names[] = {"all preserved", "denormals", "mixed flags"};

struct count {
  uint64_t shaders, applied, determined, vectors, failures[DIFFERENCE_KINDS];
  bool skipped;
};

struct settings settings;

static struct count *counts;
static volatile sig_atomic_t stopped;
static volatile unsigned current_rule;
static volatile uint64_t current_shader;

static void stop(int number) {
  (void)number;
  stopped = 1;
}

static void print_counts(void) {
  for (unsigned i = 0; i < harness_rule_count; i++) {
    if (counts[i].skipped) continue;
    printf("{\"rule\": %u, \"shaders\": %" PRIu64 ", \"applied\": %" PRIu64 ", \"determined\": %" PRIu64
           ", \"vectors\": %" PRIu64,
           i, counts[i].shaders, counts[i].applied, counts[i].determined, counts[i].vectors);
    for (unsigned kind = 0; kind < DIFFERENCE_KINDS; kind++)
      printf(", \"%s\": %" PRIu64, kind_names[kind], counts[i].failures[kind]);
    printf("}\n");
  }
  fflush(stdout);
}

/* Handles failed assertions and faults in the tree's code. Ends the process; the parent starts another process without
 * the rule. */
static void crash(int number) {
  signal(number, SIG_DFL);
  printf("{\"rule\": %u, \"crash\": %d, \"shader\": %" PRIu64 "}\n", current_rule, number, current_shader);
  print_counts();
  _exit(3);
}

static void print_text(const char *text) {
  for (; *text; text++) {
    if (*text == '\n')
      fputs("\\n", stdout);
    else if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else
      putchar(*text);
  }
}

static void print_value(FILE *out, nir_const_value value, unsigned bits, bool as_float) {
  fprintf(out, "0x%0*" PRIx64, bits < 4 ? 1 : (int)bits / 4, bits_of(value, bits));
  if (as_float && is_float_size(bits)) fprintf(out, " (%.9g)", nir_const_value_as_float(value, bits));
}

static unsigned kind_of(const struct program *before) {
  if (!preserves_all(before)) return DIFFERS_MIXED_FLAGS;
  return before->denorms == DENORM_PRESERVE ? DIFFERS_PRESERVED : DIFFERS_DENORMALS;
}

static void report(unsigned number, uint64_t shader, struct program *before, struct program *after,
                   struct difference *difference, struct random *random) {
  char *text;
  size_t size;
  reduce(harness_rule(number), before, after, difference, random);
  FILE *out = open_memstream(&text, &size);
  fprintf(out, "before:\n");
  print_program(out, before);
  fprintf(out, "after:\n");
  print_program(out, after);
  for (unsigned i = 0; i < before->count; i++) {
    const struct instr *instr = &before->instrs[i];
    if (instr->kind != KIND_INPUT || !instr->live) continue;
    fprintf(out, "input base=%u:", instr->number);
    for (unsigned c = 0; c < instr->lanes; c++) {
      fprintf(out, " ");
      print_value(out, difference->vector.lanes[instr->number][c], instr->bits, true);
    }
    fprintf(out, "\n");
  }
  fprintf(out, "output base=%u, component %u: ", difference->output, difference->lane);
  print_value(out, difference->before, difference->bits, true);
  if (difference->state_before & STATE_NAN) fprintf(out, " or another NaN");
  fprintf(out, " before, ");
  print_value(out, difference->after, difference->bits, true);
  fprintf(out, " after\n");
  fclose(out);
  printf("{\"rule\": %u, \"shader\": %" PRIu64 ", \"kind\": \"%s\", \"report\": \"", number, shader,
         kind_names[harness_rule(number)->inexact ? 0 : kind_of(before)]);
  print_text(text);
  printf("\"}\n");
  fflush(stdout);
  free(text);
}

/* Returns the generator's state for one shader, so that a shader depends only on the seed, its rule, and its number. */
static uint64_t mix(uint64_t seed, uint64_t rule, uint64_t shader) {
  uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) ^ (rule + 1) * UINT64_C(0xbf58476d1ce4e5b9) ^
                   (shader + 1) * UINT64_C(0x94d049bb133111eb);
  state = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  state = (state ^ state >> 27) * UINT64_C(0x94d049bb133111eb);
  return (state ^ state >> 31) | 1;
}

static void run_shader(unsigned number, const struct rule_constants *constants, uint64_t shader_number, uint64_t seed) {
  static struct program before, after;
  const struct rule *rule = harness_rule(number);
  struct count *count = &counts[number];
  struct random random = {mix(seed, number, shader_number)};
  enum denorm_mode denorms;
  current_rule = number;
  current_shader = shader_number;
  nir_shader *shader = generate_shader(rule, constants, &random, &denorms);
  if (!shader) return;
  if (count->shaders++ < 50) nir_validate_shader(shader, "before the rule");
  const unsigned first_created = nir_shader_get_entrypoint(shader)->ssa_alloc;
  record_program(shader, denorms, first_created, &before);
  harness_before_pass();
  const bool progress = rule->pass(shader);
  if (progress) {
    count->applied++;
    if (count->applied < 100 || count->applied % 64 == 0) nir_validate_shader(shader, "after the rule");
    record_program(shader, denorms, first_created, &after);
    mark_folded_constants(rule, &before, &after);
  }
  ralloc_free(shader);
  if (!progress || before.malformed || after.malformed) return;
  const bool plain = is_plain(&before, &after);
  bool determined = false;
  for (unsigned i = 0; i < VECTORS; i++) {
    struct vector vector;
    struct difference difference;
    draw_vector(&random, &before, constants, rule->inexact, &vector);
    count->vectors++;
    if (rule->inexact ? !differs_grossly(&before, &after, &vector, &determined, &difference)
                      : !differs_on(&before, &after, &vector, plain ? 1 : 3, &random, &determined, &difference))
      continue;
    if (count->failures[rule->inexact ? 0 : kind_of(&before)]++ == 0)
      report(number, shader_number, &before, &after, &difference, &random);
    determined = true;
    break;
  }
  count->determined += determined;
}

int main(int count, char **arguments) {
  if (count < 7) return 2;
  const uint64_t shaders = strtoull(arguments[1], NULL, 10), seed = strtoull(arguments[2], NULL, 10);
  const unsigned part = atoi(arguments[3]), parts = atoi(arguments[4]);
  settings.mixed_flags = strcmp(arguments[5], "mixed") == 0;
  settings.denormals = atoi(arguments[6]) & 7;
  if (settings.denormals == 0) return 2;
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  signal(SIGSEGV, crash);
  signal(SIGABRT, crash);
  signal(SIGFPE, crash);
  counts = calloc(harness_rule_count, sizeof(*counts));
  for (int i = 7; i < count; i++)
    if ((unsigned)atoi(arguments[i]) < harness_rule_count) counts[atoi(arguments[i])].skipped = true;
  glsl_type_singleton_init_or_ref();
  struct rule_constants *constants = calloc(harness_rule_count, sizeof(*constants));
  for (unsigned i = 0; i < harness_rule_count; i++) find_constants(harness_rule(i), &constants[i]);
  const uint64_t each = (shaders + harness_rule_count - 1) / harness_rule_count;
  for (uint64_t start = 0; start < each && !stopped; start += CHUNK)
    for (unsigned rule = 0; rule < harness_rule_count && !stopped; rule++)
      for (uint64_t i = start; i < MIN2(start + CHUNK, each) && !stopped; i++)
        if (i % parts == part && !counts[rule].skipped) run_shader(rule, &constants[rule], i, seed);
  print_counts();
  return 0;
}

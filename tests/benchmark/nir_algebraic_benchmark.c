/* SPDX-License-Identifier: MIT */
// Measures how long Mesa's nir_opt_algebraic, the `c` format's runtime, and plain dynamic programming take for one
// shader in one run. The dynamic programming uses the runtime's patterns and, like iburg's, has no legality checks.
// nir_algebraic_benchmark.py compiles this file.
// usage: nir_algebraic_benchmark SHADER    (a file from print_benchmark_main)
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nir.h"
#include "nir_builder.h"
#include "tables.h"

enum { REPEATS = 5, CALLS = 40, MOST_SOURCES = 8 };

typedef struct shader {
  uint32_t count, ops, source_count;
  rw_node *nodes;
  uint32_t *sources;
  char (*names)[32];  // the names of the ops
} shader;

static void fail(const char *what, const char *name) {
  fprintf(stderr, "nir_algebraic_benchmark: %s %s\n", what, name);
  exit(1);
}

static shader read_shader(const char *path) {
  shader s = {0};
  FILE *file = fopen(path, "r");
  if (file == NULL || fscanf(file, "%u", &s.count) != 1) fail("cannot read", path);
  s.nodes = calloc(s.count, sizeof *s.nodes);
  s.sources = calloc((size_t)s.count * MOST_SOURCES, sizeof *s.sources);
  s.names = calloc(s.count, sizeof *s.names);
  for (uint32_t n = 0; n < s.count; ++n) {
    rw_node *node = &s.nodes[n];
    unsigned bits, flags, uses, count;
    unsigned long long value;
    if (fscanf(file, "%31s %u %u %u %llx %u", s.names[n], &bits, &flags, &uses, &value, &count) != 6 ||
        count > MOST_SOURCES) {
      fail("bad line in", path);
    }
    node->bits = (uint8_t)bits, node->flags = (uint8_t)flags, node->uses = uses, node->value = value;
    node->sources = &s.sources[(size_t)n * MOST_SOURCES], node->source_count = count;
    for (unsigned k = 0; k < count; ++k) {
      if (fscanf(file, "%u", &s.sources[(size_t)n * MOST_SOURCES + k]) != 1) fail("bad source in", path);
    }
    const bool is_op = strcmp(s.names[n], "constant") != 0 && strcmp(s.names[n], "opaque") != 0;
    node->op = is_op ? rw_find_op(&RW_BENCHMARK_TABLES, s.names[n]) : s.names[n][0] == 'c' ? RW_CONSTANT : RW_OPAQUE;
    if (node->op == RW_UNKNOWN_OP) fail("no rule for", s.names[n]);
    s.ops += is_op, s.source_count += count;
  }
  fclose(file);
  return s;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// The functions from here to time_nir use Mesa.

static nir_op op_called(const char *name) {
  for (unsigned op = 0; op < nir_num_opcodes; ++op) {
    if (strcmp(nir_op_infos[op].name, name) == 0) return (nir_op)op;
  }
  fail("NIR has no op", name);
  return nir_num_opcodes;
}

static nir_shader *nir_of(const shader *s, const nir_shader_compiler_options *options) {
  nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, options, "benchmark");
  nir_def **defs = calloc(s->count, sizeof *defs);
  for (uint32_t n = 0; n < s->count; ++n) {
    const rw_node *node = &s->nodes[n];
    if (node->op == RW_CONSTANT) {
      defs[n] = nir_imm_intN_t(&b, (int64_t)node->value, node->bits);
    } else if (node->op == RW_OPAQUE) {
      nir_def *loaded = nir_load_uniform(&b, 1, node->bits == 1 ? 32 : node->bits, nir_imm_int(&b, (int)(n * 16)));
      defs[n] = node->bits == 1 ? nir_ine_imm(&b, loaded, 0) : loaded;
    } else {
      const nir_op op = op_called(s->names[n]);
      nir_def *sources[MOST_SOURCES];
      for (uint32_t k = 0; k < node->source_count; ++k) sources[k] = defs[node->sources[k]];
      if (nir_op_infos[op].num_inputs != node->source_count) fail("different sources in NIR:", s->names[n]);
      b.exact = (node->flags & RW_EXACT) != 0;
      defs[n] = nir_build_alu_src_arr(&b, op, sources);
      if (defs[n]->bit_size != node->bits) fail("different size in NIR:", s->names[n]);
    }
    if ((node->flags & RW_NEEDED) != 0) {
      nir_def *value = defs[n]->bit_size == 1 ? nir_b2i32(&b, defs[n]) : defs[n];
      nir_store_ssbo(&b, value, nir_imm_int(&b, 0), nir_imm_int(&b, (int)(n * 16)));
    }
  }
  free(defs);
  return b.shader;
}

static unsigned alu_count(nir_shader *nir) {
  unsigned count = 0;
  nir_foreach_function_impl(impl, nir) {
    nir_foreach_block(block, impl) { nir_foreach_instr(instr, block) count += instr->type == nir_instr_type_alu; }
  }
  return count;
}

typedef struct nir_times {
  double first, settled;  // seconds of the first call, and of a call that changes nothing
  unsigned ops, settled_ops, calls;
} nir_times;

static nir_times time_nir(const nir_shader *given) {
  nir_times times = {.first = 1e9, .settled = 1e9};
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    nir_shader *nir = nir_shader_clone(NULL, given);
    bool goes_on = true;
    times.ops = alu_count(nir);
    for (times.calls = 0; goes_on && times.calls < CALLS; ++times.calls) {
      times.settled_ops = alu_count(nir);
      const double start = now();
      goes_on = nir_opt_algebraic(nir);
      const double seconds = now() - start;
      if (times.calls == 0 && seconds < times.first) times.first = seconds;
      if (!goes_on && seconds < times.settled) times.settled = seconds;
      nir_opt_constant_folding(nir);
      nir_opt_dce(nir);
    }
    if (goes_on) fail("still changing after", "40 calls");
    ralloc_free(nir);
  }
  return times;
}

// Labels nodes by plain dynamic programming: computes the least cost of each value over all patterns in all operand
// orders.

typedef struct labels {
  const shader *s;
  double *cost;
  uint32_t variables[RW_VARIABLES];
  const rw_pattern *next;
  unsigned order;
} labels;

static bool covers(labels *l, uint32_t n, bool is_root, double *cost) {
  const rw_pattern *p = l->next++;
  const rw_node *node = &l->s->nodes[n];
  if (p->bits != 0 && p->bits != node->bits) return false;
  if (p->op == RW_CONSTANT) {
    return node->op == RW_CONSTANT && RW_BENCHMARK_TABLES.immediates[p->literal] == node->value;
  }
  if (p->op == RW_ANY_OP) {
    if (l->variables[p->variable] != UINT32_MAX) return l->variables[p->variable] == n;
    l->variables[p->variable] = n;
    *cost += l->cost[n];
    return true;
  }
  if (p->op != node->op || p->source_count != node->source_count || (!is_root && node->uses > 1)) return false;
  const bool swap = (l->order & p->swap) != 0;
  for (unsigned k = 0; k < p->source_count; ++k) {
    if (!covers(l, node->sources[swap && k < 2 ? 1 - k : k], false, cost)) return false;
  }
  return true;
}

static double label_all(labels *l) {
  const rw_tables *t = &RW_BENCHMARK_TABLES;
  double sum = 0;
  for (uint32_t n = 0; n < l->s->count; ++n) {
    const rw_node *node = &l->s->nodes[n];
    l->cost[n] = 0;
    if (node->op >= t->op_count) continue;
    const rw_op *op = &t->ops[node->op];
    double least = DBL_MAX;
    for (const rw_rule *r = &t->rules[op->first_rule]; r < &t->rules[op->first_rule + op->rule_count]; ++r) {
      for (l->order = 0; l->order >> r->commutative == 0; ++l->order) {
        double cost = 0;
        for (unsigned c = 0; c < r->code_count; ++c) {
          cost += t->forms[t->words[t->code[r->first_code + c].word].form].cycles;
        }
        memset(l->variables, 0xff, sizeof l->variables);
        l->next = &t->patterns[r->first_pattern];
        if (covers(l, n, true, &cost) && cost < least) least = cost;
      }
    }
    if (least == DBL_MAX) fail("no pattern for", l->s->names[n]);
    l->cost[n] = node->uses > 1 ? 0 : least;  // a shared value's cost counts once
    sum += node->uses > 1 ? least : 0;
  }
  return sum;
}

int main(int argc, char **argv) {
  if (argc != 2) fail("usage: nir_algebraic_benchmark", "SHADER");
  const shader s = read_shader(argv[1]);
  static const nir_shader_compiler_options options;
  glsl_type_singleton_init_or_ref();
  nir_shader *nir = nir_of(&s, &options);
  const nir_times mesa = time_nir(nir);
  const size_t size = rw_memory(s.count);
  void *memory = malloc(size);
  const rw_driver driver = {0};
  rw_result result;
  labels l = {.s = &s, .cost = calloc(s.count, sizeof(double))};
  double runtime = 1e9, plain = 1e9, sum = 0;
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    double start = now();
    if (rw_select(&RW_BENCHMARK_TABLES, s.nodes, s.count, &driver, memory, size, &result) != RW_OK)
      fail("rw_select", "");
    runtime = now() - start < runtime ? now() - start : runtime;
    start = now();
    sum = label_all(&l);
    plain = now() - start < plain ? now() - start : plain;
  }
  const double thousands = s.ops / 1000.0;
  printf("%s: %u ops, %u instructions, %u uncovered; NIR: %u ALU ops, %u left after %u calls; labeled cost %.0f\n",
         RW_BENCHMARK_TABLES.machine, s.ops, result.instructions, result.uncovered, mesa.ops, mesa.settled_ops,
         mesa.calls, sum);
  printf("ms per 1,000 ops: runtime %.3f, plain labels %.3f, nir_opt_algebraic %.3f (first call), %.3f (settled)\n",
         1e3 * runtime / thousands, 1e3 * plain / thousands, 1e6 * mesa.first / mesa.ops,
         1e6 * mesa.settled / mesa.settled_ops);
  printf("runtime / plain labels %.2f, runtime / first call %.2f, runtime / settled %.2f\n", runtime / plain,
         runtime / thousands / (1e3 * mesa.first / mesa.ops),
         runtime / thousands / (1e3 * mesa.settled / mesa.settled_ops));
  return 0;
}

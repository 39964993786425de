/* SPDX-License-Identifier: MIT */
// Selects code for random DAGs that compilers would rarely create: ops with any number of sources of any size, in any
// block, with any use counts. c_format_test.py compiles this file with sanitizers. Prints the number of DAGs for each
// status.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { NODES = 200, SOURCES = 4 };

static uint64_t state;

static uint32_t below(uint32_t bound) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % bound;
}

static int emit(void *context, uint32_t root, const rw_instruction *i) {
  uint64_t *seen = context;
  *seen += root + i->form->source_count + i->sources[0].ref;
  return 0;
}

static bool fact(void *context, uint16_t name, uint32_t node, uint8_t base) {
  (void)context, (void)name, (void)node, (void)base;
  return below(2) == 0;
}

static bool allows(void *context, uint16_t condition) {
  (void)context, (void)condition;
  return below(2) == 0;
}

static void build(rw_node *nodes, uint32_t (*sources)[SOURCES], bool is_sane) {
  static const uint8_t sizes[] = {1, 8, 16, 32, 32, 32, 64};
  for (uint32_t n = 0; n < NODES; ++n) {
    rw_node *node = &nodes[n];
    memset(node, 0, sizeof *node);
    node->bits = is_sane ? 32 : sizes[below(sizeof sizes)];
    node->flags = (uint8_t)below(128);
    node->uses = below(4), node->block = below(3);
    node->sources = sources[n];
    for (uint32_t k = 0; k < SOURCES; ++k) sources[n][k] = n == 0 ? 0 : below(n);
    const uint32_t kind = n < 4 ? below(2) : below(8);
    node->op = kind == 0 ? RW_CONSTANT : kind == 1 ? RW_OPAQUE : (uint16_t)below(rewrought_intel_gen9.op_count);
    if (kind == 0) node->value = below(3) == 0 ? state : below(70);
    if (kind > 1) node->source_count = 1 + below(is_sane ? 2 : SOURCES);
  }
}

int main(void) {
  static rw_node nodes[NODES];
  static uint32_t sources[NODES][SOURCES];
  unsigned ended[8] = {0};
  uint64_t seen = 0, instructions = 0;
  const rw_driver driver = {.context = &seen, .fact = fact, .allows = allows, .emit = emit};
  for (unsigned seed = 0; seed < 400; ++seed) {
    state = seed;
    rw_result result;
    build(nodes, sources, seed % 2 == 0);
    // Allocate exactly the required size, so that sanitizers detect accesses beyond it. Some DAGs get less memory.
    const size_t enough = rw_memory(NODES), size = seed % 10 == 9 ? enough / 8 : enough;
    void *memory = malloc(size);
    const rw_status status = rw_select(&rewrought_intel_gen9, nodes, NODES, &driver, memory, size, &result);
    ++ended[status];
    instructions += result.instructions;
    free(memory);
  }
  printf("%u well, %u without memory, %u bad; %s\n", ended[RW_OK], ended[RW_NO_MEMORY], ended[RW_BAD_SHADER],
         instructions > 1000 ? "code was selected" : "no code");
  return 0;
}

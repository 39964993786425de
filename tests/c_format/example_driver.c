/* SPDX-License-Identifier: MIT */
// A minimal driver: selects code for four shaders with the sample pack's tables for intel_gen9, and prints it.
// c_format_test.py compiles this file together with the files that the format writes.
#include <stdio.h>
#include <stdlib.h>

#include "tables.h"

static void print_operand(const rw_tables *t, const rw_operand *o, uint64_t bits) {
  switch (o->kind) {
    case RW_IMMEDIATE:
      printf("0x%llx", (unsigned long long)bits);
      break;
    case RW_TEMPORARY:
      printf("%s", t->names[o->ref]);
      break;
    case RW_RESULT:
      printf("r");
      break;
    case RW_NULL:
      printf("null");
      break;
    default:
      printf("%s%u", o->kind == RW_LOADED ? "loaded" : o->kind == RW_MOVED ? "moved" : "v", (unsigned)o->ref);
  }
}

static void print_source(const rw_tables *t, const rw_operand *o, uint64_t bits) {
  const rw_shape *shape = &t->shapes[o->shape];
  for (unsigned m = 0; m < shape->modifier_count; ++m) printf("%s ", t->names[t->modifiers[shape->modifiers[m]].name]);
  print_operand(t, o, bits);
  printf("(%s)", t->names[t->types[shape->type].name]);
}

static int emit(void *context, uint32_t root, const rw_instruction *i) {
  const rw_tables *t = context;
  printf("v%u: %s ", (unsigned)root, t->names[i->form->name]);
  print_operand(t, &i->destination, 0);
  printf("(%s)", t->names[t->types[i->word->type].name]);
  for (unsigned k = 0; k < i->form->source_count; ++k) {
    printf(", ");
    print_source(t, &i->sources[k], i->bits[k]);
  }
  if (i->word->choice != RW_NONE8)
    printf(" .%s", t->names[t->choices[t->selectors[i->form->selector].first_choice + i->word->choice].name]);
  printf("\n");
  return 0;
}

// Builds the DAG of test `which` over the inputs 0 and 1. Returns the number of nodes.
static uint32_t build(const rw_tables *t, char which, rw_node *nodes, uint32_t (*sources)[3]) {
  for (uint32_t n = 0; n < 4; ++n) {
    nodes[n] = (rw_node){.op = RW_OPAQUE, .bits = 32, .uses = 1, .sources = sources[n]};
    sources[n][0] = 0, sources[n][1] = 1, sources[n][2] = 1;
  }
  nodes[2].op = rw_find_op(t, which == 's' ? "ilt" : "iadd"), nodes[2].source_count = 2;
  nodes[3].op = rw_find_op(t, which == 's' ? "bcsel" : "ineg"), nodes[3].source_count = which == 's' ? 3 : 1;
  sources[3][0] = 2, sources[3][1] = 0, nodes[3].flags = RW_NEEDED;
  if (which == 's') nodes[2].bits = 1;
  if (which == 'c') nodes[1].op = RW_CONSTANT, nodes[1].value = 5;  // an immediate
  if (which == 'd') nodes[2].uses = 2, nodes[2].flags = RW_NEEDED;  // a shared value is computed once
  if (which == 'b') sources[2][0] = 3;                              // a source that follows its user
  return 4;
}

int main(int argc, char **argv) {
  const rw_tables *t = &rewrought_intel_gen9;
  const rw_driver driver = {.context = (void *)(uintptr_t)t, .emit = emit};
  for (const char *which = argc > 1 ? argv[1] : "isc"; *which != '\0'; ++which) {
    rw_node nodes[4];
    uint32_t sources[4][3];
    rw_result result;
    const uint32_t count = build(t, *which, nodes, sources);
    const size_t size = rw_memory(count) - (*which == 'm' ? 1 : 0);
    void *memory = malloc(size);
    const rw_status status = rw_select(t, nodes, count, &driver, memory, size, &result);
    printf("%c: status %d, %u instructions, %u uncovered\n", *which, (int)status, (unsigned)result.instructions,
           (unsigned)result.uncovered);
    free(memory);
  }
  return 0;
}

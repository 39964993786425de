/* SPDX-License-Identifier: MIT */
// Instruction selection from tables: matches the DAG of a shader against the rules of tables.c, labels it by dynamic
// programming (tree covering: shared values are computed once) and hands the cheapest instructions to the driver.
// C11, nothing but the standard headers; no allocation but in the memory that the caller gives. rw_ is for Rewrought.
#ifndef REWROUGHT_SELECT_H_
#define REWROUGHT_SELECT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Limits that tables keep to.
enum { RW_SOURCES = 6, RW_CODE = 24, RW_VARIABLES = 16, RW_COVERED = 64, RW_MODIFIERS = 3, RW_STACK = 16 };
// "None" of a field of 8 or 16 bits.
enum { RW_NONE8 = 0xff, RW_NONE16 = 0xffff };

// What an operand is, and what its `ref` counts.
enum {
  RW_NULL,       // no register is written
  RW_IMMEDIATE,  // in tables: an index into `immediates`; in rw_instruction the bits stand in `bits`
  RW_VALUE,      // the value of node `ref`
  RW_LOADED,     // the constant node `ref` in a register: an instruction before gave it
  RW_MOVED,      // the uniform node `ref` in an ordinary register: an instruction before gave it
  RW_TEMPORARY,  // a register of this piece of code alone, named `names[ref]`
  RW_RESULT,     // the value of the root
  RW_VARIABLE    // in tables only: variable `ref` of the rule
};

// rw_operand.flags
enum {
  RW_UNIFORM = 1,       // read from a uniform register
  RW_SWIZZLED = 2,      // not in plain order
  RW_MIXED = 4,         // neither in plain order nor one component for all
  RW_CONSTANTS = 8,     // a component is 0, 1 or a half
  RW_FIXED_PLACE = 16,  // its order of components is not legal in the other of the first two places
  RW_NEGATED = 32       // a component is negated in the swizzle
};

typedef struct rw_operand {
  uint8_t kind, type;  // type: an index into `types`
  uint8_t subscript;   // which part of a wider register; RW_NONE8: all of it
  uint8_t flags;
  uint8_t modifier_count;
  uint8_t modifiers[RW_MODIFIERS];  // indices into `modifiers`, the one applied first comes first
  uint16_t swizzle;                 // 4 bits for each component: 0-3, 4: zero, 5: one, 6: a half
  uint8_t negated, mask;            // a bit for each component; mask 0: all are written
  uint32_t ref;
} rw_operand;

// One instruction of a rule's program.
typedef struct rw_code {
  uint16_t form;
  uint8_t choice, exchanged;    // of the form's selector; the one for exchanged sources
  uint8_t flag_choice;          // condition on the result
  uint8_t flag, predicate;      // indices into `flags`, written and read
  uint8_t inverted, saturated;  // of the predicate; integer saturation
  uint8_t destination_modifiers[2];
  uint16_t first_operand;  // the destination, then the sources
  uint64_t features;       // those that nothing below changes
} rw_code;

// An instruction at one combination of types.
typedef struct rw_form {
  uint16_t name;
  uint8_t result, source_count, commutative, reads_predicate;
  uint8_t instructions, bytes, long_bytes, literal_bytes;
  uint8_t selector, result_selector;        // indices into `selectors`
  uint16_t first_place;                     // one for each source
  uint16_t first_modifier, modifier_count;  // of the destination, in modifier_lists
  uint32_t limits;                          // which of `limits` it is subject to, a bit each
  uint64_t long_when;                       // features that ask for the long form
  double cycles;
} rw_form;

enum { RW_NO_IMMEDIATE, RW_ANY_IMMEDIATE, RW_SET_IMMEDIATE };     // rw_place.immediate
enum { RW_ONLY_IMMEDIATE = 1, RW_NO_UNIFORM = 2, RW_PARTS = 4 };  // rw_place.flags

// What a source of a form takes.
typedef struct rw_place {
  uint8_t type, immediate, set, flags;
  uint16_t first_modifier, modifier_count;  // in modifier_lists
} rw_place;

typedef struct rw_type {
  uint16_t name;
  uint8_t bits;
  uint16_t load;  // the code that loads an immediate of the type
  double load_cost;
  uint64_t features, result_features;
} rw_type;

enum { RW_ON_SOURCE, RW_ON_RESULT, RW_WIDENS, RW_NARROWS };           // rw_modifier.place
enum { RW_OTHER_BITS, RW_FNEG, RW_FABS, RW_INEG, RW_IABS, RW_INOT };  // rw_modifier.bits: what it does to a constant

typedef struct rw_modifier {
  uint16_t name, op;               // op: the IR op that it does
  uint8_t place, order, from, to;  // from, to: types of what widens and narrows
  uint8_t bits;
  uint32_t types;  // that it exists for, a bit each
  uint64_t features, mixed_features;
} rw_modifier;

// What a combination of features may not be.
enum { RW_ALL_OF, RW_COUNTED, RW_DISTINCT };
typedef struct rw_limit {
  uint8_t kind, at_most;
  uint64_t features;
} rw_limit;

// Immediates from one to the other, both included: indices into `immediates`. width 0: of operands of any size.
typedef struct rw_range {
  uint8_t width, is_signed;
  uint16_t from, to;
} rw_range;

typedef struct rw_set {
  uint16_t first_range, range_count;
} rw_set;

typedef struct rw_selector {
  uint16_t name, first_choice, choice_count;
} rw_selector;

typedef struct rw_choice {
  uint16_t name;
  uint64_t features;
} rw_choice;

enum { RW_OP, RW_ANY_VALUE, RW_CONSTANT_VALUE };                     // rw_pattern.kind
enum { RW_COMMUTES = 1, RW_CONSTANT_ONLY = 2, RW_EITHER_ZERO = 4 };  // rw_pattern.flags
// How a value is read, or what kind of op gave it.
enum { RW_ANY_BASE, RW_BASE_BOOL, RW_BASE_INT, RW_BASE_UINT, RW_BASE_FLOAT };

// A node of a rule's search, in prefix order.
typedef struct rw_pattern {
  uint8_t kind, bits;        // bits 0: of any size
  uint8_t flags, fast_math;  // fast_math: RW_NSZ and the others that the node must have
  uint8_t typed;             // the base type of the op that must have given the value
  uint8_t source_count, condition_count;
  uint16_t first_condition;
  uint16_t ref;  // of an op, a variable, an immediate
} rw_pattern;

enum { RW_ASKED, RW_TRUE, RW_FALSE, RW_USED_ONCE };  // rw_condition.otherwise
// A predicate of a value: a constant is decided by `steps`, any other value as `otherwise` says.
typedef struct rw_condition {
  uint16_t name;
  uint8_t base, otherwise;
  uint16_t first_step, step_count;
} rw_condition;

// Steps of a condition push one value of `result` bits. Operands have `width` bits.
enum {
  RW_PUSH_SUBJECT,
  RW_PUSH_VARIABLE,
  RW_PUSH_IMMEDIATE,  // argument: none; a variable bound before; an immediate
  RW_NOT,
  RW_AND,
  RW_OR,
  RW_XOR,
  RW_NEG,
  RW_ADD,
  RW_SUB,
  RW_MUL,
  RW_SHL,
  RW_LSHR,
  RW_ASHR,
  RW_EQ,
  RW_ULT,
  RW_ULE,
  RW_SLT,
  RW_SLE,
  RW_SEXT,
  RW_EXTRACT,  // argument: the lowest bit taken
  RW_ITE,
  RW_FLT,
  RW_FLE,
  RW_FEQ,
  RW_ISNAN,
  RW_ISINF,
  RW_ISZERO,
  RW_FTRUNC,
  RW_STEPS
};
typedef struct rw_step {
  uint8_t what, width, result;
  uint16_t argument;
} rw_step;

enum { RW_INEXACT = 1, RW_FIRST_ONLY = 2 };  // rw_rule.flags
typedef struct rw_rule {
  uint16_t name;       // the entry's id, or the machine's own pattern
  uint16_t condition;  // of the driver's, in `driver_conditions`
  uint16_t first_pattern;
  uint16_t first_code;
  uint8_t code_count, commutative, flags;
} rw_rule;

typedef struct rw_op {
  uint16_t name;
  uint16_t first_rule, rule_count;
  uint8_t base;        // of the result
  uint8_t is_logical;  // gives a Boolean where its sources are Booleans
} rw_op;

typedef struct rw_tables {
  const char *machine, *pack;  // its id, the pack's digest
  const char *const *names;
  const char *const *driver_conditions;  // C text, as Mesa's rules have it
  const uint64_t *immediates;
  const rw_op *ops;
  const rw_rule *rules;
  const rw_pattern *patterns;
  const rw_condition *conditions;
  const rw_step *steps;
  const rw_code *code;
  const rw_operand *operands;
  const rw_form *forms;
  const rw_place *places;
  const uint8_t *modifier_lists;
  const rw_type *types;
  const rw_modifier *modifiers;
  const rw_limit *limits;
  const rw_set *sets;
  const rw_range *ranges;
  const rw_selector *selectors;
  const rw_choice *choices;
  const uint16_t *flags;            // names of flag registers
  const uint8_t *result_modifiers;  // those that do an IR op to a result, in the order in which they are tried
  // Features that the values decide.
  uint64_t immediate, immediate_modified, is_inline, literal, uniform, part, part_above, swizzled, constants;
  const uint64_t *uniform_at, *immediate_at;  // by source
  const uint64_t *immediate_bits;             // by 0: 1 bit, 1: 8, 2: 16, 3: 32, 4: 64
  uint16_t moves[5];                          // by the same: the code that moves a uniform
  double move_costs[5];
  uint16_t op_count, type_count, result_modifier_count;
  bool has_uniforms;
} rw_tables;

// rw_node.op of what is no op of the tables.
enum { RW_CONSTANT = 0xffff, RW_OPAQUE = 0xfffe, RW_UNKNOWN_OP = 0xfffd };
// rw_node.flags
enum { RW_EXACT = 1, RW_NSZ = 4, RW_NNAN = 8, RW_NINF = 16, RW_IS_UNIFORM = 32, RW_NEEDED = 64 };

// A scalar value of the shader; sources stand before their users. On machines with components a vector is one value.
typedef struct rw_node {
  uint16_t op;          // rw_find_op
  uint8_t bits, flags;  // RW_IS_UNIFORM: an opaque value that is the same for all lanes; RW_NEEDED: no op reads it
  uint32_t source_count;
  const uint32_t *sources;  // nodes
  uint32_t uses;            // operands and other readers; 0: dead
  uint32_t block;           // basic block: one piece of code never covers values of two
  uint64_t value;           // of a constant
} rw_node;

typedef struct rw_instruction {
  const rw_form *form;
  uint8_t choice, exchanged, flag_choice, flag, predicate, inverted, saturated, is_exchanged;
  uint8_t destination_modifiers[2];
  uint64_t features;
  rw_operand destination, sources[RW_SOURCES];
  uint64_t bits[RW_SOURCES];  // of immediates
} rw_instruction;

// What the driver implements. Functions that answer 0 or true for "go on"; any may be null.
typedef struct rw_driver {
  void *context;
  // Whether the predicate called names[name] surely holds of a value that is no constant, read as `base`. Null: no.
  bool (*fact)(void *context, uint16_t name, uint32_t node, uint8_t base);
  // Whether driver_conditions[condition] holds. Null: no, so that rules with a condition are not used.
  bool (*allows)(void *context, uint16_t condition);
  // The next instruction of the code that gives node `root`. Constants and uniforms are given before each piece of code
  // that reads them (destinations RW_LOADED and RW_MOVED): a driver keeps one for each block.
  int (*emit)(void *context, uint32_t root, const rw_instruction *instruction);
  // Node `node` is needed and no rule gives it.
  int (*uncovered)(void *context, uint32_t node);
} rw_driver;

typedef struct rw_result {
  double cost;  // of all code: cycles, and instructions / 1024, and bytes / 1048576
  uint32_t instructions, pieces, uncovered;
  size_t memory_used;  // bytes
} rw_result;

typedef enum rw_status {
  RW_OK,
  RW_NO_MEMORY,   // rw_memory says how much is enough
  RW_BAD_SHADER,  // a source that does not stand before its user, or a size that there is not
  RW_TOO_LONG,    // a chain of modifiers beyond RW_COVERED
  RW_STOPPED      // emit or uncovered answered other than 0
} rw_status;

// The index of the op called `name`, RW_UNKNOWN_OP if no rule has it.
uint16_t rw_find_op(const rw_tables *tables, const char *name);

// Bytes that are enough for a shader of so many nodes with so many sources in all.
size_t rw_memory(uint32_t node_count, uint32_t source_count);

// Selects the shader's code and emits it in the order of the nodes. `memory` is aligned as malloc's. Nothing has been
// emitted where the status is neither RW_OK nor RW_STOPPED.
rw_status rw_select(const rw_tables *tables, const rw_node *nodes, uint32_t node_count, const rw_driver *driver,
                    void *memory, size_t memory_size, rw_result *result);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_SELECT_H_

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
enum { RW_SOURCES = 6, RW_CODE = 24, RW_VARIABLES = 16, RW_PATTERNS = 64, RW_MODIFIERS = 3, RW_STEPS = 128 };
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

enum { RW_UNIFORM = 1 };  // rw_operand.flags: read from a uniform register

typedef struct rw_operand {
  uint8_t kind, flags;
  uint8_t subscript;      // which part of a wider register; RW_NONE8: all of it
  uint8_t negated, mask;  // a bit for each component; mask 0: all are written
  uint16_t swizzle;       // 4 bits for each component: 0-3, 4: zero, 5: one, 6: a half
  uint16_t shape;         // of a source: its type and modifiers, an index into `shapes`
  uint32_t ref;
} rw_operand;

enum { RW_ILLEGAL = 1, RW_NO_UNIFORM = 2, RW_ONLY_INLINE = 4 };  // rw_shape.flags
// How a source stands at its place of an instruction, and what can become of it there. The first shape is illegal: it
// stands for what the machine does not have.
typedef struct rw_shape {
  uint8_t type;                     // an index into `types`
  uint8_t flags;                    // RW_ILLEGAL: only on the way to a legal one; RW_ONLY_INLINE: see `set`
  uint8_t modifier_count;           // the one applied first comes first
  uint8_t modifiers[RW_MODIFIERS];  // indices into `modifiers`
  uint8_t fold_count;               // ops that it can take over: in `folds`, in the order in which they are tried
  uint16_t first_fold;
  uint16_t exchanged;       // in the other of the first two places
  uint16_t first_load;      // in `loads`: what gives it a constant, by the constant's size
  uint8_t immediate_sizes;  // a bit for each size of a constant that can be an immediate in its place, by size
  uint16_t immediate;       // the shape of that immediate, whose bits the steps give
  uint16_t first_step, step_count;
  uint16_t set;  // of an immediate: what is inline, and with RW_ONLY_INLINE all that it may be; RW_NONE16: unsaid
  uint64_t features;
} rw_shape;

// What takes over an op: of a shape the op of a source (with a source of `bits` bits; 0: any) and the shape that comes
// of it, of a word an index into `results` and the word.
typedef struct rw_fold {
  uint16_t what, to;
  uint8_t bits;
} rw_fold;

// An instruction but for its operands.
typedef struct rw_word {
  uint16_t form;
  uint8_t type;                 // of the destination
  uint8_t choice;               // of the form's selector
  uint8_t flag_choice;          // condition on the result
  uint8_t flag, predicate;      // indices into `flags`, written and read
  uint8_t inverted, saturated;  // of the predicate; integer saturation
  uint8_t destination_modifiers[2];
  uint8_t fold_count;  // ops on the result that it can take over
  uint16_t first_fold;
  uint16_t exchanged;  // the word that says the same of the first two sources exchanged
  uint64_t features;   // but those of its sources
} rw_word;

// One instruction of a rule's program.
typedef struct rw_code {
  uint16_t word;
  uint16_t first_operand;  // the destination, then the sources
} rw_code;

// An instruction at one combination of types.
typedef struct rw_form {
  uint16_t name;
  uint8_t source_count;
  uint8_t instructions, bytes, long_bytes, literal_bytes;
  uint8_t selector, result_selector;  // indices into `selectors`
  uint32_t limits;                    // which of `limits` it is subject to, a bit each
  uint64_t long_when;                 // features that ask for the long form
  double cycles;
} rw_form;

typedef struct rw_type {
  uint16_t name;
  uint8_t bits;
} rw_type;

// What gives a constant or a uniform a register. They stand in fives, for 1, 8, 16, 32 and 64 bits; the first five move
// uniforms.
typedef struct rw_load {
  uint16_t code;  // RW_NONE16: nothing does
  double cost;
} rw_load;

typedef struct rw_modifier {
  uint16_t name, op;  // op: the IR op that it does
} rw_modifier;

// An op that some instructions do to their results; those of one op in the order in which they are tried.
typedef struct rw_on_result {
  uint16_t op;
  uint8_t bits, modifier;  // bits: of what is given, 0: any
} rw_on_result;

// How many of `features` an instruction may have at most: kinds of them, all that it and its sources have, or values
// that have any.
enum { RW_KINDS, RW_ALL, RW_DISTINCT };
typedef struct rw_limit {
  uint8_t counted, at_most;
  uint64_t features;
} rw_limit;

// Immediates from one to the other, both included: indices into `immediates`.
typedef struct rw_range {
  uint16_t from, to;
} rw_range;

// Its ranges stand in order and apart.
typedef struct rw_set {
  uint16_t first_range, range_count;
} rw_set;

typedef struct rw_selector {
  uint16_t name, first_choice, choice_count;
} rw_selector;

typedef struct rw_choice {
  uint16_t name;
} rw_choice;

// rw_node.op and rw_pattern.op of what is no op of the tables.
enum { RW_CONSTANT = 0xffff, RW_OPAQUE = 0xfffe, RW_UNKNOWN_OP = 0xfffd, RW_ANY_OP = 0xfffc };
// How a value is read, or what kind of op gave it.
enum { RW_ANY_BASE, RW_BASE_BOOL, RW_BASE_INT, RW_BASE_UINT, RW_BASE_FLOAT };

// A node of a rule's search, in prefix order.
typedef struct rw_pattern {
  uint8_t bits;       // 0: of any size
  uint8_t swap;       // the bit of the order of operands that exchanges its first two sources; 0: none
  uint8_t fast_math;  // RW_NSZ and the others that the node must have
  uint8_t typed;      // the base type of the op that must have given the value
  uint8_t variable;   // RW_NONE8: none
  uint8_t source_count, condition_count;
  uint16_t first_condition;
  uint16_t op;       // RW_ANY_OP: whatever gives the value
  uint16_t literal;  // in `immediates`: the bits of the constant; RW_NONE16: any
} rw_pattern;

enum { RW_ASKED, RW_TRUE, RW_FALSE, RW_USED_ONCE };  // rw_condition.otherwise
// A predicate of a value: a constant is decided by `steps`, any other value as `otherwise` says.
typedef struct rw_condition {
  uint16_t name;
  uint8_t base, otherwise;
  uint16_t first_step, step_count;
} rw_condition;

// A step gives one value of `result` bits from values before it; the last one's is what is asked for. First come the
// constants of all RW_VARIABLES, bound before, then the constant in question, then what the steps give. What they say
// of signs and floats the tables have made of these.
enum {
  RW_AND,
  RW_OR,
  RW_XOR,
  RW_ADD,
  RW_SUB,
  RW_MUL,
  RW_SHL,
  RW_SHR,  // zeros move in
  RW_EQ,
  RW_LESS,    // unsigned
  RW_CHOOSE,  // the second where the first is not 0, else the third
  RW_NUMBER,  // argument: an index into `immediates`
};
typedef struct rw_step {
  uint8_t what, result;
  uint8_t from[3];  // values
  uint16_t argument;
} rw_step;

typedef struct rw_rule {
  uint16_t name;       // the entry's id, or the machine's own pattern
  uint16_t condition;  // of the driver's, in `driver_conditions`
  uint16_t first_pattern;
  uint16_t first_code;
  uint8_t code_count, commutative;
  uint8_t most;     // orders of operands in which it fits that are tried; 1: an entry of the pack
  uint8_t without;  // RW_EXACT: only where no matched node is exact
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
  const rw_word *words;
  const rw_operand *operands;
  const rw_shape *shapes;
  const rw_fold *folds;
  const rw_form *forms;
  const rw_type *types;
  const rw_load *loads;
  const rw_modifier *modifiers;
  const rw_limit *limits;
  const rw_set *sets;
  const rw_range *ranges;
  const rw_selector *selectors;
  const rw_choice *choices;
  const uint16_t *flags;  // names of flag registers
  const rw_on_result *results;
  const uint64_t *uniform_at;   // features of a uniform, by source
  uint64_t is_inline, literal;  // features of immediates
  uint16_t op_count, result_count;
  bool has_uniforms;
} rw_tables;

// rw_node.flags
enum { RW_EXACT = 1, RW_NSZ = 4, RW_NNAN = 8, RW_NINF = 16, RW_IS_UNIFORM = 32, RW_NEEDED = 64 };

// A scalar value of the shader; sources stand before their users. On machines with components a vector is one value.
typedef struct rw_node {
  uint16_t op;          // rw_find_op, RW_CONSTANT, RW_OPAQUE
  uint8_t bits, flags;  // RW_IS_UNIFORM: an opaque value that is the same for all lanes; RW_NEEDED: no op reads it
  uint32_t source_count;
  const uint32_t *sources;  // nodes
  uint32_t uses;            // operands and other readers, which share what gives it a register; 0: dead
  uint32_t block;           // basic block: one piece of code never covers values of two
  uint64_t value;           // of a constant
} rw_node;

typedef struct rw_instruction {
  const rw_form *form;
  const rw_word *word;
  rw_operand destination, sources[RW_SOURCES];
  uint64_t bits[RW_SOURCES];  // of immediates
  uint32_t bytes;             // of its code, literals included
  bool is_exchanged;          // the first two sources stand the other way round than the rule has them
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
  RW_BAD_SHADER,  // a source that does not stand before its user, or a size other than 1, 8, 16, 32, 64 bits
  RW_STOPPED      // emit or uncovered answered other than 0
} rw_status;

// The index of the op called `name`, RW_UNKNOWN_OP if no rule has it.
uint16_t rw_find_op(const rw_tables *tables, const char *name);

// Bytes that are enough for a shader of so many nodes.
size_t rw_memory(uint32_t node_count);

// Selects the shader's code and emits it in the order of the nodes. `memory` is aligned as malloc's. Nothing has been
// emitted where the status is neither RW_OK nor RW_STOPPED.
rw_status rw_select(const rw_tables *tables, const rw_node *nodes, uint32_t node_count, const rw_driver *driver,
                    void *memory, size_t memory_size, rw_result *result);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_SELECT_H_

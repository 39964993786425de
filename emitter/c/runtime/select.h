/* SPDX-License-Identifier: MIT */
// Instruction selection from tables. Matches the DAG of a shader against the rules of tables.c, labels it by dynamic
// programming (tree covering, which computes shared values once), and passes the cheapest instructions to the driver.
// The code is C11, needs only standard headers, and uses only the caller's memory. The prefix rw_ is short for
// Rewrought.
#ifndef REWROUGHT_SELECT_H_
#define REWROUGHT_SELECT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Limits of the tables.
enum { RW_SOURCES = 6, RW_CODE = 24, RW_VARIABLES = 16, RW_PATTERNS = 64, RW_MODIFIERS = 3, RW_STEPS = 128 };
// The values that mean "none" in 8-bit and 16-bit fields.
enum { RW_NONE8 = 0xff, RW_NONE16 = 0xffff };

// The kinds of operands, with the meaning of `ref`.
enum {
  RW_NULL,       // No register is written.
  RW_IMMEDIATE,  // In tables, an index into `immediates`; for an rw_instruction, see `bits`.
  RW_VALUE,      // The value of node `ref`.
  RW_LOADED,     // The constant node `ref`, which was loaded into a register.
  RW_MOVED,      // The uniform node `ref`, which was moved into an ordinary register.
  RW_TEMPORARY,  // A register that only this piece of code uses, called `names[ref]`.
  RW_RESULT,     // The value of the root.
  RW_VARIABLE    // In tables only: variable `ref` of the rule.
};

enum { RW_UNIFORM = 1 };  // rw_operand.flags: a uniform register.

typedef struct rw_operand {
  uint8_t kind, flags;
  uint8_t subscript;      // The part of a wider register; RW_NONE8 means the whole register.
  uint8_t negated, mask;  // One bit per component; mask 0 writes all components.
  uint16_t swizzle;       // 4 bits per component: 0 to 3 mean a component, 4 means 0, 5 means 1, and 6 means 0.5.
  uint16_t shape;         // The type and modifiers of a source, as an index into `shapes`.
  uint32_t ref;
} rw_operand;

enum { RW_ILLEGAL = 1, RW_NO_UNIFORM = 2, RW_ONLY_INLINE = 4 };  // rw_shape.flags
// The form of a source at its position, with transitions to other forms. The first shape is illegal and represents
// missing forms.
typedef struct rw_shape {
  uint8_t type;                     // Index into `types`.
  uint8_t flags;                    // RW_ILLEGAL marks an intermediate form. RW_ONLY_INLINE: see `set`.
  uint8_t modifier_count;           // The modifiers are in order of application.
  uint8_t modifiers[RW_MODIFIERS];  // Indices into `modifiers`.
  uint8_t fold_count;               // `folds` are in the order in which they are tried.
  uint16_t first_fold;
  uint16_t exchanged;       // The shape after the first two sources are exchanged.
  uint16_t first_load;      // Index into `loads`, to which the index of the constant's size is added.
  uint8_t immediate_sizes;  // One bit per size of constants that can be immediates here.
  uint16_t immediate;       // The shape of such an immediate, whose bits the steps compute.
  uint16_t first_step, step_count;
  // The inline immediates, or all allowed immediates if RW_ONLY_INLINE is set; RW_NONE16 means no restriction.
  uint16_t set;
  uint64_t features;
} rw_shape;

// Folds an op. For a shape, `what` is an op with a source of `bits` bits (0 means any), and `to` is the resulting
// shape. For a word, `what` is an index into `results`, and `to` is the resulting word.
typedef struct rw_fold {
  uint16_t what, to;
  uint8_t bits;
} rw_fold;

// An instruction without its operands.
typedef struct rw_word {
  uint16_t form;
  uint8_t type;                 // The type of the destination.
  uint8_t choice;               // The choice of the form's selector.
  uint8_t flag_choice;          // The choice for the condition on the result.
  uint8_t flag, predicate;      // Indices into `flags`: the flag that is written, and the flag that is read.
  uint8_t inverted, saturated;  // The predicate is inverted; the instruction saturates integers.
  uint8_t destination_modifiers[2];
  uint8_t fold_count;  // The number of ops that can be folded into the result.
  uint16_t first_fold;
  uint16_t exchanged;  // The equivalent word if the first two sources are exchanged.
  uint64_t features;   // Without the features of the sources.
} rw_word;

// One instruction of a rule's program.
typedef struct rw_code {
  uint16_t word;
  uint16_t first_operand;  // The destination, followed by the sources.
} rw_code;

// An instruction with one combination of types.
typedef struct rw_form {
  uint16_t name;
  uint8_t source_count;
  uint8_t instructions, bytes, long_bytes, literal_bytes;
  uint8_t selector, result_selector;  // Indices into `selectors`.
  uint32_t limits;                    // One bit for each of `limits` that applies.
  uint64_t long_when;                 // The features that require the long encoding.
  double cycles;
} rw_form;

typedef struct rw_type {
  uint16_t name;
  uint8_t bits;
} rw_type;

// Code that loads a constant or moves a uniform into a register. Rows are in groups of five, for 1, 8, 16, 32, and 64
// bits; the first group moves uniforms.
typedef struct rw_load {
  uint16_t code;  // RW_NONE16 if there is no such code.
  double cost;
} rw_load;

typedef struct rw_modifier {
  uint16_t name, op;  // `op` is the equivalent IR op.
} rw_modifier;

// An op that some instructions can apply to their results. Rows with the same op are in the order in which they are
// tried.
typedef struct rw_on_result {
  uint16_t op;
  uint8_t bits, modifier;  // `bits` is the size of the result; 0 means any.
} rw_on_result;

// Limits how often `features` may occur in an instruction. RW_KINDS counts different features, RW_ALL counts the
// features of the instruction and of each source, and RW_DISTINCT counts the distinct values that have any of the
// features.
enum { RW_KINDS, RW_ALL, RW_DISTINCT };
typedef struct rw_limit {
  uint8_t counted, at_most;
  uint64_t features;
} rw_limit;

// A range of immediates. Both bounds are inclusive and are indices into `immediates`.
typedef struct rw_range {
  uint16_t from, to;
} rw_range;

// A set of disjoint ascending ranges.
typedef struct rw_set {
  uint16_t first_range, range_count;
} rw_set;

typedef struct rw_selector {
  uint16_t name, first_choice, choice_count;
} rw_selector;

typedef struct rw_choice {
  uint16_t name;
} rw_choice;

// Values of rw_node.op and rw_pattern.op that are not ops of the tables.
enum { RW_CONSTANT = 0xffff, RW_OPAQUE = 0xfffe, RW_UNKNOWN_OP = 0xfffd, RW_ANY_OP = 0xfffc };
// The type of a read, or the base type of an op.
enum { RW_ANY_BASE, RW_BASE_BOOL, RW_BASE_INT, RW_BASE_UINT, RW_BASE_FLOAT };

// A node of a rule's pattern, in prefix order.
typedef struct rw_pattern {
  uint8_t bits;       // 0 means any size.
  uint8_t swap;       // The bit in the order of operands that exchanges the first two sources; 0 means none.
  uint8_t fast_math;  // Required flags, such as RW_NSZ.
  uint8_t typed;      // Required base type of the value's op.
  uint8_t variable;   // RW_NONE8 means none.
  uint8_t source_count, condition_count;
  uint16_t first_condition;
  uint16_t op;       // RW_ANY_OP matches any definition.
  uint16_t literal;  // Index of the constant's bits in `immediates`; RW_NONE16 means any.
} rw_pattern;

enum { RW_ASKED, RW_TRUE, RW_FALSE, RW_USED_ONCE };  // rw_condition.otherwise
// A predicate on a value, decided by `steps` for a constant and by `otherwise` for other values.
typedef struct rw_condition {
  uint16_t name;
  uint8_t base, otherwise;
  uint16_t first_step, step_count;
} rw_condition;

// A step computes a value of `result` bits from earlier values; the last step is the condition. Values are, in order:
// the constants of all RW_VARIABLES variables, the tested constant, and the results of steps. The tables express signs
// and floats with these operations.
enum {
  RW_AND,
  RW_OR,
  RW_XOR,
  RW_ADD,
  RW_SUB,
  RW_MUL,
  RW_SHL,
  RW_SHR,  // Logical.
  RW_EQ,
  RW_LESS,    // Unsigned.
  RW_CHOOSE,  // The second operand if the first is nonzero, else the third.
  RW_NUMBER,  // `argument` is an index into `immediates`.
};
typedef struct rw_step {
  uint8_t what, result;
  uint8_t from[3];  // Indices of values.
  uint16_t argument;
} rw_step;

typedef struct rw_rule {
  uint16_t name;       // The entry's id, or the machine's own pattern.
  uint16_t condition;  // Index into `driver_conditions`.
  uint16_t first_pattern;
  uint16_t first_code;
  uint8_t code_count, commutative;
  uint8_t most;     // Maximum number of matching operand orders to try; 1 for an entry of the pack.
  uint8_t without;  // If this is RW_EXACT, no matched node may be exact.
} rw_rule;

typedef struct rw_op {
  uint16_t name;
  uint16_t first_rule, rule_count;
  uint8_t base;        // The base type of the result.
  uint8_t is_logical;  // The result is a Boolean if the sources are Booleans.
} rw_op;

typedef struct rw_tables {
  const char *machine, *pack;  // The machine's id and the pack's digest.
  const char *const *names;
  const char *const *driver_conditions;  // C text as in Mesa's rules.
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
  const uint16_t *flags;  // Names of flag registers.
  const rw_on_result *results;
  const uint64_t *uniform_at;   // The features of a uniform, by source.
  uint64_t is_inline, literal;  // The features of immediates.
  uint16_t op_count, result_count;
  bool has_uniforms;
} rw_tables;

// rw_node.flags
enum { RW_EXACT = 1, RW_NSZ = 4, RW_NNAN = 8, RW_NINF = 16, RW_IS_UNIFORM = 32, RW_NEEDED = 64 };

// A scalar value of the shader. Sources precede their users. On machines with components, a vector is one value.
typedef struct rw_node {
  uint16_t op;  // From rw_find_op, or RW_CONSTANT or RW_OPAQUE.
  // RW_IS_UNIFORM: opaque and shared by all lanes. RW_NEEDED: has users other than ops.
  uint8_t bits, flags;
  uint32_t source_count;
  const uint32_t *sources;  // Indices of nodes.
  uint32_t uses;   // The number of users (operands and others), which share the value's register; 0 means dead.
  uint32_t block;  // The basic block. A piece of code never covers values of two blocks.
  uint64_t value;  // The bits of a constant.
} rw_node;

typedef struct rw_instruction {
  const rw_form *form;
  const rw_word *word;
  rw_operand destination, sources[RW_SOURCES];
  uint64_t bits[RW_SOURCES];  // The bits of immediates.
  uint32_t bytes;             // Code size, including literals.
  bool is_exchanged;          // The first two sources are exchanged relative to the rule.
} rw_instruction;

// The driver's callbacks, which may be null. `emit` and `uncovered` return 0 to continue.
typedef struct rw_driver {
  void *context;
  // Returns whether predicate names[name] is known to hold for a nonconstant value read as `base`. Null means false.
  bool (*fact)(void *context, uint16_t name, uint32_t node, uint8_t base);
  // Returns whether driver_conditions[condition] holds. Null means false.
  bool (*allows)(void *context, uint16_t condition);
  // Receives the next instruction of the code for node `root`. Loads of constants and moves of uniforms (destinations
  // RW_LOADED and RW_MOVED) precede each piece of code that reads them; a driver keeps one copy per block.
  int (*emit)(void *context, uint32_t root, const rw_instruction *instruction);
  // Receives a needed node that no rule covers.
  int (*uncovered)(void *context, uint32_t node);
} rw_driver;

typedef struct rw_result {
  double cost;  // Cycles, plus instructions / 1024, plus bytes / 1048576.
  uint32_t instructions, pieces, uncovered;
  size_t memory_used;  // Bytes.
} rw_result;

typedef enum rw_status {
  RW_OK,
  RW_NO_MEMORY,   // See rw_memory.
  RW_BAD_SHADER,  // A source after its user, or a size other than 1, 8, 16, 32, or 64 bits.
  RW_STOPPED      // `emit` or `uncovered` returned a nonzero value.
} rw_status;

// Returns the index of the op, or RW_UNKNOWN_OP if no rule uses it.
uint16_t rw_find_op(const rw_tables *tables, const char *name);

// Returns the number of bytes of memory that rw_select needs for `node_count` nodes.
size_t rw_memory(uint32_t node_count);

// Selects the shader's code and emits it in node order. `memory` must be aligned like the result of malloc. Nothing is
// emitted unless the status is RW_OK or RW_STOPPED.
rw_status rw_select(const rw_tables *tables, const rw_node *nodes, uint32_t node_count, const rw_driver *driver,
                    void *memory, size_t memory_size, rw_result *result);

#ifdef __cplusplus
}
#endif

#endif  // REWROUGHT_SELECT_H_

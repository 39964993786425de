/* Declares the types and functions that the parts of the matcher harness share.
 *
 * The harness instantiates the search pattern of a rule as a random NIR shader, runs the rule's pass on the shader with
 * the matcher of a Mesa tree, and compares the results of the shader before and after the pass. docs/driver_rig.md
 * describes what counts as a difference. */
#ifndef REWROUGHT_TOOLS_DRIVER_RIG_MATCHER_HARNESS_H_
#define REWROUGHT_TOOLS_DRIVER_RIG_MATCHER_HARNESS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nir.h"
#include "nir_builder.h"
#include "nir_constant_expressions.h"
#include "nir_search.h"

/* The nir_instr::pass_flags of an instruction that matches a node of the rule with nsz, until the rule's pass runs. */
enum { NAMES_NSZ = 2 };

enum {
  MAX_INSTRS = 160,
  MAX_LANES = 16,
  MAX_INPUTS = 24,
  MAX_OUTPUTS = 12,
  MAX_RULE_CONSTANTS = 16,
};

/* The flags of an instruction that preserves NaN, infinities, and signed zeros. */
#define ALL_PRESERVED (PRESERVE_SIGNED_ZERO | PRESERVE_INF | PRESERVE_NAN)

/* A rule and the pass that applies only this rule. The generated C code lists all rules. */
struct rule {
  bool (*pass)(nir_shader *shader);
  const nir_algebraic_table *table;
  unsigned search; /* the index of the search pattern in table->values */
  bool inexact;    /* a node of the search pattern carries `~` */
};
/* Returns the index of the replacement in table->values. */
unsigned replacement_of(const struct rule *rule);
extern const struct rule *const harness_files[]; /* the rules of each generated file */
extern const unsigned harness_rules_a_file, harness_rule_count;
static inline const struct rule *harness_rule(unsigned number) {
  return &harness_files[number / harness_rules_a_file][number % harness_rules_a_file];
}
/* Resets the state that the predicates of a pack keep between passes. */
void harness_before_pass(void);
/* Lists the ops, as "name" or "name@bits", whose constant folding in the tree differs from their meaning. */
extern const char *const harness_misfolded[];
/* Returns whether harness_misfolded contains the op at this size of its unsized operands. */
bool is_misfolded_op(nir_op op, unsigned bits);

/* A random number generator (xorshift64*). */
struct random {
  uint64_t state;
};
uint64_t random_bits(struct random *random);
/* Returns a number from 0 to limit - 1. */
unsigned random_below(struct random *random, unsigned limit);
/* Returns true with a probability of `percent` percent. */
bool random_chance(struct random *random, unsigned percent);

/* The treatment of denormals; see docs/float_contract.md, section 3. */
enum denorm_mode { DENORM_PRESERVE, DENORM_FLUSH, DENORM_ANY };

enum kind { KIND_INPUT, KIND_CONSTANT, KIND_ALU, KIND_STORE };

struct instr {
  enum kind kind;
  nir_op op;
  uint8_t bits, lanes, source_count;
  bool no_signed_wrap, no_unsigned_wrap;
  bool created;      /* the rule created the instruction */
  bool live;         /* a store reads it, directly or indirectly */
  uint16_t uses;     /* the number of operands of live instructions that read it */
  uint16_t flags;    /* flags_of (nir25.h, nir26.h) */
  uint8_t number;    /* the number of an input or of a store */
  uint8_t base_type; /* the base type that a user expects the value to have; 0 if unknown */
  bool misfolded;    /* the tree's folding of this instruction differs from its meaning */
  bool names_nsz;    /* the rule requires that the instruction lacks PRESERVE_SIGNED_ZERO */
  uint16_t source[MAX_LANES];
  uint8_t swizzle[MAX_LANES][MAX_LANES];
  nir_const_value value[MAX_LANES]; /* the value of a constant */
};

/* A straight-line shader in a form that can be evaluated, changed, and converted back to NIR. */
struct program {
  unsigned count, inputs, outputs;
  enum denorm_mode denorms;
  unsigned execution_mode;
  bool malformed; /* a program cannot represent the shader */
  struct instr instrs[MAX_INSTRS];
};

/* Converts the shader to a program. The rule created the values whose index is at least `first_created`. */
void record_program(nir_shader *shader, enum denorm_mode denorms, unsigned first_created, struct program *program);
/* Marks the constants that the rule created as misfolded if the matcher may have folded a replacement with an op that
 * the tree misfolds. */
void mark_folded_constants(const struct rule *rule, const struct program *before, struct program *after);
nir_shader *build_program(const struct program *program);
void print_program(FILE *out, const struct program *program);
/* Marks the instructions that stores need and counts the inputs and outputs. */
void find_live(struct program *program);
unsigned execution_mode_of(enum denorm_mode denorms, bool preserve);
nir_shader *new_shader(nir_builder *builder, unsigned execution_mode);
nir_def *load_value(nir_builder *builder, unsigned lanes, unsigned bits, nir_def *offset, unsigned number);
void store_value(nir_builder *builder, nir_def *value, nir_def *offset, unsigned number);

/* The values of each input's lanes, by the input's number. */
struct vector {
  nir_const_value lanes[MAX_INPUTS][MAX_LANES];
};

/* Flags of a value. UNKNOWN: it may be any value. NAN: it may be any NaN. MISFOLDED: it depends on an instruction whose
 * folding differs from its meaning. ZERO: each user may read either zero. CHOSEN: it depends on the choice of an
 * undefined Boolean, and may have another value for another user. */
enum { STATE_KNOWN = 0, STATE_UNKNOWN = 1, STATE_NAN = 2, STATE_MISFOLDED = 4, STATE_ZERO = 8, STATE_CHOSEN = 16 };

struct result {
  nir_const_value lanes[MAX_LANES];
  uint8_t states[MAX_LANES];
  uint8_t bits, lane_count;
  bool is_float; /* the result of a float operation */
};

struct difference {
  unsigned output, lane;
  struct vector vector;
  nir_const_value before, after;
  uint8_t state_before;
  unsigned bits;
};

/* The values that an instruction reads from one source. */
struct operand {
  uint64_t pattern[MAX_LANES];
  uint8_t state[MAX_LANES];
  uint8_t lane[MAX_LANES]; /* the component of instruction `source` that has the value */
  unsigned source, count, bits, base;
};

/* Returns whether the result is poison, apart from what fold_op reports. Ignores the flags for overflow. */
bool is_poison_op(const struct instr *instr, const struct operand *operands);
/* Determines whether the flags allow the instruction to ignore the sign of zero, NaN, and infinities. */
void find_freedom(const struct instr *instr, const struct operand *operands, bool *zero, bool *nan, bool *inf);
/* Returns whether the result, which is the smallest normal number, may be a denormal that was rounded up. A device may
 * flush such a result. */
bool may_be_rounded_denormal(const struct instr *instr, const struct operand *operands);
/* Returns whether a zero result of the op may have either sign, whatever the instruction's flags are. */
bool leaves_sign_open(const struct instr *instr, const struct operand *operands);

/* Compares both programs on one vector: `before` must allow every result of `after`. Evaluates `after` `samples` times,
 * with choices drawn from `random`. Returns true and describes the difference if there is one. Sets *determined if
 * `before` has a definite result in at least one compared lane. */
bool differs_on(const struct program *before, const struct program *after, const struct vector *vector,
                unsigned samples, struct random *random, bool *determined, struct difference *difference);

/* Compares the float outputs of both programs, for a rule that changes rounding. Tolerates differences of up to a
 * thousandth of the largest value that either program computes, or three hundredths if a value has 16 bits. Ignores
 * vectors for which this value is very small or very large, because results may then overflow or underflow. */
bool differs_grossly(const struct program *before, const struct program *after, const struct vector *vector,
                     bool *determined, struct difference *difference);
/* Computes the value of instruction `index` with the usual outcome of each choice. Returns false if the value may be
 * any value or depends on a misfolded instruction. */
bool natural_value(const struct program *program, const struct vector *vector, unsigned index, nir_const_value *lanes);

struct rule_constants {
  unsigned count;
  struct {
    bool is_float;
    double number;
    uint64_t bits;
  } at[MAX_RULE_CONSTANTS];
};
void find_constants(const struct rule *rule, struct rule_constants *constants);
uint64_t draw_value(struct random *random, unsigned bits, unsigned base_type, const struct rule_constants *constants);
/* Draws the inputs of the program. If `moderate` is set, floats have magnitudes from 1/16 to 16. */
void draw_vector(struct random *random, const struct program *program, const struct rule_constants *constants,
                 bool moderate, struct vector *vector);

/* The properties that the harness varies, as set on the command line. */
struct settings {
  bool mixed_flags;   /* the instructions of a shader may preserve different properties */
  unsigned denormals; /* the set of modes, as bits 1 << denorm_mode */
};
extern struct settings settings;

/* Builds a random shader for `rule`, or returns NULL if the drawn sizes fit no instance of the pattern. */
nir_shader *generate_shader(const struct rule *rule, const struct rule_constants *constants, struct random *random,
                            enum denorm_mode *denorms);

/* Runs the pass of `rule` on the NIR of `before` and records the outcome. Returns whether the pass made progress. */
bool apply_rule(const struct rule *rule, const struct program *before, struct program *after);
/* Reduces `before` to a small program whose result the rule still changes, and updates the other arguments. */
void reduce(const struct rule *rule, struct program *before, struct program *after, struct difference *difference,
            struct random *random);

/* Returns whether every float operation preserves NaN, infinities, and signed zeros. */
bool preserves_all(const struct program *program);

static inline uint64_t mask_of(unsigned bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }
static inline uint64_t bits_of(nir_const_value value, unsigned bits) {
  return bits == 1 ? value.b : bits == 64 ? value.u64 : value.u64 & mask_of(bits);
}
static inline nir_const_value value_of(uint64_t pattern, unsigned bits) {
  nir_const_value value;
  value.u64 = 0;
  if (bits == 1)
    value.b = pattern & 1;
  else
    value.u64 = pattern & mask_of(bits);
  return value;
}
static inline bool is_float_size(unsigned bits) { return bits == 16 || bits == 32 || bits == 64; }
static inline uint64_t sign_bit(unsigned bits) { return UINT64_C(1) << (bits - 1); }
static inline uint64_t infinity_of(unsigned bits) {
  return bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
}
static inline uint64_t smallest_normal(unsigned bits) {
  return bits == 16 ? 0x0400 : bits == 32 ? 0x00800000 : UINT64_C(0x0010000000000000);
}
static inline bool is_nan_pattern(uint64_t pattern, unsigned bits) {
  return is_float_size(bits) && (pattern & ~sign_bit(bits) & mask_of(bits)) > infinity_of(bits);
}
static inline bool is_inf_pattern(uint64_t pattern, unsigned bits) {
  return is_float_size(bits) && (pattern & ~sign_bit(bits) & mask_of(bits)) == infinity_of(bits);
}
static inline bool is_zero_pattern(uint64_t pattern, unsigned bits) {
  return (pattern & ~sign_bit(bits) & mask_of(bits)) == 0;
}
static inline bool is_denormal_pattern(uint64_t pattern, unsigned bits) {
  const uint64_t magnitude = pattern & ~sign_bit(bits) & mask_of(bits);
  return is_float_size(bits) && magnitude != 0 && magnitude < smallest_normal(bits);
}
static inline unsigned base_of(nir_alu_type type) { return nir_alu_type_get_base_type(type); }
static inline int64_t signed_of(uint64_t pattern, unsigned bits) {
  return bits == 64 ? (int64_t)pattern : (int64_t)(pattern << (64 - bits)) >> (64 - bits);
}
static inline double number_of(uint64_t pattern, unsigned bits) {
  return nir_const_value_as_float(value_of(pattern, bits), bits);
}

/* What depends on the version of Mesa: nir25.h or nir26.h. */
#include DIALECT_HEADER

#endif

"""Writes Mesa's constant evaluator as self-contained C, using the tree's own generator.

usage: generate.py NIR_DIR OUT_DIR    (needs a python3 that has mako)

OUT_DIR/evaluator.c consists of the output of nir_constant_expressions.py and of functions that call this output by an
op's name. A small replacement for nir.h contains only the declarations that evaluator.c needs.
"""
import contextlib
import io
import os
import re
import runpy
import sys

NIR_H = """#pragma once
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/half_float.h"
#include "util/macros.h"
typedef uint16_t nir_component_mask_t;
typedef union {
   bool b; float f32; double f64;
   int8_t i8; uint8_t u8; int16_t i16; uint16_t u16; int32_t i32; uint32_t u32; int64_t i64; uint64_t u64;
} nir_const_value;
static inline nir_const_value nir_const_value_for_raw_uint(uint64_t x, unsigned bits) {
   nir_const_value value = {.u64 = x};
   if (bits == 1) value.b = x & 1;
   return value;
}
static inline double nir_const_value_as_float(nir_const_value value, unsigned bits) {
   return bits == 16 ? _mesa_half_to_float(value.u16) : bits == 32 ? value.f32 : value.f64;
}
typedef enum { %s, nir_num_opcodes } nir_op;
/* The bits of the execution mode are our own: 1 flushes 16-bit floats, 2 flushes 32-bit floats, and 4 flushes 64-bit
   floats. Rounding is to nearest. */
static inline bool nir_is_rounding_mode_rtz(unsigned mode, unsigned bits) { return false; }
static inline bool nir_is_rounding_mode_rtne(unsigned mode, unsigned bits) { return true; }
static inline bool nir_is_denorm_flush_to_zero(unsigned mode, unsigned bits) {
   return mode & (bits == 16 ? 1 : bits == 32 ? 2 : 4);
}
static inline bool nir_is_denorm_preserve(unsigned mode, unsigned bits) { return !nir_is_denorm_flush_to_zero(mode, bits); }
static inline bool nir_is_float_control_signed_zero_preserve(unsigned mode, unsigned bits) { return true; }
static inline bool nir_is_float_control_signed_zero_inf_nan_preserve(unsigned mode, unsigned bits) { return true; }
"""

# Since Mesa 26, the evaluator also returns the mask of the components that are poison.
HEADER = """#pragma once
#include "nir.h"
void nir_eval_const_opcode(nir_op op, nir_const_value *dest, %sunsigned num_components, unsigned bit_size,
                           nir_const_value **src, unsigned float_controls_execution_mode);
#define ORACLE_POISON(mask) %s
"""

# Since Mesa 26, half-precision conversions use host instructions if CPU detection finds them. These functions find
# none.
CPU = """
struct _util_cpu_caps_state_t _util_cpu_caps_state = {.detect_done = 1};
void _util_cpu_detect_once(void) {}
"""

INTERFACE = """
struct oracle_op { const char *name, *kinds; int result_components, result_bits, sources, components[16], bits[16]; };
static const struct oracle_op oracle_ops[] = {
%s
};

int oracle_find(const char *name) {
   for (int i = 0; i < (int)nir_num_opcodes; i++)
      if (strcmp(oracle_ops[i].name, name) == 0) return i;
   return -1;
}

int oracle_count(void) { return (int)nir_num_opcodes; }
const char *oracle_name(int op) { return oracle_ops[op].name; }
int oracle_sources(int op) { return oracle_ops[op].sources; }
/* 0 components means any number; 0 bits means the free size. */
int oracle_source_components(int op, int k) { return oracle_ops[op].components[k]; }
int oracle_source_bits(int op, int k) { return oracle_ops[op].bits[k]; }
int oracle_result_components(int op) { return oracle_ops[op].result_components; }
/* One letter for the result and for each source: 'f', 'i', 'u' or 'b'. */
const char *oracle_kinds(int op) { return oracle_ops[op].kinds; }
int oracle_result_bits(int op) { return oracle_ops[op].result_bits; }

static sigjmp_buf oracle_trap;
static void oracle_on_trap(int signal) { siglongjmp(oracle_trap, 1); }

/* Evaluates the op for each lane. values[k][lane * 16 + component] and results[lane * 16 + component] are bit patterns.
   Sets trapped[lane] to 1 if a division in the evaluator's C code trapped on the host, and to 2 if the evaluator states
   that a component is poison. Not thread-safe. */
void oracle_evaluate(int op, unsigned bits, unsigned components, unsigned mode, unsigned lanes,
                     const uint64_t *const *values, uint64_t *results, unsigned char *trapped) {
   struct sigaction action = {.sa_handler = oracle_on_trap, .sa_flags = SA_NODEFER}, before;
   sigaction(SIGFPE, &action, &before);
   const struct oracle_op *o = &oracle_ops[op];
   unsigned out = o->result_components ? o->result_components : components;
   unsigned out_bits = o->result_bits ? o->result_bits : bits;
   for (volatile unsigned lane = 0; lane < lanes; lane++) {
      nir_const_value v[16][16], *src[16], dest[16];
      for (int k = 0; k < o->sources; k++) {
         for (unsigned c = 0; c < 16; c++) {
            uint64_t value = values[k][lane * 16 + c];
            v[k][c].u64 = 0;
            if ((o->bits[k] ? o->bits[k] : bits) == 1) v[k][c].b = value & 1; else v[k][c].u64 = value;
         }
         src[k] = v[k];
      }
      memset(dest, 0, sizeof(dest));
      trapped[lane] = sigsetjmp(oracle_trap, 0) != 0;
      nir_component_mask_t poison = 0;
      if (!trapped[lane]) {
         nir_eval_const_opcode((nir_op)op, dest, ORACLE_POISON(poison) out, bits, src, mode);
         if (poison) trapped[lane] = 2;
      }
      for (unsigned c = 0; c < out; c++)
         results[lane * 16 + c] = out_bits == 1 ? dest[c].b : out_bits == 64 ? dest[c].u64 :
                                  dest[c].u64 & ((UINT64_C(1) << out_bits) - 1);
   }
   sigaction(SIGFPE, &before, NULL);
}
"""


def bits_of(kind):
    """Returns the number at the end of a type name: 32 for "float32", 0 for "float"."""
    return int(re.search(r"\d*$", kind).group() or 0)


def numbers(values):
    values = list(values)
    return "{" + ", ".join(str(value) for value in values or [0]) + "}"


def main(nir_dir, out_dir):
    sys.dont_write_bytecode = True
    sys.path.insert(0, nir_dir)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(os.path.join(nir_dir, "nir_constant_expressions.py"))
    from nir_opcodes import opcodes  # pylint: disable=import-error,import-outside-toplevel
    names = sorted(opcodes)
    kinds = lambda opcode: "".join(kind[0] for kind in [opcode.output_type] + list(opcode.input_types))
    rows = ["   {\"%s\", \"%s\", %d, %d, %d, %s, %s}," %
            (name, kinds(opcodes[name]), opcodes[name].output_size, bits_of(opcodes[name].output_type), len(opcodes[name].input_types),
             numbers(opcodes[name].input_sizes), numbers(bits_of(kind) for kind in opcodes[name].input_types))
            for name in names]
    poisons = "out_poison" in printed.getvalue()
    header = HEADER % (("nir_component_mask_t *poison, ", "&mask,") if poisons else ("", ""))
    os.makedirs(out_dir, exist_ok=True)
    for file, text in (("nir.h", NIR_H % ", ".join("nir_op_" + name for name in names)),
                       ("nir_constant_expressions.h", header),
                       ("evaluator.c", "#include <setjmp.h>\n#include <signal.h>\n#include <string.h>\n" + printed.getvalue() + (CPU if poisons else "") + INTERFACE % "\n".join(rows))):
        with open(os.path.join(out_dir, file), "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])

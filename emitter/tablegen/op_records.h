// The TableGen records of NIR's ops and of the leaves of patterns: selection nodes, and the C++ text of the conditions
// on them.
#ifndef REWROUGHT_EMITTER_TABLEGEN_OP_RECORDS_H_
#define REWROUGHT_EMITTER_TABLEGEN_OP_RECORDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/tablegen/definitions.h"
#include "ir/term.h"

namespace rewrought::emitter {

// The record of the op of `node` with its flags and predicates: "nir_fadd_nsz". An op with the meaning of one of LLVM's
// selection nodes is that node, the others are nodes of their own, NIRISD::FSAT; `vector`: the op is used on vectors.
// FailedPrecondition for marks that a pattern cannot have: `~`, `!`, ignore_exact.
absl::StatusOr<std::string> DefineOp(const ir::Node& node, bool vector, Definitions* definitions);

// The leaf for a variable with conditions: "is_a_number_f32", "constant_is_ult_32_i32". `type`: as LLVM calls it.
absl::StatusOr<std::string> DefineVariable(const ir::Node& node, const std::string& type, bool is_float, bool uniform,
                                           Definitions* definitions);

// The leaf for a float constant, by its bits, or for either zero: "f32_0x3f800000", "f32_either_zero".
absl::StatusOr<std::string> DefineFloat(const ir::Node& node, const std::string& type, bool either_zero,
                                        Definitions* definitions);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_OP_RECORDS_H_

// Writes the TableGen records of NIR's ops and of the leaves of patterns: selection nodes with C++ conditions.
#ifndef REWROUGHT_EMITTER_TABLEGEN_OP_RECORDS_H_
#define REWROUGHT_EMITTER_TABLEGEN_OP_RECORDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/tablegen/definitions.h"
#include "ir/term.h"

namespace rewrought::emitter {

// Adds the record for the op of `node` with flags and predicates, and returns its name, such as "nir_fadd_nsz". An op
// that has the meaning of an LLVM selection node becomes that node; other ops become nodes such as NIRISD::FSAT.
// `vector` states whether the op is used on vectors. Fails with FailedPrecondition for marks that a pattern cannot
// express: `~`, `!`, and ignore_exact.
absl::StatusOr<std::string> DefineOp(const ir::Node& node, bool vector, Definitions* definitions);

// Adds the leaf for a variable with conditions, such as "is_a_number_f32" or "constant_is_ult_32_i32". `type` is LLVM's
// name of the type.
absl::StatusOr<std::string> DefineVariable(const ir::Node& node, const std::string& type, bool is_float, bool uniform,
                                           Definitions* definitions);

// Adds the leaf for a float constant or, if `either_zero` is set, for both +0 and -0, such as "f32_0x3f800000" or
// "f32_either_zero".
absl::StatusOr<std::string> DefineFloat(const ir::Node& node, const std::string& type, bool either_zero,
                                        Definitions* definitions);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_OP_RECORDS_H_

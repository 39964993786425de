// Reads a shader from a SPIR-V module: validates it, converts it to SSA form without folding, and scalarizes it.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_READER_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/spirv/spirv_simplify.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// Returns the shader of `bytes`, a SPIR-V binary in either byte order. `name` and `source` become the fields of
// ir::Shader; the entry point's name is appended to `name`. The shader contains all functions of the first entry
// point's stage that remain after inlining.
//
// Every ALU node is scalar, and instructions on composites only route lanes. Loads, phis, images, derivatives, calls,
// undefined values, and specialization constants are opaque variables. Loads from memory that nothing writes are
// shared. NoContraction sets kExact; float comparisons are always exact, as in Mesa's vtn_alu.c. A float op has the
// flags nsz, nnan, and ninf unless the mode SignedZeroInfNanPreserve is set for its width or the op has its own
// FPFastMathMode. Lines come from OpLine. The notes are "relaxed precision" for each ALU instruction with that
// decoration, and "float_controls ..." for each execution mode.
//
// Fails with InvalidArgument if the bytes are not SPIR-V, are truncated, or are not valid, with Internal if
// SPIRV-Tools fails, with ResourceExhausted if the module is too large, and with the errors of `simplify`.
absl::StatusOr<ir::Shader> ReadSpirv(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                     const SpirvSimplifier& simplify = SimplifySpirv);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_READER_H_

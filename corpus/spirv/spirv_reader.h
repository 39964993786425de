// Reads a shader from a SPIR-V module: checked, brought into SSA form without folding, scalarised.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_READER_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/spirv/spirv_simplify.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// The shader of `bytes`, a SPIR-V binary in either byte order; `name` and `source` as ir::Shader has them, the entry
// point's name is added to `name`. All functions that the first entry point's stage keeps after inlining are in it.
//
// Every ALU node is scalar; composites are routing; loads, phis, images, derivatives, calls, undefined values and
// specialisation constants are opaque variables. Loads of memory that nothing writes are shared. NoContraction gives
// kExact, as does every float comparison (Mesa's vtn_alu.c); without SignedZeroInfNanPreserve for a width (or an
// FPFastMathMode of its own) a float op carries nsz, nnan and ninf. Lines are those of OpLine, where there are any.
// Notes: "relaxed precision" per such ALU instruction, "float_controls ..." per execution mode.
//
// InvalidArgument: no SPIR-V, cut short, or not valid. Internal: SPIRV-Tools failed on it. ResourceExhausted: too
// large. Else as `simplify`.
absl::StatusOr<ir::Shader> ReadSpirv(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                     const SpirvSimplifier& simplify = SimplifySpirv);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_READER_H_

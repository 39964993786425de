// Reads shaders from the text that Mesa's nir_print_shader writes (facts: Mesa 25.0 src/compiler/nir/nir_print.c).
#ifndef REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_
#define REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// True if the text looks like NIR as Mesa prints it: a line that begins with "shader: " or "impl ", and a block.
bool LooksLikeNirText(absl::string_view text);

// Every shader of `text`, in its order; `name` and `source` as ir::Shader has them (a second shader of the same text is
// named NAME#2, and so on). Loads, phis, textures, undefined values, registers and ops without a row become opaque
// variables; a line that is not understood becomes a note, and the values it would define are opaque when they are
// used.
//
// Fast-math flags are not printed by Mesa. Those that build shaders from GLSL set none of the preserve bits, and from
// SPIR-V those of the execution mode (Mesa 25.0, vtn_alu.c vtn_handle_fp_fast_math), so float ops carry nsz, nnan and
// ninf, less what `float_controls_execution_mode` preserves for their size. An op that a module decorates otherwise
// (FPFastMathMode) is taken for one of these: what a driver makes of a rule does not depend on it. Of kernels, and
// where no stage is named, nothing is assumed.
//
// InvalidArgument: no shader in it. ResourceExhausted: more nodes than ShaderBuilder::kMaxNodes.
absl::StatusOr<std::vector<ir::Shader>> ReadNirText(absl::string_view text, absl::string_view name,
                                                    absl::string_view source);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

// Reads shaders from the output of Mesa's nir_print_shader (facts: Mesa 25.0 src/compiler/nir/nir_print.c).
#ifndef REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_
#define REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// Returns whether the text looks like NIR printed by Mesa: a line begins with "shader: " or "impl ", and there is a
// block.
bool LooksLikeNirText(absl::string_view text);

// Returns the shaders of `text` in order. `name` and `source` are as in ir::Shader; the second shader of a text is
// named NAME#2, and so on. Loads, phis, textures, undefined values, registers and ops without a row become opaque
// variables. A line that is not understood becomes a note, and the values it would define become opaque when they are
// used.
//
// Mesa does not print fast-math flags. Shaders from GLSL set none of the preserve bits, and shaders from SPIR-V set
// those of the execution mode (Mesa 25.0, vtn_alu.c vtn_handle_fp_fast_math). Therefore float ops get nsz, nnan and
// ninf, except those that `float_controls_execution_mode` preserves for their size. A different decoration of a
// single op (FPFastMathMode) is ignored, because the driver's handling of a rule does not depend on it. Kernels, and
// shaders without a stage, get no flags.
//
// Fails with InvalidArgument if there is no shader, and with ResourceExhausted if there are more nodes than
// ShaderBuilder::kMaxNodes.
absl::StatusOr<std::vector<ir::Shader>> ReadNirText(absl::string_view text, absl::string_view name,
                                                    absl::string_view source);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

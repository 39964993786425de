// Reads shaders from the output of Mesa's nir_print_shader (facts: Mesa 25.0 src/compiler/nir/nir_print.c).
#ifndef REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_
#define REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// Returns whether the text looks like NIR that Mesa printed, that is, whether its first 64 KiB contain both a line that
// begins with "shader: " or "impl " and a block or a function declaration.
bool LooksLikeNirText(absl::string_view text);

// Returns the shaders of `text` in order. `name` and `source` become the fields of ir::Shader; the second shader of a
// text is named NAME#2, and so on. Loads, phis, textures, undefined values, registers, and ops that have no row become
// opaque variables. A line that is not understood becomes a note, and the values that it would define become opaque
// when they are used.
//
// Mesa does not print fast-math flags. Shaders from GLSL set no preserve bits, and shaders from SPIR-V set the bits of
// the execution mode (Mesa 25.0, vtn_alu.c vtn_handle_fp_fast_math). A float op therefore gets each of the flags nsz,
// nnan, and ninf that `float_controls_execution_mode` does not forbid for its size. A different decoration of a single
// op (FPFastMathMode) is ignored, because the driver's handling of a rule does not depend on it. Kernels, and shaders
// without a stage, get no flags.
//
// Fails with InvalidArgument if there is no shader, and with ResourceExhausted if there are more nodes than
// ShaderBuilder::kMaxNodes.
absl::StatusOr<std::vector<ir::Shader>> ReadNirText(absl::string_view text, absl::string_view name,
                                                    absl::string_view source);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

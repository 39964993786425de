// Reads shaders from the output of nir_print_shader in Mesa 22.3 to 26.2.
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

// Returns the shaders of `text` in order. `name` and `source` become the fields of ir::Shader; the second shader of
// `text` is named NAME#2, and so on. Loads, phis, textures, undefined values, registers, and ops that have no row
// become opaque variables. Any other construct that is not understood becomes a note with its line, and the values that
// it defines become opaque.
//
// The flags nsz, nnan, and ninf of float ops depend on the version (ReadNirTextHeader). Since Mesa 26.1, they are those
// whose preserve bit is valid for the op (ir::FlagsOfOpIn26) and is not printed.
//
// Fails with InvalidArgument if there is no shader, or, naming the line, if ignoring an unknown construct could change
// a flag, a value, or the control flow. Fails with ResourceExhausted if there are more nodes than
// ShaderBuilder::kMaxNodes, or if the text exceeds proto::kNirTextLimits.
absl::StatusOr<std::vector<ir::Shader>> ReadNirText(absl::string_view text, absl::string_view name,
                                                    absl::string_view source);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_NIR_TEXT_READER_H_

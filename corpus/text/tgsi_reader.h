// Reads shaders from TGSI text, which Mesa's tgsi_dump writes and the i915, r300, and nv40 drivers still print (facts:
// Mesa 25.0.7 src/gallium/auxiliary/tgsi; the ops follow nir/tgsi_to_nir.c).
#ifndef REWROUGHT_CORPUS_TEXT_TGSI_READER_H_
#define REWROUGHT_CORPUS_TEXT_TGSI_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// Returns whether the text looks like TGSI, that is, whether it has a line that consists of a stage ("FRAG"), followed
// by a declaration or an instruction.
bool LooksLikeTgsi(absl::string_view text);

// Returns the shaders of `text`, in order. Names them as ReadNirText does. Registers become values, component by
// component. Where control flow begins or ends, register values count as used elsewhere, and registers are read again
// (as the opaque variable "load_reg"). Textures, indirect addresses, and instructions without a corresponding op are
// opaque. A line that is not understood becomes a note. Fails with InvalidArgument if there is no shader, and with
// ResourceExhausted if there are more nodes than ShaderBuilder::kMaxNodes.
absl::StatusOr<std::vector<ir::Shader>> ReadTgsi(absl::string_view text, absl::string_view name,
                                                 absl::string_view source);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_TGSI_READER_H_

// Reads shaders from TGSI text, as Mesa's tgsi_dump writes it and i915, r300 and nv40 drivers still print it (facts:
// Mesa 25.0.7 src/gallium/auxiliary/tgsi; the ops are those of nir/tgsi_to_nir.c).
#ifndef REWROUGHT_CORPUS_TEXT_TGSI_READER_H_
#define REWROUGHT_CORPUS_TEXT_TGSI_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// True if a line is a stage alone ("FRAG") and a declaration or instruction follows.
bool LooksLikeTgsi(absl::string_view text);

// Every shader of `text`, in its order, named as ReadNirText does. Registers become values, component by component;
// where control flow begins or ends, what registers hold is used outside and read anew (opaque "load_reg"). Textures,
// indirect addresses and instructions without an op are opaque; a line that is not understood becomes a note.
// InvalidArgument: no shader in it. ResourceExhausted: more nodes than ShaderBuilder::kMaxNodes.
absl::StatusOr<std::vector<ir::Shader>> ReadTgsi(absl::string_view text, absl::string_view name,
                                                 absl::string_view source);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_TGSI_READER_H_

// Finds the entry points of HLSL sources. The text is processed as a sequence of tokens, without a grammar.
#ifndef REWROUGHT_CORPUS_GLSL_HLSL_ENTRY_H_
#define REWROUGHT_CORPUS_GLSL_HLSL_ENTRY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_port.h"

namespace rewrought::corpus {

// Returns whether the text has a word that is specific to HLSL: a system-value semantic such as SV_Target,
// [numthreads], cbuffer, or a register. `text` must not contain comments.
bool LooksLikeHlsl(absl::string_view text);

struct HlslEntry {
  std::string name;
  GlslStage stage = GlslStage::kFragment;
};

// Returns the functions that can be entry points, in the order of the text: those with an attribute such as
// [numthreads(8, 8, 1)], those whose result has a semantic that identifies the stage, such as SV_Target, and those with
// other semantics if the name of the function or file indicates the stage. `file` is the name of the file.
std::vector<HlslEntry> HlslEntries(absl::string_view file, absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_HLSL_ENTRY_H_

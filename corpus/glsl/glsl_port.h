// Brings GLSL of any age into a dialect that glslang compiles to SPIR-V: old keywords, texture functions, built-ins and
// outputs are renamed and declared. Works on tokens; knows no grammar.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_PORT_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_PORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

enum class GlslStage { kVertex, kTessControl, kTessEvaluation, kGeometry, kFragment, kCompute };

// glslang's name of the stage ("frag") and ours ("fragment").
absl::string_view GlslangStage(GlslStage stage);
absl::string_view StageName(GlslStage stage);

struct GlslVersion {
  int number = 0;   // 0: no #version
  bool es = false;  // "es" on the line, or 100, or (without a line) precision statements
};
GlslVersion VersionOf(absl::string_view text);

// Comments made into a space, or into as many line ends as they had.
std::string StripComments(absl::string_view text);

struct PortOptions {
  bool es = false;                     // to "310 es" (keeps RelaxedPrecision) rather than to "450"
  bool define_unknown_macros = false;  // every macro that is tested and nowhere defined becomes 1
  bool rename_reserved = false;        // identifiers that later became reserved or built-in get another name
};

// The ported text, with its own #version. A #line makes its lines count as those of `text`.
std::string PortGlsl(absl::string_view text, GlslStage stage, const PortOptions& options);

// The stage by the file's name ("x.frag", "x_vs.glsl"), else by what the text does; nothing if neither tells.
std::optional<GlslStage> GuessStage(absl::string_view name, absl::string_view text);

// Sources that an engine completes before it compiles them, completed: a gl-transitions `vec4 transition(vec2)` and a
// Shadertoy `void mainImage(out vec4, in vec2)` get their inputs and a main; all else is returned as it is.
std::string CompleteSource(absl::string_view text);

// A token of GLSL text: an identifier, a run of blanks, a number, or one other character.
struct GlslToken {
  enum class Kind { kIdentifier, kNumber, kSpace, kOther } kind;
  absl::string_view text;
};
std::vector<GlslToken> TokenizeGlsl(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_PORT_H_

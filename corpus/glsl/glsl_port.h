// Ports GLSL of any version to a dialect that glslang compiles to SPIR-V. Old keywords, texture functions, built-ins,
// and outputs are renamed or declared. The text is processed as a sequence of tokens, without a grammar.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_PORT_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_PORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

enum class GlslStage {
  kVertex,
  kTessControl,
  kTessEvaluation,
  kGeometry,
  kFragment,
  kCompute,
  kTask,
  kMesh,
  kRayGeneration,
  kIntersection,
  kAnyHit,
  kClosestHit,
  kMiss,
  kCallable,
};

// Return glslang's name for the stage ("frag") and our name for it ("fragment").
absl::string_view GlslangStage(GlslStage stage);
absl::string_view StageName(GlslStage stage);

struct GlslVersion {
  int number = 0;   // 0 if there is no #version line
  bool es = false;  // whether the line contains "es" or version 100, or whether there are precision statements but no
                    // #version line
};
GlslVersion VersionOf(absl::string_view text);

// Replaces each comment with a space, or with as many line breaks as it contains.
std::string StripComments(absl::string_view text);

struct PortOptions {
  bool es = false;                     // target version "310 es", which keeps RelaxedPrecision, instead of "450"
  bool define_unknown_macros = false;  // define every macro that is tested but not defined; its value is 1
  bool rename_reserved = false;        // rename identifiers that are reserved words or built-ins in later versions
};

// Returns the ported text with its own #version line. A #line directive preserves the line numbers of `text`.
std::string PortGlsl(absl::string_view text, GlslStage stage, const PortOptions& options);

inline constexpr char kStageUnknown[] =
    "cannot determine the stage of this GLSL file: give it the extension .vert, .frag, .comp, or that of another stage";

// States whether a file's name indicates that the file contains GLSL. Other languages also use some extensions, such as
// F#'s ".fs", so a file with such an extension is GLSL only if its text looks like GLSL.
enum class GlslName { kNo, kPossibly, kYes };
GlslName IsGlslName(absl::string_view name);

// Guesses the stage from the file's name ("x.frag", "x.vert.glsl", "x_vs.glsl"), or otherwise from the text. Returns
// nullopt if neither the name nor the text indicates the stage.
std::optional<GlslStage> GuessStage(absl::string_view name, absl::string_view text);

// Returns the stage that the name of a function indicates, as in "VSMain", "MainPS", or "vs_main".
std::optional<GlslStage> StageOfFunction(absl::string_view name);

// Returns whether the text has a main function, or one of the functions that CompleteSource calls. Sources without such
// a function are parts that other shaders include. `text` must not contain comments.
bool HasMain(absl::string_view text);

// Completes sources that an engine would complete before compiling them: a gl-transitions `vec4 transition(vec2)` and
// a Shadertoy `void mainImage(out vec4, in vec2)` get their inputs and a main function. Returns other sources
// unchanged.
std::string CompleteSource(absl::string_view text);

// A token of GLSL text: an identifier, a number, a run of spaces, or any other single character.
struct GlslToken {
  enum class Kind { kIdentifier, kNumber, kSpace, kOther } kind;
  absl::string_view text;
};
std::vector<GlslToken> TokenizeGlsl(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_PORT_H_

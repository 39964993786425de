// Determines the stage of a GLSL source, and adds the code that an engine would put around it.
#include <algorithm>
#include <iterator>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "corpus/glsl/glsl_port.h"

namespace rewrought::corpus {
namespace {

struct NameHint {
  absl::string_view ending;  // lowercase end of the file name, without the last extension
  GlslStage stage;
};

struct StageNames {
  GlslStage stage;
  absl::string_view glslang;
  absl::string_view ours;
};
constexpr StageNames kStages[] = {
    {GlslStage::kVertex, "vert", "vertex"},
    {GlslStage::kTessControl, "tesc", "tess_ctrl"},
    {GlslStage::kTessEvaluation, "tese", "tess_eval"},
    {GlslStage::kGeometry, "geom", "geometry"},
    {GlslStage::kFragment, "frag", "fragment"},
    {GlslStage::kCompute, "comp", "compute"},
};

constexpr NameHint kExtensions[] = {
    {".vert", GlslStage::kVertex},   {".vs", GlslStage::kVertex},        {".vsh", GlslStage::kVertex},
    {".frag", GlslStage::kFragment}, {".fs", GlslStage::kFragment},      {".fsh", GlslStage::kFragment},
    {".fp", GlslStage::kFragment},   {".vp", GlslStage::kVertex},        {".geom", GlslStage::kGeometry},
    {".gs", GlslStage::kGeometry},   {".tesc", GlslStage::kTessControl}, {".tese", GlslStage::kTessEvaluation},
    {".comp", GlslStage::kCompute},  {".vertex", GlslStage::kVertex},    {".fragment", GlslStage::kFragment},
};
constexpr NameHint kEndings[] = {
    {"vs", GlslStage::kVertex},         {"vert", GlslStage::kVertex}, {"vertex", GlslStage::kVertex},
    {"vp", GlslStage::kVertex},         {"fs", GlslStage::kFragment}, {"frag", GlslStage::kFragment},
    {"fragment", GlslStage::kFragment}, {"fp", GlslStage::kFragment},
};

constexpr absl::string_view kTransitionHead = R"(
uniform sampler2D from, to;
uniform float progress, ratio;
varying vec2 transition_place;
vec4 getFromColor(vec2 place) { return texture2D(from, place); }
vec4 getToColor(vec2 place) { return texture2D(to, place); }
)";
constexpr absl::string_view kTransitionMain = "\nvoid main() { gl_FragColor = transition(transition_place); }\n";

constexpr absl::string_view kImageHead = R"(
uniform vec3 iResolution;
uniform float iTime, iTimeDelta, iFrameRate, iSampleRate;
uniform int iFrame;
uniform float iChannelTime[4];
uniform vec3 iChannelResolution[4];
uniform vec4 iMouse, iDate;
uniform sampler2D iChannel0, iChannel1, iChannel2, iChannel3;
)";
constexpr absl::string_view kImageMain = R"(
void main() {
  vec4 image_color = vec4(0.0);
  mainImage(image_color, gl_FragCoord.xy);
  gl_FragColor = image_color;
}
)";

bool Has(const std::vector<GlslToken>& tokens, absl::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const GlslToken& token) { return token.text == word; });
}

// Returns whether the tokens contain a definition or declaration "type name(".
bool Declares(const std::vector<GlslToken>& tokens, absl::string_view type, absl::string_view name) {
  std::vector<absl::string_view> words;
  for (const GlslToken& token : tokens) {
    if (token.kind != GlslToken::Kind::kSpace) words.push_back(token.text);
  }
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i] == type && words[i + 1] == name && words[i + 2] == "(") return true;
  }
  return false;
}

}  // namespace

absl::string_view GlslangStage(GlslStage stage) {
  for (const StageNames& names : kStages) {
    if (names.stage == stage) return names.glslang;
  }
  return "frag";
}

absl::string_view StageName(GlslStage stage) {
  for (const StageNames& names : kStages) {
    if (names.stage == stage) return names.ours;
  }
  return "fragment";
}

std::optional<GlslStage> GuessStage(absl::string_view name, absl::string_view text) {
  std::string lower = absl::AsciiStrToLower(name);
  for (const NameHint& hint : kExtensions) {
    if (absl::EndsWith(lower, hint.ending)) return hint.stage;
  }
  const size_t dot = lower.rfind('.');
  const absl::string_view stem = absl::string_view(lower).substr(0, dot);
  const std::string plain = StripComments(text);  // tokens points into this text
  const std::vector<GlslToken> tokens = TokenizeGlsl(plain);
  if (Has(tokens, "local_size_x")) return GlslStage::kCompute;
  if (Has(tokens, "EmitVertex")) return GlslStage::kGeometry;
  if (Has(tokens, "gl_Position") && !Has(tokens, "gl_FragCoord")) return GlslStage::kVertex;
  for (absl::string_view word : {"gl_FragColor", "gl_FragData", "gl_FragCoord", "gl_FragDepth", "discard", "dFdx",
                                 "dFdy", "fwidth", "gl_FrontFacing", "gl_PointCoord"}) {
    if (Has(tokens, word)) return GlslStage::kFragment;
  }
  if (Declares(tokens, "vec4", "transition") || Declares(tokens, "void", "mainImage")) return GlslStage::kFragment;
  for (const NameHint& hint : kEndings) {
    if (absl::EndsWith(stem, hint.ending)) return hint.stage;
  }
  // A source that has outputs or samplers, but writes no position, is assumed to be a fragment shader.
  if (Has(tokens, "main") && (Has(tokens, "out") || Has(tokens, "sampler2D"))) return GlslStage::kFragment;
  return std::nullopt;
}

std::string CompleteSource(absl::string_view text) {
  const std::string plain = StripComments(text);  // tokens points into this text
  const std::vector<GlslToken> tokens = TokenizeGlsl(plain);
  if (Declares(tokens, "void", "main")) return std::string(text);
  if (Declares(tokens, "vec4", "transition")) return absl::StrCat(kTransitionHead, "#line 1\n", text, kTransitionMain);
  if (Declares(tokens, "void", "mainImage")) return absl::StrCat(kImageHead, "#line 1\n", text, kImageMain);
  return std::string(text);
}

}  // namespace rewrought::corpus

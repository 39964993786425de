// Determines the stage of a GLSL source, and adds the code that an engine would put around it.
#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/glsl/glsl_port.h"

namespace rewrought::corpus {
namespace {

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
    {GlslStage::kTask, "task", "task"},
    {GlslStage::kMesh, "mesh", "mesh"},
    {GlslStage::kRayGeneration, "rgen", "raygen"},
    {GlslStage::kIntersection, "rint", "intersection"},
    {GlslStage::kAnyHit, "rahit", "any_hit"},
    {GlslStage::kClosestHit, "rchit", "closest_hit"},
    {GlslStage::kMiss, "rmiss", "miss"},
    {GlslStage::kCallable, "rcall", "callable"},
};

// A name of a stage other than glslang's. Like glslang's names, it may be an extension ("x.vs", "x.vs.glsl") or the
// last word of a file name ("x_vs.glsl", "xVS.hlsl").
struct NameHint {
  absl::string_view name;
  GlslStage stage;
  GlslName as_extension;  // whether a file with this extension contains GLSL
};
constexpr NameHint kHints[] = {
    {"vs", GlslStage::kVertex, GlslName::kPossibly},
    {"vsh", GlslStage::kVertex, GlslName::kYes},
    {"vp", GlslStage::kVertex, GlslName::kPossibly},
    {"glslv", GlslStage::kVertex, GlslName::kYes},
    {"vertex", GlslStage::kVertex, GlslName::kPossibly},
    {"fs", GlslStage::kFragment, GlslName::kPossibly},
    {"fsh", GlslStage::kFragment, GlslName::kYes},
    {"fp", GlslStage::kFragment, GlslName::kPossibly},
    {"ps", GlslStage::kFragment, GlslName::kPossibly},
    {"glslf", GlslStage::kFragment, GlslName::kYes},
    {"fragment", GlslStage::kFragment, GlslName::kPossibly},
    {"pixel", GlslStage::kFragment, GlslName::kPossibly},
    {"gs", GlslStage::kGeometry, GlslName::kPossibly},
    {"gsh", GlslStage::kGeometry, GlslName::kYes},
    {"geometry", GlslStage::kGeometry, GlslName::kPossibly},
    {"tcs", GlslStage::kTessControl, GlslName::kPossibly},
    {"tes", GlslStage::kTessEvaluation, GlslName::kPossibly},
    {"cs", GlslStage::kCompute, GlslName::kPossibly},
    {"csh", GlslStage::kCompute, GlslName::kPossibly},
    {"compute", GlslStage::kCompute, GlslName::kPossibly},
};

// Extensions of GLSL files that do not indicate the stage.
constexpr absl::string_view kGlslExtensions[] = {"glsl", "glslx", "essl", "shadertoy"};

struct NamedStage {
  GlslStage stage;
  GlslName as_extension;
};

// Returns the stage that `extension` (lowercase, without the dot) denotes.
std::optional<NamedStage> StageOfExtension(absl::string_view extension) {
  for (const StageNames& names : kStages) {
    // Model formats use ".mesh" and schedulers use ".task".
    const bool shared = names.stage == GlslStage::kMesh || names.stage == GlslStage::kTask;
    if (names.glslang == extension) return NamedStage{names.stage, shared ? GlslName::kPossibly : GlslName::kYes};
  }
  for (const NameHint& hint : kHints) {
    if (hint.name == extension) return NamedStage{hint.stage, hint.as_extension};
  }
  return std::nullopt;
}

// Returns the last extension of the file name, and then the extension before it: "glsl" and "frag" for "a/x.frag.glsl".
std::vector<std::string> ExtensionsOf(absl::string_view name) {
  const absl::string_view file = name.substr(name.rfind('/') + 1);
  std::vector<std::string> parts = absl::StrSplit(absl::AsciiStrToLower(file), '.');
  parts.erase(parts.begin());
  std::reverse(parts.begin(), parts.end());
  if (parts.size() > 2) parts.resize(2);
  return parts;
}

// Returns the stage that an extension states. An extension before the last one counts only in names such as
// "x.frag.glsl", because "x.vertex.js" may contain several stages.
std::optional<GlslStage> StageOfExtensions(absl::string_view name) {
  constexpr absl::string_view kNeutral[] = {"glsl", "hlsl", "txt"};
  const std::vector<std::string> extensions = ExtensionsOf(name);
  if (extensions.empty()) return std::nullopt;
  std::optional<NamedStage> stage = StageOfExtension(extensions[0]);
  const bool neutral = std::find(std::begin(kNeutral), std::end(kNeutral), extensions[0]) != std::end(kNeutral);
  if (!stage && neutral && extensions.size() > 1) stage = StageOfExtension(extensions[1]);
  return stage ? std::optional<GlslStage>(stage->stage) : std::nullopt;
}

// Returns whether `stem` ends with the word `word` (in lowercase): "x_vs", "xVS", and "vs", but not "vvs".
bool EndsWithWord(absl::string_view stem, absl::string_view word) {
  if (!absl::EndsWithIgnoreCase(stem, word)) return false;
  const size_t place = stem.size() - word.size();
  if (place == 0) return true;
  const auto at = [&](size_t i) { return static_cast<unsigned char>(stem[i]); };
  return !absl::ascii_isalnum(at(place - 1)) || (absl::ascii_isupper(at(place)) && absl::ascii_islower(at(place - 1)));
}

// Returns the stage that the last word of `name` denotes: "x_vs", "VertexShader", or "skyfrag".
std::optional<GlslStage> StageOfWord(absl::string_view name) {
  for (absl::string_view word : {"Shader", "shader"}) absl::ConsumeSuffix(&name, word);
  absl::ConsumeSuffix(&name, "_");
  for (absl::string_view word : {"vert", "vertex", "frag", "fragment"}) {
    if (absl::EndsWithIgnoreCase(name, word)) return word[0] == 'v' ? GlslStage::kVertex : GlslStage::kFragment;
  }
  for (const StageNames& names : kStages) {
    if (EndsWithWord(name, names.glslang)) return names.stage;
  }
  for (const NameHint& hint : kHints) {
    if (EndsWithWord(name, hint.name)) return hint.stage;
  }
  return std::nullopt;
}

// Returns the stage that the stem of a file name indicates, as in "x_vs.glsl".
std::optional<GlslStage> StageOfStem(absl::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  return StageOfWord(name.substr(0, name.find('.', 1)));
}

// Returns the stage in a line such as "#pragma shader_stage(fragment)", which glslc reads.
std::optional<GlslStage> StageOfPragma(absl::string_view text) {
  constexpr absl::string_view kPragma = "shader_stage(";
  const size_t found = text.find(kPragma);
  if (found == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = text.substr(found + kPragma.size());
  const absl::string_view stage = absl::StripAsciiWhitespace(rest.substr(0, rest.find(')')));
  if (stage == "tesscontrol") return GlslStage::kTessControl;
  if (stage == "tesseval") return GlslStage::kTessEvaluation;
  const std::optional<NamedStage> named = StageOfExtension(stage);
  return named ? std::optional<GlslStage>(named->stage) : std::nullopt;
}

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

std::optional<GlslStage> StageOfFunction(absl::string_view name) {
  for (absl::string_view word : {"Main", "main"}) absl::ConsumeSuffix(&name, word);
  return StageOfWord(name);
}

bool HasMain(absl::string_view text) {
  const std::vector<GlslToken> tokens = TokenizeGlsl(text);
  return Has(tokens, "main") || Declares(tokens, "vec4", "transition") || Declares(tokens, "void", "mainImage");
}

GlslName IsGlslName(absl::string_view name) {
  const std::vector<std::string> extensions = ExtensionsOf(name);
  if (extensions.empty()) return GlslName::kNo;
  for (const absl::string_view extension : kGlslExtensions) {
    if (extensions[0] == extension) return GlslName::kYes;
  }
  const std::optional<NamedStage> stage = StageOfExtension(extensions[0]);
  return stage ? stage->as_extension : GlslName::kNo;
}

std::optional<GlslStage> GuessStage(absl::string_view name, absl::string_view text) {
  if (const std::optional<GlslStage> stage = StageOfExtensions(name)) return stage;
  const std::string plain = StripComments(text);  // tokens points into this text
  if (const std::optional<GlslStage> stage = StageOfPragma(plain)) return stage;
  const std::vector<GlslToken> tokens = TokenizeGlsl(plain);
  if (Has(tokens, "SetMeshOutputsEXT") || Has(tokens, "max_primitives")) return GlslStage::kMesh;
  if (Has(tokens, "EmitMeshTasksEXT")) return GlslStage::kTask;
  if (Has(tokens, "local_size_x")) return GlslStage::kCompute;
  if (Has(tokens, "EmitVertex")) return GlslStage::kGeometry;
  if (Has(tokens, "gl_Position") && !Has(tokens, "gl_FragCoord")) return GlslStage::kVertex;
  for (absl::string_view word : {"gl_FragColor", "gl_FragData", "gl_FragCoord", "gl_FragDepth", "discard", "dFdx",
                                 "dFdy", "fwidth", "gl_FrontFacing", "gl_PointCoord"}) {
    if (Has(tokens, word)) return GlslStage::kFragment;
  }
  if (Declares(tokens, "vec4", "transition") || Declares(tokens, "void", "mainImage")) return GlslStage::kFragment;
  if (const std::optional<GlslStage> stage = StageOfStem(name)) return stage;
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

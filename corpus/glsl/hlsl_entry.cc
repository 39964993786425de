#include "corpus/glsl/hlsl_entry.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace rewrought::corpus {
namespace {

using Kind = GlslToken::Kind;

// Returns the stage whose result can have this semantic.
std::optional<GlslStage> StageOfResult(absl::string_view semantic) {
  const std::string lower = absl::AsciiStrToLower(semantic);
  for (absl::string_view output : {"sv_target", "sv_depth", "sv_coverage", "sv_stencilref", "color", "depth"}) {
    if (absl::StartsWith(lower, output)) return GlslStage::kFragment;
  }
  if (lower == "sv_position" || lower == "position" || lower == "position0") return GlslStage::kVertex;
  return std::nullopt;
}

// Returns the stage that `name` denotes in an attribute such as [shader("pixel")].
std::optional<GlslStage> StageOfAttribute(absl::string_view name) {
  constexpr std::pair<absl::string_view, GlslStage> kNames[] = {
      {"vertex", GlslStage::kVertex},
      {"hull", GlslStage::kTessControl},
      {"domain", GlslStage::kTessEvaluation},
      {"geometry", GlslStage::kGeometry},
      {"pixel", GlslStage::kFragment},
      {"compute", GlslStage::kCompute},
      {"amplification", GlslStage::kTask},
      {"mesh", GlslStage::kMesh},
      {"raygeneration", GlslStage::kRayGeneration},
      {"intersection", GlslStage::kIntersection},
      {"anyhit", GlslStage::kAnyHit},
      {"closesthit", GlslStage::kClosestHit},
      {"miss", GlslStage::kMiss},
      {"callable", GlslStage::kCallable},
  };
  for (const auto& [text, stage] : kNames) {
    if (text == name) return stage;
  }
  return std::nullopt;
}

class EntryFinder {
 public:
  EntryFinder(absl::string_view file, const std::vector<GlslToken>& tokens) : file_(file) {
    for (const GlslToken& token : tokens) {
      if (token.kind != Kind::kSpace) words_.push_back(token.text);
    }
  }

  std::vector<HlslEntry> Find();

 private:
  absl::string_view word(size_t i) const { return i < words_.size() ? words_[i] : absl::string_view(); }
  size_t Closing(size_t open) const;
  void TakeStruct(size_t at, size_t open);
  void TakeFunction(size_t open, size_t close);
  std::optional<GlslStage> StageOfAttributes() const;

  const absl::string_view file_;
  std::vector<absl::string_view> words_;
  std::vector<absl::string_view> attributes_;  // the words in the brackets before the current declaration
  absl::flat_hash_map<absl::string_view, GlslStage> struct_stages_;  // by name; from the semantics of the members
  std::vector<HlslEntry> entries_;
};

// Returns the index of the bracket that closes the bracket at `open`, or the number of words.
size_t EntryFinder::Closing(size_t open) const {
  int depth = 0;
  for (size_t i = open; i < words_.size(); ++i) {
    if (words_[i] == "(" || words_[i] == "{" || words_[i] == "[") ++depth;
    if ((words_[i] == ")" || words_[i] == "}" || words_[i] == "]") && --depth == 0) return i;
  }
  return words_.size();
}

// Records the stage that can return the struct. A position takes precedence, because vertex shaders also output colors.
void EntryFinder::TakeStruct(size_t at, size_t open) {
  const size_t close = Closing(open);
  std::optional<GlslStage> found;
  for (size_t i = open; i < close; ++i) {
    if (words_[i] != ":") continue;
    const std::optional<GlslStage> stage = StageOfResult(word(i + 1));
    const bool is_color = absl::StartsWithIgnoreCase(word(i + 1), "color");  // also passed between stages
    if (stage && !(is_color && found)) found = stage;
    if (stage == GlslStage::kVertex) break;
  }
  if (found) struct_stages_[word(at)] = *found;
}

std::optional<GlslStage> EntryFinder::StageOfAttributes() const {
  const auto has = [this](absl::string_view name) {
    return std::find(attributes_.begin(), attributes_.end(), name) != attributes_.end();
  };
  if (has("shader")) {
    for (absl::string_view attribute : attributes_) {
      if (const std::optional<GlslStage> stage = StageOfAttribute(attribute)) return stage;
    }
  }
  if (has("outputtopology")) return GlslStage::kMesh;
  if (has("numthreads")) return GlslStage::kCompute;
  if (has("maxvertexcount")) return GlslStage::kGeometry;
  if (has("outputcontrolpoints") || has("patchconstantfunc")) return GlslStage::kTessControl;
  if (has("domain")) return GlslStage::kTessEvaluation;
  return std::nullopt;
}

// Records the function whose parameter list is between the parentheses at `open` and `close`, if its stage is known.
void EntryFinder::TakeFunction(size_t open, size_t close) {
  if (open < 2) return;
  const absl::string_view name = word(open - 1), type = word(open - 2);
  std::optional<GlslStage> stage = StageOfAttributes(), result;
  bool has_semantics = false;
  if (word(close + 1) == ":") {
    has_semantics = true;
    result = StageOfResult(word(close + 2));
  } else if (const auto found = struct_stages_.find(type); found != struct_stages_.end()) {
    has_semantics = true;
    result = found->second;
  }
  bool output = false;
  for (size_t i = open + 1; i < close; ++i) {
    if (words_[i] == ",") output = false;
    if (words_[i] == "out") output = true;
    if (words_[i] == ":") {
      has_semantics = true;
      if (output && !result) result = StageOfResult(word(i + 1));
    }
    const auto found = struct_stages_.find(words_[i]);
    if (found == struct_stages_.end()) continue;
    has_semantics = true;
    if (output && !result) result = found->second;
  }
  if (!stage) stage = result;
  if (!stage && has_semantics) stage = StageOfFunction(name);
  if (!stage && (name == "main" || has_semantics)) stage = GuessStage(file_, "");
  if (stage) entries_.push_back({std::string(name), *stage});
}

std::vector<HlslEntry> EntryFinder::Find() {
  for (size_t i = 0; i < words_.size(); ++i) {
    if (word(i) == "[" && (i == 0 || word(i - 1) == "}" || word(i - 1) == ";" || word(i - 1) == "]")) {
      const size_t close = Closing(i);
      for (size_t k = i + 1; k < close; ++k) attributes_.push_back(words_[k]);
      i = close;
    } else if (word(i) == "struct") {
      size_t open = i + 1;
      while (open < words_.size() && words_[open] != "{" && words_[open] != ";") ++open;
      if (word(open) == "{") TakeStruct(i + 1, open);
      i = word(open) == "{" ? Closing(open) : open;
    } else if (word(i) == "(") {
      const size_t close = Closing(i);
      size_t after = close + 1;
      if (word(after) == ":") after += 2;
      if (word(after) == "{") {
        TakeFunction(i, close);
        i = Closing(after);
        attributes_.clear();
      } else {
        i = close;
      }
    } else if (word(i) == "{") {
      i = Closing(i);  // a cbuffer or an initializer
    } else if (word(i) == ";") {
      attributes_.clear();
    }
  }
  return std::move(entries_);
}

}  // namespace

bool LooksLikeHlsl(absl::string_view text) {
  const std::vector<GlslToken> tokens = TokenizeGlsl(text);
  absl::string_view last, before_last;
  for (const GlslToken& token : tokens) {
    if (token.kind == Kind::kSpace) continue;
    const absl::string_view word = token.text;
    if (last == ":" && (absl::StartsWithIgnoreCase(word, "SV_") || word == "register")) return true;
    if (last == "[" && word == "numthreads") return true;
    if (last == "cbuffer" && token.kind == Kind::kIdentifier) return true;
    before_last = std::exchange(last, word);
    const bool vector = absl::StartsWith(before_last, "float") && before_last.size() == 6;
    if (vector && (last == "main" || absl::EndsWith(last, "Main"))) return true;
  }
  return false;
}

std::vector<HlslEntry> HlslEntries(absl::string_view file, absl::string_view text) {
  const std::string plain = StripComments(text);  // tokens points into this text
  return EntryFinder(file, TokenizeGlsl(plain)).Find();
}

}  // namespace rewrought::corpus

#include "corpus/glsl/glsl_port.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/glsl/glsl_builtins.h"

namespace rewrought::corpus {
namespace {

using Kind = GlslToken::Kind;

bool IsWordStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsWordPart(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Returns the words after '#' of a directive line, or an empty list for other lines.
std::vector<absl::string_view> DirectiveWords(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "#")) return {};
  return absl::StrSplit(absl::StripAsciiWhitespace(line), absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

// Returns whether the extension changes the meaning of the rest of the text. The target dialect already includes all
// other extensions.
bool KeepsExtension(absl::string_view name) {
  for (absl::string_view prefix :
       {"GL_GOOGLE", "GL_KHR", "GL_NV", "GL_AMD", "GL_EXT_shader_explicit", "GL_EXT_shader_16bit", "GL_EXT_shader_8bit",
        "GL_EXT_ray", "GL_EXT_scalar", "GL_EXT_buffer_ref", "GL_EXT_nonuniform", "GL_EXT_samplerless"}) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return false;
}

absl::flat_hash_set<std::string> WordsOf(const std::vector<GlslToken>& tokens) {
  absl::flat_hash_set<std::string> words;
  for (const GlslToken& token : tokens) {
    if (token.kind == Kind::kIdentifier) words.insert(std::string(token.text));
  }
  return words;
}

// Returns the index of the first token at or after `i` that is not a space.
size_t SkipSpace(const std::vector<GlslToken>& tokens, size_t i) {
  while (i < tokens.size() && tokens[i].kind == Kind::kSpace) ++i;
  return i;
}

bool IsNext(const std::vector<GlslToken>& tokens, size_t i, absl::string_view text) {
  i = SkipSpace(tokens, i);
  return i < tokens.size() && tokens[i].text == text;
}

// Converts "texture2DProjLod" to "textureProjLod" and "shadow2D" to "cgl_shadow". Returns an empty string for other
// names.
std::string ModernTextureName(absl::string_view name) {
  absl::string_view rest = name;
  for (absl::string_view suffix : {"EXT", "ARB"}) absl::ConsumeSuffix(&rest, suffix);
  const bool shadow = absl::ConsumePrefix(&rest, "shadow");
  if (!shadow && !absl::ConsumePrefix(&rest, "texture")) return "";
  bool dimension = false;
  for (absl::string_view kind : {"2DArray", "2DRect", "1D", "2D", "3D", "Cube"}) {
    if (!dimension) dimension = absl::ConsumePrefix(&rest, kind);
  }
  const bool projected = absl::ConsumePrefix(&rest, "Proj");
  if (!dimension || (rest != "" && rest != "Lod" && rest != "Grad")) return "";
  if (shadow) return projected ? "cgl_shadowProj" : "cgl_shadow";
  return absl::StrCat("texture", projected ? "Proj" : "", rest);
}

// Returns whether the text itself defines `name` as a macro or declares it as an output.
bool DefinesItself(absl::string_view text, absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words = DirectiveWords(line);
    if (words.size() > 1 && words[0] == "define" && words[1] == name) return true;
    const std::vector<GlslToken> tokens = TokenizeGlsl(line);
    if (words.empty() && WordsOf(tokens).contains("out") && WordsOf(tokens).contains(std::string(name))) return true;
  }
  return false;
}

std::vector<std::string> UnknownMacros(absl::string_view text) {
  absl::flat_hash_set<std::string> tested, defined;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words = DirectiveWords(line);
    if (words.empty()) continue;
    if (words[0] == "define" && words.size() > 1) defined.insert(std::string(words[1].substr(0, words[1].find('('))));
    if (words[0] != "ifdef" && words[0] != "if" && words[0] != "elif") continue;
    for (const std::string& word : WordsOf(TokenizeGlsl(line))) tested.insert(word);
  }
  std::vector<std::string> unknown;
  for (const std::string& word : tested) {
    const bool known = word == "defined" || word == "ifdef" || word == "if" || word == "elif" || word == "VULKAN" ||
                       absl::StartsWith(word, "GL_") || absl::StartsWith(word, "__");
    if (!known && !defined.contains(word)) unknown.push_back(word);
  }
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

class Porter {
 public:
  Porter(absl::string_view text, GlslStage stage, const PortOptions& options)
      : text_(StripComments(absl::StrReplaceAll(text, {{"\r\n", "\n"}, {"\xef\xbb\xbf", ""}}))),
        stage_(stage),
        options_(options) {}

  std::string Port();

 private:
  void Declare(std::string line) {
    if (declared_.insert(line).second) head_ += line + "\n";
  }
  void DeclarePrecision(const absl::flat_hash_set<std::string>& words);
  std::string PortLine(absl::string_view line);
  std::string PortWord(const std::vector<GlslToken>& tokens, size_t i);
  bool SkipPrecision(const std::vector<GlslToken>& tokens, size_t* i) const;

  const std::string text_;
  const GlslStage stage_;
  const PortOptions options_;
  std::string head_;
  absl::flat_hash_set<std::string> declared_;
  bool defines_color_ = false;
  bool has_data_ = false;
  bool in_directive_ = false;
};

std::string Porter::Port() {
  head_ = options_.es ? "#version 310 es\n" : "#version 450\n";
  std::string kept;  // the #extension lines, which must come first
  std::string body;
  defines_color_ = DefinesItself(text_, "gl_FragColor");
  const absl::flat_hash_set<std::string> all_words = WordsOf(TokenizeGlsl(text_));
  has_data_ = all_words.contains("gl_FragData");
  if (options_.es) DeclarePrecision(all_words);
  if (options_.define_unknown_macros) {
    for (const std::string& macro : UnknownMacros(text_)) {
      Declare(absl::StrCat("#ifndef ", macro, "\n#define ", macro, " 1\n#endif"));
    }
  }
  for (absl::string_view line : absl::StrSplit(text_, '\n')) {
    const std::vector<absl::string_view> words = DirectiveWords(line);
    const bool version = !words.empty() && words[0] == "version";
    const bool extension = words.size() > 1 && words[0] == "extension";
    if (extension && KeepsExtension(words[1])) absl::StrAppend(&kept, line, "\n");
    in_directive_ = !words.empty();
    body += version || extension ? "\n" : PortLine(line) + "\n";
  }
  const size_t first_line = head_.find('\n') + 1;
  // The #line directive makes the compiler count lines as in the source.
  return absl::StrCat(head_.substr(0, first_line), kept, head_.substr(first_line), "#line 1\n", body);
}

void Porter::DeclarePrecision(const absl::flat_hash_set<std::string>& words) {
  Declare("precision highp float;");
  Declare("precision highp int;");
  for (const char* sampler :
       {"sampler3D", "samplerCubeShadow", "sampler2DShadow", "sampler2DArray", "isampler2D", "usampler2D",
        "sampler2DArrayShadow", "isampler3D", "usampler3D", "usampler2DArray", "isampler2DArray"}) {
    if (words.contains(sampler)) Declare(absl::StrCat("precision highp ", sampler, ";"));
  }
}

// Skips a statement such as "precision mediump float;" if the target is not ES.
bool Porter::SkipPrecision(const std::vector<GlslToken>& tokens, size_t* i) const {
  if (options_.es || tokens[*i].text != "precision") return false;
  size_t place = *i;
  for (int word = 0; word < 2; ++word) {
    place = SkipSpace(tokens, place + 1);
    if (place >= tokens.size() || tokens[place].kind != Kind::kIdentifier) return false;
  }
  place = SkipSpace(tokens, place + 1);
  if (place >= tokens.size() || tokens[place].text != ";") return false;
  *i = place;
  return true;
}

std::string Porter::PortLine(absl::string_view line) {
  const std::vector<GlslToken> tokens = TokenizeGlsl(line);
  std::string ported;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Kind::kIdentifier) {
      absl::StrAppend(&ported, tokens[i].text);
      continue;
    }
    if (SkipPrecision(tokens, &i)) continue;
    if (tokens[i].text == "ftransform" && IsNext(tokens, i + 1, "(")) {
      Declare(CompatibilityDeclaration("gl_ModelViewProjectionMatrix", stage_));
      Declare(CompatibilityDeclaration("gl_Vertex", stage_));
      ported += "(cgl_ModelViewProjectionMatrix * cgl_Vertex)";
      while (i < tokens.size() && tokens[i].text != ")") ++i;
      continue;
    }
    ported += PortWord(tokens, i);
  }
  return ported;
}

std::string Porter::PortWord(const std::vector<GlslToken>& tokens, size_t i) {
  const absl::string_view word = tokens[i].text;
  const bool fragment = stage_ == GlslStage::kFragment;
  if (word == "attribute" && !fragment) return "in";
  if (word == "varying") return fragment ? "in" : "out";
  // A source that contains both gl_FragColor and gl_FragData uses only one of them, depending on macros. Both start at
  // the same location.
  const bool first_data = word == "gl_FragColor" && has_data_ && !defines_color_;
  if (fragment && word == "gl_FragColor" && !first_data) {
    if (!defines_color_)
      Declare(absl::StrCat("layout(location = 0) out ", options_.es ? "mediump " : "", "vec4 cgl_FragColor;"));
    return "cgl_FragColor";
  }
  if (fragment && (word == "gl_FragData" || first_data)) {
    Declare(absl::StrCat("layout(location = 0) out ", options_.es ? "mediump " : "", "vec4 cgl_FragData[8];"));
    return first_data ? "cgl_FragData[0]" : "cgl_FragData";
  }
  if (word == "gl_FragDepthEXT") return "gl_FragDepth";
  if (IsNext(tokens, i + 1, "(")) {
    const std::string texture = ModernTextureName(word);
    if (texture == "cgl_shadow") Declare("#define cgl_shadow(s, c) vec4(texture(s, c))");
    if (texture == "cgl_shadowProj") Declare("#define cgl_shadowProj(s, c) vec4(textureProj(s, c))");
    if (!texture.empty()) return texture;
  } else if (options_.rename_reserved && IsReservedSince(word) && !in_directive_) {
    // An interpolation qualifier is followed by a word, whereas a variable of this name is followed by an operator.
    const size_t next = SkipSpace(tokens, i + 1);
    const bool qualifier = next < tokens.size() && tokens[next].kind == Kind::kIdentifier;
    if (!qualifier) return absl::StrCat("u_", word, "_");
  }
  if (absl::StartsWith(word, "gl_")) {
    const std::string declaration = CompatibilityDeclaration(word, stage_);
    if (!declaration.empty()) {
      Declare(declaration);
      return absl::StrCat("c", word);
    }
  }
  return std::string(word);
}

}  // namespace

std::vector<GlslToken> TokenizeGlsl(absl::string_view text) {
  std::vector<GlslToken> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    Kind kind = Kind::kOther;
    if (IsWordStart(text[i])) {
      kind = Kind::kIdentifier;
      while (end < text.size() && IsWordPart(text[end])) ++end;
    } else if (absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) {
      kind = Kind::kNumber;
      while (end < text.size() && (IsWordPart(text[end]) || text[end] == '.')) ++end;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(text[i]))) {
      kind = Kind::kSpace;
      while (end < text.size() && absl::ascii_isspace(static_cast<unsigned char>(text[end]))) ++end;
    }
    tokens.push_back({kind, text.substr(i, end - i)});
    i = end;
  }
  return tokens;
}

std::string StripComments(absl::string_view text) {
  std::string kept;
  for (size_t i = 0; i < text.size(); ++i) {
    const absl::string_view two = text.substr(i, 2);
    if (two == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
      if (i < text.size()) kept.push_back('\n');
    } else if (two == "/*") {
      const size_t end = text.find("*/", i + 2);
      const absl::string_view comment = text.substr(i, end == absl::string_view::npos ? end : end + 2 - i);
      kept.push_back(' ');
      kept.append(static_cast<size_t>(std::count(comment.begin(), comment.end(), '\n')), '\n');
      i += comment.size() - 1;
    } else {
      kept.push_back(text[i]);
    }
  }
  return kept;
}

GlslVersion VersionOf(absl::string_view text) {
  GlslVersion version;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> words = DirectiveWords(line);
    if (words.size() < 2 || words[0] != "version" || !absl::SimpleAtoi(words[1], &version.number)) continue;
    version.es = version.number == 100 || (words.size() > 2 && words[2] == "es");
    return version;
  }
  const absl::flat_hash_set<std::string> words = WordsOf(TokenizeGlsl(StripComments(text)));
  version.es = words.contains("precision") || words.contains("mediump") || words.contains("lowp");
  return version;
}

std::string PortGlsl(absl::string_view text, GlslStage stage, const PortOptions& options) {
  return Porter(text, stage, options).Port();
}

}  // namespace rewrought::corpus

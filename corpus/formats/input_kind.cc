#include "corpus/formats/input_kind.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/archive.h"
#include "corpus/glsl/glsl_port.h"
#include "corpus/glsl/glsl_reader.h"
#include "corpus/glsl/hlsl_entry.h"
#include "corpus/spirv/spirv_words.h"
#include "corpus/text/nir_text_reader.h"
#include "corpus/text/tgsi_reader.h"

namespace rewrought::corpus {
namespace {

// Only the start of a long input is searched for words.
constexpr size_t kSearchedBytes = size_t{1} << 20;

// A language or binary format for which Debian 12 has no program that rewrought can use.
struct OtherLanguage {
  absl::string_view name;
  absl::string_view advice;
  std::vector<absl::string_view> extensions;
  std::vector<absl::string_view> starts;  // prefixes of a file, each of which identifies the language
  std::vector<absl::string_view> words;   // words, each of which identifies the language
};

const std::vector<OtherLanguage>& OtherLanguages() {
  static const auto* const languages = new std::vector<OtherLanguage>{
      {"WGSL",
       "convert it with `naga FILE.wgsl FILE.spv` or `tint --format spirv`, and harvest the SPIR-V",
       {".wgsl"},
       {},
       {"@vertex", "@fragment", "@workgroup_size", "var<uniform>", "var<storage>"}},
      {"Metal",
       "no program converts it to SPIR-V; harvest the GLSL, HLSL, or SPIR-V from which it was generated",
       {".metal", ".msl"},
       {},
       {"metal_stdlib", "using namespace metal"}},
      {"OpenCL C",
       "convert it with `clang -target spir64 -cl-std=CL2.0 -O1 -emit-llvm -c FILE.cl -o FILE.bc` and `llvm-spirv "
       "FILE.bc` (packages clang-14 and llvm-spirv-14), and harvest the SPIR-V",
       {".cl", ".clcpp", ".opencl"},
       {},
       {"__kernel void", "get_global_id", "CLK_LOCAL_MEM_FENCE"}},
      {"CUDA", "no program in Debian converts it to SPIR-V", {".cu", ".cuh"}, {}, {"__global__ void"}},
      {"Slang",
       "convert it with `slangc FILE.slang -target spirv -o FILE.spv`, and harvest the SPIR-V",
       {".slang"},
       {},
       {}},
      {"Unity ShaderLab",
       "harvest the shaders that Unity compiles from it for Vulkan, for example with Fossilize",
       {".shader", ".cginc", ".shadergraph"},
       {},
       {"CGPROGRAM", "HLSLPROGRAM"}},
      {"Unreal Engine HLSL",
       "harvest the shaders that the engine compiles from it for Vulkan, for example with Fossilize",
       {".usf", ".ush"},
       {},
       {}},
      {"Godot's shading language",
       "harvest the shaders that Godot compiles from it, for example with Fossilize",
       {".gdshader", ".gdshaderinc"},
       {},
       {"shader_type canvas_item;", "shader_type spatial;", "shader_type particles;"}},
      {"an ARB assembly program",
       "run it with Mesa and NIR_DEBUG=print, and harvest the NIR that Mesa prints",
       {},
       {"!!ARB", "!!NV"},
       {}},
      {"LLVM IR",
       "convert it with `llvm-as FILE.ll` and `llvm-spirv FILE.bc` (package llvm-spirv-14), and harvest the SPIR-V",
       {},
       {"; ModuleID", "target datalayout", "source_filename ="},
       {}},
      {"LLVM bitcode",
       "convert it with `llvm-spirv FILE.bc` (package llvm-spirv-14), and harvest the SPIR-V",
       {},
       {"BC\xc0\xde"},
       {}},
      {"DXBC or DXIL",
       "convert it with `vkd3d-compiler -x dxbc-tpf -b spirv-binary -o FILE.spv FILE` (package vkd3d-compiler) or "
       "with dxil-spirv, and harvest the SPIR-V",
       {},
       {"DXBC"},
       {}},
      {"a Metal library", "no program converts it to SPIR-V", {}, {"MTLB"}, {}},
  };
  return *languages;
}

const OtherLanguage* LanguageByName(absl::string_view name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const OtherLanguage& language : OtherLanguages()) {
    for (absl::string_view extension : language.extensions) {
      if (absl::EndsWith(lower, extension)) return &language;
    }
  }
  return nullptr;
}

const OtherLanguage* LanguageByStart(absl::string_view bytes) {
  for (const OtherLanguage& language : OtherLanguages()) {
    for (absl::string_view start : language.starts) {
      if (absl::StartsWith(bytes, start)) return &language;
    }
  }
  return nullptr;
}

// Returns the first language of which `text` contains a word, or null. `text` must not contain comments.
const OtherLanguage* LanguageByWords(absl::string_view text) {
  for (const OtherLanguage& language : OtherLanguages()) {
    for (absl::string_view word : language.words) {
      if (absl::StrContains(text, word)) return &language;
    }
  }
  return nullptr;
}

bool HasExtension(absl::string_view name, std::initializer_list<absl::string_view> extensions) {
  const std::string lower = absl::AsciiStrToLower(name);
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](absl::string_view extension) { return absl::EndsWith(lower, extension); });
}

bool IsText(absl::string_view bytes) { return bytes.substr(0, 4096).find('\0') == absl::string_view::npos; }

// Returns the first line that is not blank. `text` must not contain comments.
absl::string_view FirstLine(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");
  text = absl::StripLeadingAsciiWhitespace(text);
  return text.substr(0, text.find('\n'));
}

bool StartsWithVersion(absl::string_view text) {
  absl::string_view line = FirstLine(text);
  if (!absl::ConsumePrefix(&line, "#")) return false;
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "version") && VersionOf(text).number != 0;
}

bool LooksLikeSpirvAssembly(absl::string_view name, absl::string_view text) {
  if (HasExtension(name, {".spvasm", ".spvasm32", ".spirvasm"})) return true;
  for (absl::string_view line : absl::StrSplit(text.substr(0, 1u << 16), '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    if (line.empty() || line[0] == ';') continue;
    return absl::StartsWith(line, "OpCapability ");
  }
  return false;
}

// Returns whether a file called `name` may be a shader whose language only its words identify. Programs and documents
// may contain the same words.
bool MayBeShader(absl::string_view name) {
  const absl::string_view file = name.substr(name.rfind('/') + 1);
  if (file.find('.', 1) == absl::string_view::npos || IsGlslName(name) != GlslName::kNo) return true;
  return HasExtension(file, {".txt", ".inc", ".in", ".src", ".shader", ".data", ".x", ".prog", ".program"});
}

// Returns the kind of a text file that KindOf has not recognized by its start or its extension.
InputKind KindOfSource(absl::string_view name, absl::string_view bytes) {
  const std::string text = StripComments(bytes.substr(0, kSearchedBytes));
  if (StartsWithVersion(text)) return InputKind::kGlsl;
  if (LanguageByName(name) != nullptr) return InputKind::kOther;
  if (HasExtension(name, {".hlsl", ".hlsli", ".fx", ".fxh", ".hlslinc"})) return InputKind::kHlsl;
  const GlslName named = IsGlslName(name);
  const bool has_main = HasMain(text);
  const bool may_be_shader = MayBeShader(name);
  const bool is_hlsl = may_be_shader && LooksLikeHlsl(text);
  if (named == GlslName::kYes && has_main && !is_hlsl) return InputKind::kGlsl;
  if (is_hlsl) return InputKind::kHlsl;
  if (may_be_shader && LanguageByWords(text) != nullptr) return InputKind::kOther;
  if (named == GlslName::kYes || (named == GlslName::kPossibly && has_main)) return InputKind::kGlsl;
  return LooksLikeGlsl(text) ? InputKind::kGlsl : InputKind::kOther;
}

}  // namespace

InputKind KindOf(absl::string_view name, absl::string_view bytes) {
  if (bytes.empty()) return InputKind::kEmpty;
  if (LooksLikeSpirv(bytes)) return InputKind::kSpirv;
  if (LanguageByStart(bytes) != nullptr) return InputKind::kOther;
  if (LooksLikeArchive(bytes)) return InputKind::kArchive;
  if (!IsText(bytes)) return InputKind::kOther;
  if (LooksLikeNirText(bytes)) return InputKind::kNirText;
  if (LooksLikeTgsi(bytes)) return InputKind::kTgsi;
  if (LooksLikeSpirvAssembly(name, bytes)) return InputKind::kSpirvAssembly;
  if (HasExtension(name, {".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx"})) return InputKind::kScript;
  if (LooksLikeShaderTest(bytes)) return InputKind::kShaderTest;
  return KindOfSource(name, bytes);
}

std::string WhyUnreadable(absl::string_view name, absl::string_view bytes) {
  const OtherLanguage* language = LanguageByStart(bytes);
  if (language == nullptr && IsText(bytes)) {
    language = LanguageByName(name);
    if (language == nullptr && MayBeShader(name))
      language = LanguageByWords(StripComments(bytes.substr(0, kSearchedBytes)));
  }
  if (language == nullptr) return "not a shader";
  return absl::StrCat(language->name, " cannot be read: ", language->advice);
}

}  // namespace rewrought::corpus

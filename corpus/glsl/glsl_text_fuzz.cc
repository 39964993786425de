// Runs all code that handles .shader_test files, scripts, and uncompiled GLSL and HLSL on arbitrary text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "corpus/glsl/glsl_in_script.h"
#include "corpus/glsl/glsl_port.h"
#include "corpus/glsl/glsl_reader.h"
#include "corpus/glsl/hlsl_entry.h"
#include "corpus/glsl/include_expander.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::corpus;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  size_t length = 0;
  for (const GlslToken& token : TokenizeGlsl(text)) length += token.text.size();
  if (length != size) std::abort();  // the tokens must cover the whole text
  (void)VersionOf(text);
  (void)LooksLikeGlsl(text);
  (void)LooksLikeShaderTest(text);
  const GlslStage stage = GuessStage("fuzz", text).value_or(GlslStage::kFragment);
  const std::string complete = CompleteSource(text);
  for (const bool flag : {false, true}) {
    (void)PortGlsl(complete, stage, {.es = flag, .define_unknown_macros = flag, .rename_reserved = flag});
  }
  for (const ShaderTestStage& part : SplitShaderTest(text)) (void)GuessStage("fuzz", part.text);
  (void)GlslLiterals(text);
  (void)LooksLikeHlsl(text);
  (void)HlslEntries("fuzz", text);
  // Each included file is a suffix of the text.
  (void)ExpandIncludes(text, "fuzz", SourceLanguage::kHlsl,
                       [text](absl::string_view name, absl::string_view) -> absl::StatusOr<IncludedFile> {
                         return IncludedFile{std::string(name), std::string(text.substr(name.size()))};
                       });
  return 0;
}

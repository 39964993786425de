// Reads shaders from GLSL and ESSL source of any age, and from piglit's .shader_test files, through glslang.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_READER_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_READER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_compilers.h"
#include "corpus/glsl/glsl_port.h"
#include "corpus/glsl/subprocess.h"
#include "corpus/spirv/spirv_simplify.h"
#include "ir/shader.h"

namespace rewrought::corpus {

struct GlslOptions {
  // Asked first; null, or without a worker: every text starts `compiler`, which gives the same but takes some 0.1 s
  // more. Not owned.
  GlslCompilers* compilers = nullptr;
  std::string compiler = "glslangValidator";  // a path, or a name found in PATH; empty: there is none
  ProcessLimits limits;
  int first_line = 1;  // of the text in its file
};

// SPIR-V of `text`, a complete source or one that CompleteSource completes. Tried in this order, the first success
// wins: the source as it is (where its version is one that glslang compiles to SPIR-V), ported to ES 3.10 (ES sources
// only), ported to 4.50; then both with unknown macros defined to 1, then with reserved words renamed. InvalidArgument
// "GLSL does not compile: line N: the compiler's first error" of the last try: nothing helped. NotFound: no compiler.
// ResourceExhausted: the text is longer than proto::kGlslLimits, or all tries together took longer than options.limits.
absl::StatusOr<std::string> CompileGlsl(absl::string_view text, GlslStage stage, const GlslOptions& options);

// The shader of what CompileGlsl gave for a text. Errors of ReadSpirv.
absl::StatusOr<ir::Shader> ReadCompiledGlsl(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                            const GlslOptions& options);

// SimplifySpirv in one of the workers that `options` name, within their limits. Without any it is done here; but where
// `options.compiler` is empty, too, which says that nothing from outside is read here, it is NotFound.
SpirvSimplifier SimplifierOf(const GlslOptions& options);

// The shader of one source; its stage by `name` and text. `name` and `source` as ir::Shader has them.
// InvalidArgument: no stage can be told, or it does not compile; else as CompileGlsl and ReadSpirv.
absl::StatusOr<ir::Shader> ReadGlsl(absl::string_view text, absl::string_view name, absl::string_view source,
                                    const GlslOptions& options);

// One GLSL stage of a .shader_test.
struct ShaderTestStage {
  GlslStage stage = GlslStage::kFragment;
  int line = 1;      // in the file, where `text` begins
  std::string text;  // with a #version from the [require] section where it had none
};

// True if the text has a [require] section or a [... shader] one.
bool LooksLikeShaderTest(absl::string_view text);

// The GLSL stages of a .shader_test. Sections of assembly or SPIR-V text ("[vertex program]", "[fragment shader
// spirv]") and passthrough stages are left out.
std::vector<ShaderTestStage> SplitShaderTest(absl::string_view text);

// True if the text looks like GLSL: words and braces that C has too, and at least one that only GLSL has.
bool LooksLikeGlsl(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_READER_H_

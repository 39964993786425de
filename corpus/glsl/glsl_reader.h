// Reads shaders from GLSL and ESSL sources of any version, and from piglit's .shader_test files, through glslang.
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
  // Used first. If it is null or has no worker, every text starts `compiler`, which produces the same result but takes
  // about 0.1 s longer. Not owned.
  GlslCompilers* compilers = nullptr;
  std::string compiler = "glslangValidator";  // a path, or a name in PATH; empty: no compiler
  ProcessLimits limits;
  int first_line = 1;  // line of the text's start in its file
};

// Compiles `text`, which is complete or can be completed by CompleteSource, to SPIR-V. Uses the first success of
// these variants: the source itself (if glslang compiles its version to SPIR-V), ported to ES 3.10 (ES sources only),
// ported to 4.50; then both ports with unknown macros defined as 1, then with reserved words renamed. If all fail,
// fails with InvalidArgument "GLSL does not compile: line N: ..." with the first error of the last variant. Fails
// with NotFound if there is no compiler, and with ResourceExhausted if the text is longer than proto::kGlslLimits or
// all variants together exceed options.limits.
absl::StatusOr<std::string> CompileGlsl(absl::string_view text, GlslStage stage, const GlslOptions& options);

// Returns the shader of CompileGlsl's result. Fails with the errors of ReadSpirv.
absl::StatusOr<ir::Shader> ReadCompiledGlsl(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                            const GlslOptions& options);

// Returns a function that runs SimplifySpirv in a worker of `options`, within its limits. Without workers, the
// function runs SimplifySpirv in this process, unless `options.compiler` is empty, too. In that case this process
// must not read untrusted bytes, so the function fails with NotFound.
SpirvSimplifier SimplifierOf(const GlslOptions& options);

// Returns the shader of one source. `name` and the text determine its stage; `name` and `source` are as in
// ir::Shader. Fails with InvalidArgument if the stage is unknown or the source does not compile, and otherwise with
// the errors of CompileGlsl and ReadSpirv.
absl::StatusOr<ir::Shader> ReadGlsl(absl::string_view text, absl::string_view name, absl::string_view source,
                                    const GlslOptions& options);

struct ShaderTestStage {
  GlslStage stage = GlslStage::kFragment;
  int line = 1;      // line in the file where `text` begins
  std::string text;  // a missing #version is added from the [require] section
};

// Returns whether the text has a [require] section or a [... shader] section.
bool LooksLikeShaderTest(absl::string_view text);

// Returns the GLSL stages of a .shader_test. Omits sections of assembly or SPIR-V text ("[vertex program]",
// "[fragment shader spirv]") and passthrough stages.
std::vector<ShaderTestStage> SplitShaderTest(absl::string_view text);

// Returns whether the text looks like GLSL: it contains words and braces as in C, and at least one word that only
// GLSL has.
bool LooksLikeGlsl(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_READER_H_

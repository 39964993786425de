// Reads shaders from GLSL and ESSL sources of any version, from HLSL, and from piglit's .shader_test files, using
// glslang.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_READER_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_READER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_compilers.h"
#include "corpus/glsl/glsl_port.h"
#include "corpus/glsl/hlsl_entry.h"
#include "corpus/glsl/subprocess.h"
#include "corpus/spirv/spirv_simplify.h"
#include "ir/shader.h"

namespace rewrought::corpus {

struct GlslOptions {
  // The compilers to use. If this is null or has no worker, `compiler` is started for every source, which produces the
  // same result but takes about 0.1 s longer. Not owned.
  GlslCompilers* compilers = nullptr;
  std::string compiler = "glslangValidator";  // a path, a name to look up in PATH, or empty for no compiler
  ProcessLimits limits;
  int first_line = 1;  // line in the file at which the text starts
};

// Compiles `text`, which is complete or can be completed by CompleteSource, to SPIR-V. Tries these variants in order
// and uses the first one that compiles: the source itself (if glslang compiles its version to SPIR-V), the source
// ported to ES 3.10 (only if it is an ES source), the source ported to 4.50, then both ports with unknown macros
// defined as 1, and then both with reserved words renamed. If no variant compiles, fails with InvalidArgument "GLSL
// does not compile: line N: ..." and the first error of the variant whose first error has the highest line number.
// Fails with NotFound if there is no compiler, and with ResourceExhausted if the text is longer than proto::kGlslLimits
// or all variants together exceed options.limits.
absl::StatusOr<std::string> CompileGlsl(absl::string_view text, GlslStage stage, const GlslOptions& options);

// Compiles one entry point of HLSL to SPIR-V. Fails like CompileGlsl, with the word HLSL in the messages.
absl::StatusOr<std::string> CompileHlsl(absl::string_view text, const HlslEntry& entry, const GlslOptions& options);

// Assembles SPIR-V text in a worker of `options.compilers`. If there are no workers, assembles it in this process, or
// fails with NotFound if `options.compiler` is empty as well. Also returns any error of AssembleSpirv. The text may
// state the version in a comment. If it does not, returns one module for each version whose rules differ, the newest
// first, because the text may be valid in only one version.
absl::StatusOr<std::vector<std::string>> AssembleSpirvText(absl::string_view text, const GlslOptions& options);

// Reads the result of CompileGlsl or CompileHlsl and returns its shader. Fails with the errors of ReadSpirv.
absl::StatusOr<ir::Shader> ReadCompiledGlsl(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                            const GlslOptions& options);

// Returns a function that runs SimplifySpirv in a worker of `options.compilers`, within the limits of `options`. If
// there are no workers, the function runs SimplifySpirv in this process. If `options.compiler` is empty as well, this
// process must not read untrusted bytes, so the function fails with NotFound.
SpirvSimplifier SimplifierOf(const GlslOptions& options);

// Returns the shader of one source. `name` and the text determine the stage; `name` and `source` become the fields of
// ir::Shader. Fails with InvalidArgument if the stage is unknown or the source does not compile, and otherwise with the
// errors of CompileGlsl and ReadSpirv.
absl::StatusOr<ir::Shader> ReadGlsl(absl::string_view text, absl::string_view name, absl::string_view source,
                                    const GlslOptions& options);

struct ShaderTestStage {
  GlslStage stage = GlslStage::kFragment;
  int line = 1;      // line in the file where `text` begins
  std::string text;  // a missing #version line is added, as the [require] section specifies
};

// Returns whether the text has a [require] section or a [... shader] section.
bool LooksLikeShaderTest(absl::string_view text);

// Returns the GLSL stages of a .shader_test. Omits sections of assembly or SPIR-V text ("[vertex program]",
// "[fragment shader spirv]") and passthrough stages.
std::vector<ShaderTestStage> SplitShaderTest(absl::string_view text);

// Returns whether the text looks like GLSL: it contains words and braces as in C, and at least one word that is
// specific to GLSL.
bool LooksLikeGlsl(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_READER_H_

// rewrought_glsl_worker compiles GLSL to SPIR-V and converts SPIR-V to SSA form for corpus/glsl/glsl_compilers.h, over
// the socket on its standard input. It builds glslang's tables of built-ins only once, because building them takes most
// of a compilation's time. Every source is compiled in a fork of this process, under limits, so that no source can
// affect the next one.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_port.h"
#include "corpus/glsl/glsl_worker_protocol.h"
#include "corpus/glsl/lockdown.h"
#include "corpus/glsl/subprocess.h"
#include "corpus/spirv/spirv_assembler.h"
#include "corpus/spirv/spirv_simplify.h"
#include "glslang/Public/ResourceLimits.h"
#include "glslang/Public/ShaderLang.h"
#include "glslang/SPIRV/GlslangToSpv.h"

namespace rewrought::corpus {
namespace {

EShLanguage LanguageOf(GlslStage stage) {
  switch (stage) {
    case GlslStage::kVertex:
      return EShLangVertex;
    case GlslStage::kTessControl:
      return EShLangTessControl;
    case GlslStage::kTessEvaluation:
      return EShLangTessEvaluation;
    case GlslStage::kGeometry:
      return EShLangGeometry;
    case GlslStage::kFragment:
      return EShLangFragment;
    case GlslStage::kCompute:
      return EShLangCompute;
    case GlslStage::kTask:
      return EShLangTask;
    case GlslStage::kMesh:
      return EShLangMesh;
    case GlslStage::kRayGeneration:
      return EShLangRayGen;
    case GlslStage::kIntersection:
      return EShLangIntersect;
    case GlslStage::kAnyHit:
      return EShLangAnyHit;
    case GlslStage::kClosestHit:
      return EShLangClosestHit;
    case GlslStage::kMiss:
      return EShLangMiss;
    case GlslStage::kCallable:
      return EShLangCallable;
  }
  return EShLangFragment;
}

EShMessages MessagesOf(GlslDialect dialect) {
  const int vulkan = dialect == GlslDialect::kOpenGl ? 0 : static_cast<int>(EShMsgVulkanRules);
  const int hlsl = dialect == GlslDialect::kHlsl ? static_cast<int>(EShMsgReadHlsl) : 0;
  return static_cast<EShMessages>(EShMsgSpvRules | vulkan | hlsl);
}

// Configures a shader as glslangValidator does for the flags of the dialect.
void Prepare(GlslDialect dialect, EShLanguage language, glslang::TShader* shader) {
  const bool open_gl = dialect == GlslDialect::kOpenGl;
  const bool hlsl = dialect == GlslDialect::kHlsl;
  const bool recent = dialect == GlslDialect::kVulkan12 || dialect == GlslDialect::kVulkan12Relaxed;
  const glslang::EShClient client = open_gl ? glslang::EShClientOpenGL : glslang::EShClientVulkan;
  constexpr int kClientSemantics = 100;
  shader->setEnvInput(hlsl ? glslang::EShSourceHlsl : glslang::EShSourceGlsl, language, client, kClientSemantics);
  shader->setEnvClient(client, open_gl  ? glslang::EShTargetOpenGL_450
                               : recent ? glslang::EShTargetVulkan_1_2
                               : hlsl   ? glslang::EShTargetVulkan_1_1
                                        : glslang::EShTargetVulkan_1_0);
  // For HLSL, glslang generates decorations that newer versions of SPIR-V lack.
  shader->setEnvTarget(glslang::EShTargetSpv, recent ? glslang::EShTargetSpv_1_5
                                              : hlsl ? glslang::EShTargetSpv_1_3
                                                     : glslang::EShTargetSpv_1_0);
  if (dialect == GlslDialect::kVulkan12Relaxed || dialect == GlslDialect::kVulkanRelaxed) {
    shader->setEnvInputVulkanRulesRelaxed();
  }
  shader->setAutoMapBindings(true);
  shader->setAutoMapLocations(true);
}

bool Parse(GlslDialect dialect, const std::string& text, glslang::TShader* shader) {
  const char* const strings[] = {text.data()};
  const int lengths[] = {static_cast<int>(text.size())};
  shader->setStringsWithLengths(strings, lengths, 1);
  constexpr int kVersionWithoutLine = 100;
  return shader->parse(GetDefaultResources(), kVersionWithoutLine, false, MessagesOf(dialect));
}

bool Write(int output, const void* bytes, size_t left) {
  const char* at = static_cast<const char*>(bytes);
  while (left > 0) {
    const ssize_t count = write(output, at, left);
    if (count <= 0) return false;
    at += count;
    left -= static_cast<size_t>(count);
  }
  return true;
}

// Runs in the fork. Writes SPIR-V or the compiler's messages to `output`, and returns the exit code.
int Compile(GlslStage stage, GlslDialect dialect, const std::string& entry_point, const std::string& text, int output) {
  const EShLanguage language = LanguageOf(stage);
  glslang::TShader shader(language);
  Prepare(dialect, language, &shader);
  if (dialect == GlslDialect::kHlsl) shader.setEntryPoint(entry_point.c_str());
  const bool parsed = Parse(dialect, text, &shader);
  glslang::TProgram program;
  program.addShader(&shader);
  std::vector<unsigned int> words;
  if (parsed && program.link(MessagesOf(dialect)) && program.mapIO()) {
    glslang::SpvOptions options;
    options.generateDebugInfo = true;  // needed for line numbers
    options.disableOptimizer = true;   // glslang optimizes HLSL by default
    spv::SpvBuildLogger logger;
    glslang::GlslangToSpv(*program.getIntermediate(language), words, &logger, &options);
  }
  const std::string said = std::string(shader.getInfoLog()) + "\n" + program.getInfoLog();
  if (words.empty()) return Write(output, said.data(), said.size()), 1;
  return Write(output, words.data(), words.size() * sizeof(words[0])) ? 0 : 1;
}

// Also runs in the fork. Writes the SPIR-V or the error message. Returns the status code as the exit code.
int WriteSpirv(const absl::StatusOr<std::vector<uint32_t>>& words, int output) {
  const absl::string_view said = words.status().message();
  const bool written = words.ok() ? Write(output, words->data(), words->size() * sizeof(uint32_t))
                                  : Write(output, said.data(), said.size());
  return written ? static_cast<int>(words.status().code()) : static_cast<int>(absl::StatusCode::kInternal);
}

int Simplify(const std::string& bytes, int output) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return WriteSpirv(SimplifySpirv(words), output);
}

class Worker {
 public:
  // Answers requests until the other side disconnects.
  void Serve();

 private:
  void MakeTables(GlslDialect dialect, const GlslVersion& version);

  std::set<std::pair<uint32_t, int>> made_;  // the dialects and versions (negative for ES) for which tables exist
};

// Compiles an empty source of the same version in this process instead of in a fork, so that glslang keeps the tables.
// For the remaining versions and the compatibility profile, each fork builds the tables, as glslangValidator does.
void Worker::MakeTables(GlslDialect dialect, const GlslVersion& version) {
  constexpr int kDesktop[] = {140, 150, 330, 400, 410, 420, 430, 440, 450, 460};
  constexpr int kEs[] = {310, 320};
  const bool known = version.es ? std::count(std::begin(kEs), std::end(kEs), version.number) > 0
                                : std::count(std::begin(kDesktop), std::end(kDesktop), version.number) > 0;
  if (!known) return;
  if (!made_.emplace(static_cast<uint32_t>(dialect), version.es ? -version.number : version.number).second) return;
  const std::string text =
      "#version " + std::to_string(version.number) + (version.es ? " es" : "") + "\nvoid main() {}\n";
  glslang::TShader shader(EShLangFragment);
  Prepare(dialect, EShLangFragment, &shader);
  Parse(dialect, text, &shader);
}

void Worker::Serve() {
  constexpr auto kEver = std::chrono::steady_clock::time_point::max();
  if (!SendAll(STDIN_FILENO, &kGlslWorkerReady, sizeof(kGlslWorkerReady))) return;
  GlslRequestHead head;
  while (ReceiveAll(STDIN_FILENO, &head, sizeof(head), kEver)) {
    if (head.text_bytes > kMaxGlslMessage || head.dialect > kAssembleSpirv) return;
    head.entry_point[kMaxEntryPoint - 1] = '\0';
    std::string text(head.text_bytes, '\0');
    if (!ReceiveAll(STDIN_FILENO, text.data(), text.size(), kEver)) return;
    const auto dialect = static_cast<GlslDialect>(head.dialect);
    if (head.dialect < kGlslDialects && dialect != GlslDialect::kHlsl) MakeTables(dialect, VersionOf(text));
    ProcessLimits limits;
    limits.seconds = head.seconds;
    limits.memory_bytes = head.memory_bytes;
    limits.output_bytes = kMaxGlslMessage;
    const auto result = RunForked(
        [&](int output) {
          if (head.dialect == kSimplifySpirv) return Simplify(text, output);
          if (head.dialect == kAssembleSpirv) return WriteSpirv(AssembleSpirv(text), output);
          return Compile(static_cast<GlslStage>(head.stage), dialect, head.entry_point, text, output);
        },
        limits);
    if (!result.ok()) return;
    GlslReplyHead reply;
    reply.exit_code = result->exit_code;
    reply.timed_out = result->timed_out ? 1 : 0;
    reply.output_bytes = std::min<uint64_t>(result->output.size(), kMaxGlslMessage);
    if (!SendAll(STDIN_FILENO, &reply, sizeof(reply))) return;
    if (!SendAll(STDIN_FILENO, result->output.data(), reply.output_bytes)) return;
  }
}

}  // namespace
}  // namespace rewrought::corpus

int main() {
  glslang::InitializeProcess();
  // The shader source is untrusted. If the system does not support seccomp filters, the caller works without this
  // binary.
  if (!rewrought::corpus::LockDown(rewrought::corpus::Forks::kYes).ok()) return 1;
  rewrought::corpus::Worker().Serve();
  return 0;
}

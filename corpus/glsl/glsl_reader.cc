#include "corpus/glsl/glsl_reader.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/spirv/spirv_assembler.h"
#include "corpus/spirv/spirv_reader.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

constexpr size_t kMaxErrorBytes = 200;
constexpr absl::string_view kMemoryFolder = "/proc/self/fd/";

// A file in memory that a child process can open by name. Nothing is written to disk.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("rewrought-glsl", 0)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  bool made() const { return descriptor_ >= 0; }
  std::string path() const { return absl::StrCat(kMemoryFolder, descriptor_); }

 private:
  const int descriptor_;
};

struct CompileError {
  std::string file;  // the name of an included file, or empty for the text itself
  int line = 0;      // line in the file, or 0 if the compiler reports none
  std::string message;
};

// Returns the first error, such as line 3 and "'x' : undeclared identifier" for a line "ERROR: <file>:3: ...".
CompileError FirstError(const ProcessResult& result) {
  if (result.exit_code < 0) return {"", 0, "the compiler crashed"};
  for (absl::string_view line : absl::StrSplit(result.output, '\n')) {
    if (!absl::ConsumePrefix(&line, "ERROR: ")) continue;
    const size_t place = line.find(": ");
    if (place == absl::string_view::npos) return {"", 0, std::string(line.substr(0, kMaxErrorBytes))};
    const absl::string_view said = absl::StripAsciiWhitespace(line.substr(place + 2)).substr(0, kMaxErrorBytes);
    const absl::string_view where = line.substr(0, place);
    int number = 0;
    const size_t colon = where.rfind(':');
    if (!absl::SimpleAtoi(where.substr(colon + 1), &number) || number < 1) return {"", 0, std::string(said)};
    const absl::string_view file = where.substr(0, colon == absl::string_view::npos ? 0 : colon);
    int string = 0;  // the compiler calls the text itself "0" or the name of a MemoryFile
    const bool own = file.empty() || absl::SimpleAtoi(file, &string) || absl::StartsWith(file, kMemoryFolder);
    return {own ? std::string() : std::string(file), number, std::string(said)};
  }
  return {"", 0, "the compiler produced no SPIR-V"};
}

class GlslCompiler {
 public:
  GlslCompiler(absl::string_view text, GlslStage stage, const GlslOptions& options)
      : text_(CompleteSource(text)),
        stage_(stage),
        options_(options),
        deadline_(std::chrono::steady_clock::now() + std::chrono::duration<double>(options.limits.seconds)) {}

  absl::StatusOr<std::string> Compile();

  // Compiles the text as HLSL.
  absl::StatusOr<std::string> CompileHlsl(const std::string& entry_point);

 private:
  // Returns the compiler's output. After a compilation error, returns an empty string and notes the error.
  absl::StatusOr<std::string> Attempt(const std::string& text, GlslDialect dialect);
  absl::StatusOr<std::string> AttemptByProgram(const std::string& text, const std::vector<std::string>& flags,
                                               const ProcessLimits& limits);
  void Note(CompileError error) {
    // The most useful error is that of the variant in which the compiler got furthest.
    if (error_.message.empty() || error.line > error_.line) error_ = std::move(error);
  }
  absl::Status TooLong() const {
    return absl::ResourceExhaustedError(
        absl::StrCat(language_, " takes too long to compile: more than ", options_.limits.seconds, " s"));
  }
  absl::Status DoesNotCompile() const {
    std::string place;
    if (!error_.file.empty()) {
      place = absl::StrCat(error_.file, " line ", error_.line, ": ");
    } else if (error_.line > 0) {
      place = absl::StrCat("line ", error_.line + options_.first_line - 1, ": ");
    }
    return absl::InvalidArgumentError(absl::StrCat(language_, " does not compile: ", place, error_.message));
  }

  const std::string text_;
  const GlslStage stage_;
  const GlslOptions& options_;
  std::string language_ = "GLSL";
  std::string entry_point_ = "main";
  const std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double, std::nano>> deadline_;
  CompileError error_;
};

const std::vector<std::string>& FlagsOf(GlslDialect dialect) {
  static const auto* const flags = new std::vector<std::string>[kGlslDialects] {
    {"-V", "--target-env", "vulkan1.2"}, {"-G"}, {"-V", "-R", "--target-env", "vulkan1.2"}, {"-V", "-R"}, {
      "-D", "-Od", "-V", "--target-env", "vulkan1.1"
    }
  };
  return flags[static_cast<size_t>(dialect)];
}

absl::StatusOr<std::string> GlslCompiler::Attempt(const std::string& text, GlslDialect dialect) {
  ProcessLimits limits = options_.limits;
  limits.seconds = std::chrono::duration<double>(deadline_ - std::chrono::steady_clock::now()).count();
  if (limits.seconds <= 0) return TooLong();
  if (options_.compilers != nullptr) {
    absl::StatusOr<ProcessResult> result = options_.compilers->Compile(text, stage_, dialect, limits, entry_point_);
    if (result.ok()) {
      if (result->timed_out) return TooLong();
      if (result->exit_code == 0 && !result->output.empty()) return std::move(result->output);
      Note(FirstError(*result));
      return std::string();
    }
    if (!absl::IsNotFound(result.status())) return result.status();
  }
  return AttemptByProgram(text, FlagsOf(dialect), limits);
}

absl::StatusOr<std::string> GlslCompiler::AttemptByProgram(const std::string& text,
                                                           const std::vector<std::string>& flags,
                                                           const ProcessLimits& limits) {
  if (options_.compiler.empty()) return absl::NotFoundError("there is no GLSL compiler");
  const MemoryFile source, binary;
  if (!source.made() || !binary.made()) return absl::InternalError("cannot create a file in memory");
  std::ofstream(source.path(), std::ios::binary) << text;
  std::vector<std::string> arguments = {options_.compiler, "-S",    std::string(GlslangStage(stage_)),
                                        "--aml",           "--amb", "-g"};
  if (language_ == "HLSL") arguments.insert(arguments.end(), {"-e", entry_point_});
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), {"-o", binary.path(), source.path()});
  const absl::StatusOr<ProcessResult> result = RunProcess(arguments, limits);
  if (!result.ok()) return result.status();
  if (result->timed_out) return TooLong();
  std::ifstream file(binary.path(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (result->exit_code != 0 || bytes.empty()) {
    Note(FirstError(*result));
    return std::string();
  }
  return bytes;
}

absl::StatusOr<std::string> GlslCompiler::Compile() {
  const GlslVersion version = VersionOf(text_);
  // glslang generates SPIR-V for GLSL versions 140 and later, and for ESSL versions 310 and later.
  if (version.es ? version.number >= 310 : version.number >= 140) {
    for (GlslDialect dialect : {GlslDialect::kVulkan12, GlslDialect::kOpenGl, GlslDialect::kVulkan12Relaxed}) {
      const absl::StatusOr<std::string> bytes = Attempt(text_, dialect);
      if (!bytes.ok() || !bytes->empty()) return bytes;
    }
  }
  for (const bool rename : {false, true}) {
    for (const bool define : {false, true}) {
      for (const bool es : {true, false}) {
        if (es && !version.es) continue;
        const std::string text =
            PortGlsl(text_, stage_, {.es = es, .define_unknown_macros = define, .rename_reserved = rename});
        const absl::StatusOr<std::string> bytes =
            Attempt(text, es ? GlslDialect::kVulkanRelaxed : GlslDialect::kOpenGl);
        if (!bytes.ok() || !bytes->empty()) return bytes;
      }
    }
  }
  return DoesNotCompile();
}

absl::StatusOr<std::string> GlslCompiler::CompileHlsl(const std::string& entry_point) {
  language_ = "HLSL";
  entry_point_ = entry_point;
  absl::StatusOr<std::string> bytes = Attempt(text_, GlslDialect::kHlsl);
  return bytes.ok() && bytes->empty() ? DoesNotCompile() : bytes;
}

// Maps "[vertex shader]" to the stage. Returns nullopt for other sections.
std::optional<GlslStage> StageOfSection(absl::string_view section) {
  constexpr std::pair<absl::string_view, GlslStage> kSections[] = {
      {"vertex shader", GlslStage::kVertex},
      {"tessellation control shader", GlslStage::kTessControl},
      {"tessellation evaluation shader", GlslStage::kTessEvaluation},
      {"geometry shader", GlslStage::kGeometry},
      {"fragment shader", GlslStage::kFragment},
      {"compute shader", GlslStage::kCompute},
  };
  for (const auto& [name, stage] : kSections) {
    if (section == name) return stage;
  }
  return std::nullopt;
}

// Maps "[name]" to "name".
std::optional<absl::string_view> SectionOf(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "[") || !absl::ConsumeSuffix(&line, "]")) return std::nullopt;
  return line;
}

// Maps "GLSL >= 1.30" to "130", and "GLSL ES >= 3.00" to "300 es".
std::string RequiredVersion(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "GLSL ")) return "";
  const bool es = absl::ConsumePrefix(&line, "ES ");
  if (!absl::ConsumePrefix(&line, ">=") && !absl::ConsumePrefix(&line, "=")) return "";
  double number = 0;
  if (!absl::SimpleAtod(absl::StripAsciiWhitespace(line), &number) || number < 1 || number > 9) return "";
  const int version = static_cast<int>(number * 100 + 0.5);
  return es && version > 100 ? absl::StrCat(version, " es") : absl::StrCat(version);
}

// Returns the version word that a comment such as "; Version: 1.3" states.
std::optional<uint32_t> VersionOfAssembly(absl::string_view text) {
  constexpr absl::string_view kComment = "; Version: 1.";
  const size_t found = text.substr(0, 4096).find(kComment);
  if (found == absl::string_view::npos || found + kComment.size() >= text.size()) return std::nullopt;
  const char minor = text[found + kComment.size()];
  if (minor < '0' || minor > '6') return std::nullopt;
  return 0x00010000u | static_cast<uint32_t>(minor - '0') << 8;
}

}  // namespace

absl::StatusOr<std::string> CompileGlsl(absl::string_view text, GlslStage stage, const GlslOptions& options) {
  if (absl::Status bounded = proto::CheckLength(text, proto::kGlslLimits); !bounded.ok()) return bounded;
  return GlslCompiler(text, stage, options).Compile();
}

absl::StatusOr<std::string> CompileHlsl(absl::string_view text, const HlslEntry& entry, const GlslOptions& options) {
  if (absl::Status bounded = proto::CheckLength(text, proto::kGlslLimits); !bounded.ok()) return bounded;
  return GlslCompiler(text, entry.stage, options).CompileHlsl(entry.name);
}

absl::StatusOr<std::vector<std::string>> AssembleSpirvText(absl::string_view text, const GlslOptions& options) {
  if (absl::Status bounded = proto::CheckLength(text, proto::kSpirvTextLimits); !bounded.ok()) return bounded;
  absl::StatusOr<std::vector<uint32_t>> words = absl::NotFoundError("there is no SPIR-V assembler");
  if (options.compilers != nullptr) words = options.compilers->Assemble(text, options.limits);
  if (absl::IsNotFound(words.status()) && !options.compiler.empty()) words = AssembleSpirv(text);
  if (!words.ok()) return words.status();
  // Version 1.4 changed the rules for the interfaces of entry points, and version 1.3 those for storage buffers.
  std::vector<uint32_t> versions = {0x00010600, 0x00010300, 0x00010000};
  if (const std::optional<uint32_t> stated = VersionOfAssembly(text)) versions = {*stated};
  std::vector<std::string> modules;
  for (const uint32_t version : versions) {
    (*words)[1] = version;
    modules.emplace_back(reinterpret_cast<const char*>(words->data()), words->size() * sizeof(uint32_t));
  }
  return modules;
}

SpirvSimplifier SimplifierOf(const GlslOptions& options) {
  if (options.compilers == nullptr) return SimplifySpirv;
  return [&options](const std::vector<uint32_t>& words) {
    absl::StatusOr<std::vector<uint32_t>> simple = options.compilers->Simplify(words, options.limits);
    const bool here = absl::IsNotFound(simple.status()) && !options.compiler.empty();
    return here ? SimplifySpirv(words) : simple;
  };
}

absl::StatusOr<ir::Shader> ReadCompiledGlsl(absl::string_view bytes, absl::string_view name, absl::string_view source,
                                            const GlslOptions& options) {
  absl::StatusOr<ir::Shader> shader = ReadSpirv(bytes, name, source, SimplifierOf(options));
  if (!shader.ok()) return shader;
  for (ir::ShaderValueInfo& info : shader->info) {
    if (info.line > 0) info.line += options.first_line - 1;
  }
  return shader;
}

absl::StatusOr<ir::Shader> ReadGlsl(absl::string_view text, absl::string_view name, absl::string_view source,
                                    const GlslOptions& options) {
  const std::optional<GlslStage> stage = GuessStage(name, text);
  if (!stage) return absl::InvalidArgumentError(kStageUnknown);
  const absl::StatusOr<std::string> bytes = CompileGlsl(text, *stage, options);
  if (!bytes.ok()) return bytes.status();
  return ReadCompiledGlsl(*bytes, name, source, options);
}

bool LooksLikeShaderTest(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text.substr(0, 1u << 16), '\n')) {
    const std::optional<absl::string_view> section = SectionOf(line);
    if (section && (*section == "require" || StageOfSection(*section))) return true;
  }
  return false;
}

std::vector<ShaderTestStage> SplitShaderTest(absl::string_view text) {
  std::vector<ShaderTestStage> stages;
  std::string version;
  bool in_stage = false;
  bool in_require = false;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (const std::optional<absl::string_view> section = SectionOf(line)) {
      const std::optional<GlslStage> stage = StageOfSection(*section);
      in_stage = stage.has_value();
      in_require = *section == "require";
      if (stage) stages.push_back({*stage, number + 1, ""});
    } else if (in_stage) {
      absl::StrAppend(&stages.back().text, line, "\n");
    } else if (in_require && version.empty()) {
      version = RequiredVersion(line);
    }
  }
  for (ShaderTestStage& stage : stages) {
    const bool has_version = VersionOf(stage.text).number != 0;
    if (has_version || version.empty()) continue;
    stage.text = absl::StrCat("#version ", version, "\n", stage.text);
    --stage.line;
  }
  return stages;
}

bool LooksLikeGlsl(absl::string_view text) {
  if (text.find('\0') != absl::string_view::npos) return false;
  const std::vector<GlslToken> tokens = TokenizeGlsl(text.substr(0, 1u << 20));
  bool function = false, own = false;
  absl::string_view last;
  for (const GlslToken& token : tokens) {
    if (token.kind == GlslToken::Kind::kSpace) continue;
    const absl::string_view word = token.text;
    if (last == "void" && (word == "main" || word == "mainImage")) function = true;
    if (last == "vec4" && word == "transition") function = true;
    own = own || absl::StartsWith(word, "gl_") || word == "vec4" || word == "vec3" || word == "vec2" ||
          word == "sampler2D" || word == "uniform" || word == "varying";
    last = word;
  }
  return function && own;
}

}  // namespace rewrought::corpus

#include "corpus/reader.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/formats/input_kind.h"
#include "corpus/glsl/glsl_in_script.h"
#include "corpus/glsl/hlsl_entry.h"
#include "corpus/spirv/spirv_reader.h"
#include "corpus/spirv/spirv_words.h"
#include "corpus/text/nir_text_reader.h"
#include "corpus/text/tgsi_reader.h"

namespace rewrought::corpus {
namespace {

constexpr char kDuplicate[] = "same as one already read";
constexpr char kNoEntry[] = "HLSL without an entry point: read the shaders that include it";
constexpr char kNewStage[] =
    "HLSL for ray tracing and mesh shaders cannot be read: convert it with `dxc -spirv`, and harvest the SPIR-V";
constexpr char kNoMain[] = "GLSL without a main function: read the shaders that include it";

// Subtracts the lifetime of this object, in seconds, from `*left`.
class Stopwatch {
 public:
  explicit Stopwatch(double* left) : left_(left), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { *left_ -= std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* const left_;
  const std::chrono::steady_clock::time_point start_;
};

class InputReader {
 public:
  InputReader(const ReadOptions& options, const ShaderVisitor& visit, ReadReport* report)
      : options_(options), left_(options.seconds), visit_(visit), report_(report) {}

  void Read(const std::string& name, absl::string_view bytes, bool in_archive);
  void Skip(const std::string& name, const std::string& reason);

 private:
  bool SeenBefore(absl::string_view bytes);
  void ReadArchive(const std::string& name, absl::string_view bytes);
  void ReadModule(const std::string& name, absl::string_view bytes);
  void ReadGlslText(const std::string& name, absl::string_view text, std::optional<GlslStage> stage, int first_line);
  void ReadHlsl(const std::string& name, absl::string_view text);
  void ReadAssembly(const std::string& name, absl::string_view text);
  void ReadShaderTest(const std::string& name, absl::string_view bytes);
  void ReadScript(const std::string& name, absl::string_view bytes);
  void Take(const std::string& name, absl::StatusOr<ir::Shader> shader);
  void Give(ir::Shader shader);

  // Sets the options for the next source, including the time left for the file. If no time is left, skips the source
  // and returns false.
  bool Start(const std::string& name, GlslOptions* glsl);

  const ReadOptions& options_;
  double left_;  // remaining time for this file, in seconds
  const ShaderVisitor& visit_;
  ReadReport* const report_;
  absl::flat_hash_set<std::pair<size_t, uint64_t>> seen_;  // length and hash of each source and module
};

// Returns whether the same bytes were read before. A package may contain the same source as a file, in a script, and in
// a bundle. Compares lengths and 64-bit FNV-1a hashes.
bool InputReader::SeenBefore(absl::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return !seen_.emplace(bytes.size(), hash).second;
}

void InputReader::Skip(const std::string& name, const std::string& reason) {
  report_->skipped.push_back({name, reason});
  ++report_->reasons[ReasonKey(reason)];
}

void InputReader::Give(ir::Shader shader) {
  ++report_->shaders;
  for (size_t i = 0; i < shader.values.nodes.size(); ++i) {
    const ir::Node& node = shader.values.nodes[i];
    if (node.kind == ir::NodeKind::kOp) ++report_->ops[node.op->name];
    if (node.kind == ir::NodeKind::kVariable) ++report_->opaque[shader.info[i].opaque];
  }
  for (const ir::ShaderNote& note : shader.notes) {
    if (++report_->notes[note.text] <= kMaxNotedPlaces) report_->noted.push_back({shader.name, note.line, note.text});
  }
  if (!shader.version.empty()) ++report_->versions[shader.version];
  visit_(std::move(shader));
}

void InputReader::Take(const std::string& name, absl::StatusOr<ir::Shader> shader) {
  if (shader.ok()) {
    Give(*std::move(shader));
  } else {
    Skip(name, std::string(shader.status().message()));
  }
}

void InputReader::Read(const std::string& name, absl::string_view bytes, bool in_archive) {
  ++report_->files;
  report_->bytes += bytes.size();
  const std::string& source = options_.source;
  left_ = options_.seconds;
  switch (KindOf(name, bytes)) {
    case InputKind::kSpirv:
      if (SeenBefore(bytes)) return Skip(name, kDuplicate);
      return ReadModule(name, bytes);
    case InputKind::kNirText: {
      if (SeenBefore(bytes)) return Skip(name, kDuplicate);
      absl::StatusOr<std::vector<ir::Shader>> shaders = ReadNirText(bytes, name, source);
      if (!shaders.ok()) return Skip(name, std::string(shaders.status().message()));
      for (ir::Shader& shader : *shaders) Give(std::move(shader));
      return;
    }
    case InputKind::kTgsi: {
      if (SeenBefore(bytes)) return Skip(name, kDuplicate);
      absl::StatusOr<std::vector<ir::Shader>> shaders = ReadTgsi(bytes, name, source);
      if (!shaders.ok()) return Skip(name, std::string(shaders.status().message()));
      for (ir::Shader& shader : *shaders) Give(std::move(shader));
      return;
    }
    case InputKind::kShaderTest:
      return ReadShaderTest(name, bytes);
    case InputKind::kSpirvAssembly:
      return ReadAssembly(name, bytes);
    case InputKind::kGlsl:
      if (!HasMain(StripComments(bytes))) return Skip(name, kNoMain);
      return ReadGlslText(name, bytes, GuessStage(name, bytes), 1);
    case InputKind::kHlsl:
      return ReadHlsl(name, bytes);
    case InputKind::kScript:
      return ReadScript(name, bytes);
    case InputKind::kArchive:
      if (in_archive) return Skip(name, "archive inside an archive");
      return ReadArchive(name, bytes);
    case InputKind::kEmpty:
      return Skip(name, "empty file");
    case InputKind::kOther:
      return Skip(name, WhyUnreadable(name, bytes));
  }
}

void InputReader::ReadArchive(const std::string& name, absl::string_view bytes) {
  const absl::Status status = ForEachMember(
      bytes, options_.archive,
      [&](const std::string& member, std::string content) {
        Read(absl::StrCat(name, "/", member), content, true);
        return true;
      },
      [&](const std::string& member, const std::string& reason) {
        Skip(absl::StrCat(name, "/", member), reason);
        return true;
      });
  if (!status.ok()) Skip(name, std::string(status.message()));
}

bool InputReader::Start(const std::string& name, GlslOptions* glsl) {
  if (left_ <= 0) {
    Skip(name, absl::StrCat("file takes too long: more than ", options_.seconds, " s before this"));
    return false;
  }
  *glsl = options_.glsl;
  glsl->limits.seconds = std::min(glsl->limits.seconds, left_);
  return true;
}

void InputReader::ReadModule(const std::string& name, absl::string_view bytes) {
  GlslOptions glsl;
  if (!Start(name, &glsl)) return;
  const Stopwatch watch(&left_);
  Take(name, ReadSpirv(bytes, name, options_.source, SimplifierOf(glsl)));
}

void InputReader::ReadShaderTest(const std::string& name, absl::string_view bytes) {
  const std::vector<ShaderTestStage> stages = SplitShaderTest(bytes);
  if (stages.empty()) return Skip(name, "shader_test without GLSL");
  for (const ShaderTestStage& stage : stages) {
    ReadGlslText(absl::StrCat(name, ":", StageName(stage.stage)), stage.text, stage.stage, stage.line);
  }
}

void InputReader::ReadGlslText(const std::string& name, absl::string_view text, std::optional<GlslStage> stage,
                               int first_line) {
  if (!stage) return Skip(name, kStageUnknown);
  if (SeenBefore(text)) return Skip(name, kDuplicate);
  GlslOptions glsl;
  if (!Start(name, &glsl)) return;
  const Stopwatch watch(&left_);
  glsl.first_line = first_line;
  const absl::StatusOr<std::string> binary = CompileGlsl(text, *stage, glsl);
  if (!binary.ok()) return Skip(name, std::string(binary.status().message()));
  if (SeenBefore(WithoutSource(*binary))) return Skip(name, kDuplicate);
  Take(name, ReadCompiledGlsl(*binary, name, options_.source, glsl));
}

void InputReader::ReadHlsl(const std::string& name, absl::string_view text) {
  if (SeenBefore(text)) return Skip(name, kDuplicate);
  const std::vector<HlslEntry> entries = HlslEntries(name, text);
  if (entries.empty()) return Skip(name, kNoEntry);
  for (const HlslEntry& entry : entries) {
    const std::string shader = entry.name == "main" ? name : absl::StrCat(name, ":", entry.name);
    if (entry.stage >= GlslStage::kTask) {
      Skip(shader, kNewStage);
      continue;
    }
    GlslOptions glsl;
    if (!Start(shader, &glsl)) continue;
    const Stopwatch watch(&left_);
    const absl::StatusOr<std::string> binary = CompileHlsl(text, entry, glsl);
    if (!binary.ok()) {
      Skip(shader, std::string(binary.status().message()));
    } else {
      Take(shader, ReadCompiledGlsl(*binary, name, options_.source, glsl));  // the reader adds the entry point's name
    }
  }
}

void InputReader::ReadAssembly(const std::string& name, absl::string_view text) {
  if (SeenBefore(text)) return Skip(name, kDuplicate);
  GlslOptions glsl;
  if (!Start(name, &glsl)) return;
  const Stopwatch watch(&left_);
  const absl::StatusOr<std::vector<std::string>> modules = AssembleSpirvText(text, glsl);
  if (!modules.ok()) return Skip(name, std::string(modules.status().message()));
  absl::StatusOr<ir::Shader> first = absl::InternalError("no module");
  for (size_t i = 0; i < modules->size(); ++i) {
    absl::StatusOr<ir::Shader> shader = ReadSpirv((*modules)[i], name, options_.source, SimplifierOf(glsl));
    if (shader.ok() || i == 0) first = std::move(shader);
    if (first.ok()) break;
  }
  Take(name, std::move(first));
}

void InputReader::ReadScript(const std::string& name, absl::string_view bytes) {
  const std::vector<ScriptLiteral> literals = GlslLiterals(bytes);
  if (literals.empty()) return Skip(name, "not a shader");
  for (const ScriptLiteral& literal : literals) {
    const std::string literal_name = absl::StrCat(name, ":", literal.line);
    if (!literal.unusable.empty()) {
      Skip(literal_name, absl::StrCat("GLSL in a script: ", literal.unusable));
    } else {
      ReadGlslText(literal_name, literal.text, GuessStage(name, literal.text), literal.line);
    }
  }
}

}  // namespace

std::string ReasonKey(absl::string_view reason) { return std::string(reason.substr(0, reason.find(": "))); }

void ReadBytes(absl::string_view name, absl::string_view bytes, const ReadOptions& options, const ShaderVisitor& visit,
               ReadReport* report) {
  InputReader(options, visit, report).Read(std::string(name), bytes, options.in_archive);
}

}  // namespace rewrought::corpus

// Reads shaders from the bytes of any file: SPIR-V, NIR text, .shader_test, GLSL, scripts that carry GLSL and archives
// of these, told by content.
#ifndef REWROUGHT_CORPUS_READER_H_
#define REWROUGHT_CORPUS_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/archive.h"
#include "corpus/glsl/glsl_reader.h"
#include "ir/shader.h"

namespace rewrought::corpus {

enum class InputKind { kSpirv, kNirText, kTgsi, kShaderTest, kGlsl, kScript, kArchive, kEmpty, kUnknown };

// What `bytes` are, by content; `name` is only asked whether text that holds GLSL is a script.
InputKind KindOf(absl::string_view name, absl::string_view bytes);

struct ReadOptions {
  std::string source;  // ir::Shader::source of all that is read
  GlslOptions glsl;
  ArchiveLimits archive;
  uint64_t file_bytes = uint64_t{1} << 30;  // a larger file is skipped
  bool in_archive = false;                  // the bytes are a member: an archive is skipped
  double seconds = 60;  // for what compilers and passes take of one file or member; what is left of it is skipped
};

struct SkippedInput {
  std::string name;    // file, with "archive/member" for members
  std::string reason;  // in the words of `reasons`, then ": " and particulars
};

struct ReadReport {
  uint64_t files = 0;  // looked at, members of archives included
  uint64_t bytes = 0;
  uint64_t shaders = 0;  // given to the visitor
  std::vector<SkippedInput> skipped;
  std::map<std::string, uint64_t> reasons;  // skipped, by reason: "not a shader", "GLSL does not compile", ...
  std::map<std::string, uint64_t> ops;      // ALU nodes by op
  std::map<std::string, uint64_t> opaque;   // opaque variables by what they stand for
  std::map<std::string, uint64_t> notes;    // the shaders' notes
};

using ShaderVisitor = std::function<void(ir::Shader)>;

// Reads `bytes` as `name`, whatever they are; archives inside archives are skipped. Nothing it meets is an error: what
// cannot be read is in the report.
void ReadBytes(absl::string_view name, absl::string_view bytes, const ReadOptions& options, const ShaderVisitor& visit,
               ReadReport* report);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_READER_H_

// Reads shaders from anything: files, folders, archives; SPIR-V, NIR text, .shader_test, GLSL and scripts that carry
// GLSL, told by content.
#ifndef REWROUGHT_CORPUS_READER_H_
#define REWROUGHT_CORPUS_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "corpus/archive.h"
#include "corpus/glsl_reader.h"
#include "ir/shader.h"

namespace rewrought::corpus {

enum class InputKind { kSpirv, kNirText, kTgsi, kShaderTest, kGlsl, kScript, kArchive, kEmpty, kUnknown };

// What `bytes` are, by content; `name` is only asked whether text that holds GLSL is a script.
InputKind KindOf(absl::string_view name, absl::string_view bytes);

struct ReadOptions {
  // ir::Shader::source of all that is read; empty: the package below a node_modules folder, else the name of the file,
  // folder or archive given, without its extensions.
  std::string source;
  GlslOptions glsl;
  ArchiveLimits archive;
  uint64_t file_bytes = uint64_t{1} << 30;  // a larger file is skipped
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

// Reads a file, or every file below a folder in the order of their names; links to folders are not followed.
// NotFound: there is no such path. PermissionDenied: it cannot be opened.
absl::Status ReadPath(const std::string& path, const ReadOptions& options, const ShaderVisitor& visit,
                      ReadReport* report);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_READER_H_

// Reads shaders from any file: SPIR-V, its assembly, NIR text, TGSI, .shader_test, GLSL, HLSL, scripts that contain
// GLSL, and archives of these (corpus/formats/input_kind.h).
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

struct ReadOptions {
  std::string source;  // becomes ir::Shader::source of all shaders
  GlslOptions glsl;
  ArchiveLimits archive;
  uint64_t file_bytes = uint64_t{1} << 30;  // larger files are skipped
  bool in_archive = false;                  // whether the bytes are an archive member; if so, an archive in them is
                                            // skipped
  double seconds = 60;  // time for compilers and passes per file or member; when it is used up, the rest of the file is
                        // skipped
};

struct SkippedInput {
  std::string name;    // file name, or "archive/member"
  std::string reason;  // a key of `reasons`, optionally followed by ": " and details
};

// Returns the key of `reasons` for a reason: the text before the first ": ".
std::string ReasonKey(absl::string_view reason);

// A place with a note (ir::ShaderNote).
struct NotedPlace {
  std::string name;  // the shader's name
  int line = 0;
  std::string note;
};

// The maximum number of places that a ReadReport names for each note.
inline constexpr uint64_t kMaxNotedPlaces = 50;

struct ReadReport {
  uint64_t files = 0;  // files read, including members of archives
  uint64_t bytes = 0;
  uint64_t shaders = 0;  // shaders passed to the visitor
  std::vector<SkippedInput> skipped;
  // The number of skipped inputs by reason: "not a shader", "GLSL does not compile", …
  std::map<std::string, uint64_t> reasons;
  std::map<std::string, uint64_t> ops;       // number of ALU nodes by op
  std::map<std::string, uint64_t> opaque;    // number of opaque variables by kind
  std::map<std::string, uint64_t> notes;     // number of notes by text
  std::vector<NotedPlace> noted;             // at most kMaxNotedPlaces per text, in order
  std::map<std::string, uint64_t> versions;  // for NIR text, the number of shaders by the version of Mesa
};

using ShaderVisitor = std::function<void(ir::Shader)>;

// Reads `bytes`, the contents of the file or archive member `name`. Archives inside archives are skipped. Reports
// problems with the input in `report` instead of returning errors.
void ReadBytes(absl::string_view name, absl::string_view bytes, const ReadOptions& options, const ShaderVisitor& visit,
               ReadReport* report);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_READER_H_

// Replaces the #include lines of GLSL and HLSL with the files that they name.
#ifndef REWROUGHT_CORPUS_GLSL_INCLUDE_EXPANDER_H_
#define REWROUGHT_CORPUS_GLSL_INCLUDE_EXPANDER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

enum class SourceLanguage { kGlsl, kHlsl };

struct IncludedFile {
  std::string path;  // identifies the file
  std::string text;
};

// Returns the file that the file `includer` calls `name`. The message of an error becomes the text of an #error line.
using IncludeFinder = std::function<absl::StatusOr<IncludedFile>(absl::string_view name, absl::string_view includer)>;

// Returns `text`, the content of the file `path`, with all #include lines replaced. The compiler evaluates conditions
// such as #ifdef later, so an #include of a file that cannot be found becomes an #error line. A recursive #include, or
// one of a file that has "#pragma once" and was included before, expands to nothing. #line directives name the included
// files, and give lines of `text` the name "". Fails with ResourceExhausted if the result exceeds
// proto::kIncludeLimits.
absl::StatusOr<std::string> ExpandIncludes(absl::string_view text, absl::string_view path, SourceLanguage language,
                                           const IncludeFinder& find);

// Returns a finder that looks in the includer's folder, and then in `folders`. It reads only files below `folders`,
// even if a path contains ".." or links.
IncludeFinder FindInFolders(std::vector<std::string> folders);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_INCLUDE_EXPANDER_H_

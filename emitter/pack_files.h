// Renders a pack as the files of one folder: the requested formats, pack.json, and the manifest with their digests.
#ifndef REWROUGHT_EMITTER_PACK_FILES_H_
#define REWROUGHT_EMITTER_PACK_FILES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/formats.h"
#include "emitter/pack.h"

namespace rewrought::emitter {

inline constexpr absl::string_view kManifestFile = "manifest.json";

using NamedFile = std::pair<std::string, std::string>;  // Name and content.

// Returns the files of `pack` in each given format that supports the pack's class; an empty list means the default
// formats. The result always contains pack.json, and its last file is manifest.json. Sets
// pack->message.manifest().files. Returns any error of FindFormats or of a writer.
absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack);

// Writes `files` in order into `directory`, which is created if necessary. If the process dies, each file has either
// its old content or its complete new content. If the new content of a file cannot be written, no file changes. Fails
// with Unavailable, naming the file.
absl::Status WriteFiles(const std::string& directory, const std::vector<NamedFile>& files);

// Like WriteFiles, but replaces all files atomically: `directory` becomes a new folder that contains `files` and the
// old files that `files` does not replace. Names may contain folders.
absl::Status ReplaceFolder(const std::string& directory, const std::vector<NamedFile>& files);

// Writes one file and creates its folder if necessary. A path that is not a regular file, such as /dev/stdout, is
// written in place.
absl::Status WriteFile(const std::string& path, const std::string& bytes);

// Moves the folder `from` to `to`. A folder that existed at `to` ends up at `spare` or `from`. If the file system can
// exchange two names, as Linux's local file systems can, a folder exists at `to` at all times.
absl::Status MoveFolder(const std::string& from, const std::string& to, const std::string& spare);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_FILES_H_

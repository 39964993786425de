// A pack as the files of one folder: the formats asked for, pack.json, and the manifest that names them with their
// digests.
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

using NamedFile = std::pair<std::string, std::string>;  // name and bytes

// The files of `pack` in the formats called `formats` (empty: those by default), as far as they take its class, with
// pack.json in any case and manifest.json last; fills in pack->message.manifest().files. Errors as FindFormats and the
// writers'.
absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack);

// Writes `files` into the folder `directory`, which is made if needed. Each is whole or as it was, however the process
// ends, and none is changed if one cannot be written; they come in the order given. Unavailable names what cannot be
// written.
absl::Status WriteFiles(const std::string& directory, const std::vector<NamedFile>& files);

// The same for all files together: `directory` becomes a new folder that holds them and what else it held. The names of
// `files` may name folders in it.
absl::Status ReplaceFolder(const std::string& directory, const std::vector<NamedFile>& files);

// One file; the folder that it lies in is made if need be. What is no regular file (/dev/stdout) is written to.
absl::Status WriteFile(const std::string& path, const std::string& bytes);

// Puts the folder `from` where `to` is; what lay there is at `spare` afterwards, or where `from` was. At no moment is
// there nothing at `to` if there was something, where the file system can exchange two names (Linux's local ones).
absl::Status MoveFolder(const std::string& from, const std::string& to, const std::string& spare);

// The bytes of a file. NotFound if it cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_FILES_H_

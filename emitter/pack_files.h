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

// The files of `pack` in the formats called `formats` (empty: all), as far as they take its class, with pack.json in
// any case and manifest.json last; fills in pack->message.manifest().files. Errors as FindFormats and the writers'.
absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack);

// Writes `files` into the folder `directory`, which is made if needed. Unavailable names a file that cannot be written.
absl::Status WriteFiles(const std::string& directory, const std::vector<NamedFile>& files);

// The bytes of a file. NotFound if it cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_FILES_H_

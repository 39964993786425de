// A pack as the files of one folder: the formats asked for, pack.json, and the manifest that names them with their
// digests.
#ifndef REWROUGHT_EMITTER_PACK_FILES_H_
#define REWROUGHT_EMITTER_PACK_FILES_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// One output format: a writer and the file it gives. pack.json is always written.
struct PackFormat {
  absl::string_view name;  // as on the command line
  absl::string_view file;
  std::function<absl::StatusOr<std::string>(const v1::Pack&, const NirTarget&)> write;
  // Reads the file's text back and compares; DataLoss names the first entry that differs.
  std::function<absl::Status(absl::string_view, const v1::Pack&, const NirTarget&)> check;
};
const std::vector<PackFormat>& PackFormats();

inline constexpr absl::string_view kManifestFile = "manifest.json";
inline constexpr absl::string_view kPackFile = "pack.json";

using NamedFile = std::pair<std::string, std::string>;  // name and bytes

// The files of `pack` in the formats called `formats` ("json" is always there; empty: all), manifest.json last; fills
// in pack->message.manifest().files. InvalidArgument for an unknown format; errors as the writers'.
absl::StatusOr<std::vector<NamedFile>> RenderPack(const std::vector<std::string>& formats, Pack* pack);

// Writes `files` into the folder `directory`, which is made if needed. Unavailable names a file that cannot be written.
absl::Status WriteFiles(const std::string& directory, const std::vector<NamedFile>& files);

// The bytes of a file. NotFound if it cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_FILES_H_

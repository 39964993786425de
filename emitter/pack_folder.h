// A pack as it lies in a folder, and the same pack written again from its pack.json.
#ifndef REWROUGHT_EMITTER_PACK_FOLDER_H_
#define REWROUGHT_EMITTER_PACK_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/json_writer.h"
#include "emitter/pack.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

struct PackFolder {
  Manifest manifest;
  v1::Pack pack;
};

// Reads manifest.json and pack.json. NotFound if one is missing, InvalidArgument if one cannot be read as such.
absl::StatusOr<PackFolder> ReadPackFolder(const std::string& directory);

// The pack that `path` (a pack.json, or the folder that holds one) states, ready to be rendered. What pack.json does
// not hold (target, class, what was blocked) comes from the manifest.json beside it; if there is none the target is
// `target` ("" for the newest) and the class that of the entries. Every entry is checked as VerifyPack does.
// NotFound: no such file; InvalidArgument: not a pack, a target that disagrees with the manifest, entries of two
// classes; FailedPrecondition: an entry is not sound, or the digest is not that of the entries.
absl::StatusOr<Pack> LoadPack(const std::string& path, absl::string_view target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_FOLDER_H_

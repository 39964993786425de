// Reads a pack from its folder, and loads a pack.json so that it can be written again.
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

// The subfolder of a strict pack that contains the pack of the machine's inexact rules.
inline constexpr absl::string_view kInexactFolder = "inexact";

struct PackFolder {
  std::string subfolder;  // kInexactFolder for the pack in the subfolder, and empty otherwise.
  Manifest manifest;
  v1::Pack pack;
};

// Reads manifest.json and pack.json. Fails with NotFound if a file is missing, and with InvalidArgument if a file is
// malformed or not a regular file (symbolic links are rejected).
absl::StatusOr<PackFolder> ReadPackFolder(const std::string& directory);

// Returns the pack of the folder and, if the pack is strict and has a subfolder kInexactFolder with a manifest.json,
// the pack of that subfolder. Returns any error of ReadPackFolder.
absl::StatusOr<std::vector<PackFolder>> ReadPackFolders(const std::string& directory);

// Returns the pack with the content of pack.json and the fields that only manifest.json has.
Pack PackOf(v1::Pack message, Manifest manifest);

// Returns the path of a pack's file relative to the folder that ReadPackFolders read; "" means pack.json.
std::string PathIn(const PackFolder& folder, absl::string_view file);

// Loads the pack at `path`, which is a pack.json or its folder, so that it can be rendered. The manifest.json beside it
// provides the target, the class, and the blocked rules. If there is no manifest, the target is `target` ("" means the
// newest) and the class is that of the entries. Checks every entry as VerifyPacks does. Fails with NotFound if the file
// does not exist; with InvalidArgument for a malformed pack, a `target` that disagrees with the manifest, or entries of
// two classes; with FailedPrecondition for an unsound entry or a wrong digest.
absl::StatusOr<Pack> LoadPack(const std::string& path, absl::string_view target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_FOLDER_H_

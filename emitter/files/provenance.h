// What every exported file says of itself: its licence, and which pack and which semantics it came from. Packs are free
// to take under the licence of the project.
#ifndef REWROUGHT_EMITTER_FILES_PROVENANCE_H_
#define REWROUGHT_EMITTER_FILES_PROVENANCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

inline constexpr absl::string_view kLicense = "MIT";  // SPDX's name

// Three lines, each begun by `comment` ("# "): the SPDX tag; the pack's digest and machine; the digest of the semantics
// that its proofs hold under. Printable ASCII, whatever the manifest says.
std::string ProvenanceLines(const v1::PackManifest& manifest, absl::string_view comment);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_PROVENANCE_H_

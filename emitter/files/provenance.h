// Generates the header of every exported file: its license, pack, and semantics. Packs are free to use under the
// project's license.
#ifndef REWROUGHT_EMITTER_FILES_PROVENANCE_H_
#define REWROUGHT_EMITTER_FILES_PROVENANCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

inline constexpr absl::string_view kLicense = "MIT";  // An SPDX identifier.

// Returns three lines, each with the prefix `comment` (such as "# "): the SPDX tag, the pack's digest and machine, and
// the digest of the semantics under which its rules were proved. The lines are printable ASCII for every manifest.
std::string ProvenanceLines(const v1::PackManifest& manifest, absl::string_view comment);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_PROVENANCE_H_

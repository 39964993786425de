#include "emitter/files/provenance.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

// Manifests are untrusted, so this function replaces every character that could end a comment or a string in any
// language.
std::string Printable(std::string text) {
  for (char& c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') c = '?';
  }
  return text;
}

}  // namespace

std::string ProvenanceLines(const v1::PackManifest& manifest, absl::string_view comment) {
  return absl::StrCat(comment, "SPDX-License-Identifier: ", kLicense, "\n", comment, "Rewrought, pack ",
                      Printable(manifest.digest()), " of ", Printable(manifest.machine()), ".\n", comment, "Semantics ",
                      Printable(manifest.semantics_version()), "; proofs and figures are in pack.json.\n");
}

}  // namespace rewrought::emitter

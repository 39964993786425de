#include "emitter/files/provenance.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rewrought::emitter {
namespace {

TEST(Provenance, NamesLicencePackAndSemantics) {
  v1::PackManifest manifest;
  manifest.set_machine("r300");
  manifest.set_digest("abc");
  manifest.set_semantics_version("def");
  EXPECT_EQ(ProvenanceLines(manifest, "// "),
            "// SPDX-License-Identifier: MIT\n// Rewrought, pack abc of r300.\n"
            "// Semantics def; proofs and figures are in pack.json.\n");
}

TEST(Provenance, NoNameEndsAComment) {
  v1::PackManifest manifest;
  manifest.set_machine("x\nimport os\n*/ int y;");
  const std::string text = ProvenanceLines(manifest, "# ");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.find("*/"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::emitter

#include "corpus/text/nir_text_header.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "ir/term.h"

namespace rewrought::corpus {
namespace {

constexpr uint8_t kFast = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;
constexpr uint8_t kAll[] = {kFast, kFast, kFast};
constexpr uint8_t kNone[] = {0, 0, 0};

// Returns the header of a fragment shader with these lines.
NirTextHeader Header(absl::string_view lines, absl::string_view stage = "fragment") {
  return ReadNirTextHeader(absl::StrCat("shader: MESA_SHADER_FRAGMENT\n", lines), stage);
}

void ExpectPermitted(const NirTextHeader& header, const uint8_t (&permitted)[3]) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(header.permitted[i], permitted[i]) << i;
}

TEST(NirTextHeader, RecognizesVersions) {
  const auto version = [](absl::string_view lines) { return Header(lines).version; };
  EXPECT_EQ(version("impl main {\n    32 %5 = fadd %4, %3\n"), NirTextVersion::kUnknown);
  EXPECT_EQ(version("\tvec1 32 ssa_5 = fadd ssa_4, ssa_3\n"), NirTextVersion::kMesa22_3);
  EXPECT_EQ(version("subgroup_size: 2\nvec4 32 div ssa_5 = fadd! ssa_4, ssa_3\n"), NirTextVersion::kMesa22_3);
  EXPECT_EQ(version("decl_function main (0 params)\n    32 %5 = fadd! %4, %3\n"), NirTextVersion::kMesa23_2);
  EXPECT_EQ(version("subgroup_size: 32\ndecl_function main () (entrypoint)\n"), NirTextVersion::kMesa25_0);
  EXPECT_EQ(version("max_subgroup_size: 32\n    32 %5 = fadd! %4, %3\n"), NirTextVersion::kMesa25_3);
  EXPECT_EQ(version("max_subgroup_size: 32\n    32 %5 = fadd %4, %3\n"), NirTextVersion::kMesaUnmarked);
  for (const char* flags :
       {"exact", "no-contract", "no-reassoc", "no-transform", "preserve:sz", "exact, preserve:nan"}) {
    EXPECT_EQ(version(absl::StrCat("    32 %5 = fadd %4, %3 // ", flags, "\n")), NirTextVersion::kMesa26_1) << flags;
  }
}

// Comments and names of variables do not determine the version.
TEST(NirTextHeader, OtherCommentsAreNoMarks) {
  for (const char* line : {"    32 %5 = @load_input (%4) (base=0)  // exact", "    32 %5 = deref_var &a!  // exact",
                           "    // preserve:nan", "    32 %5 = fadd %4, %3 // mystery",
                           "    32 %5 = (float32)tex %4 (coord) // exact", "    32 %5 = phi b0: %4 // exact"}) {
    EXPECT_EQ(Header(line).version, NirTextVersion::kUnknown) << line;
  }
}

TEST(NirTextHeader, TheModeTakesPermissionsAway) {
  const std::string size = "subgroup_size: 32\n";
  ExpectPermitted(Header(size), kAll);
  // Bits 0 to 8 preserve the sign of zero, infinities, and NaN of 16, 32, and 64 bits.
  const uint8_t without[] = {kFast & ~ir::kNoSignedZero, kFast & ~ir::kNoInf, kFast & ~ir::kNoNan};
  for (int bit = 0; bit < 9; ++bit) {
    uint8_t permitted[] = {kFast, kFast, kFast};
    permitted[bit % 3] = without[bit / 3];
    const std::string mode =
        absl::StrCat("float_controls_execution_mode: 0x", absl::Hex(1 << bit, absl::kZeroPad8), "\n");
    const NirTextHeader header = Header(mode + size);
    ExpectPermitted(header, permitted);
    EXPECT_EQ(header.mode_line, 2);
    EXPECT_EQ(header.notes.size(), 1u);
  }
  ExpectPermitted(Header(size + "float_controls_execution_mode: 0x001ffe00\n"), kAll);
}

TEST(NirTextHeader, KernelsAndUnknownStagesGetNothing) {
  ExpectPermitted(Header("subgroup_size: 32\n", "kernel"), kNone);
  ExpectPermitted(Header("subgroup_size: 32\n", "unknown"), kNone);
  ExpectPermitted(Header("subgroup_size: 32\n", "compute"), kAll);
}

// Where the text does not determine the permissions, there are none.
TEST(NirTextHeader, WhatIsNotPrintedIsNotPermitted) {
  const auto why = [](absl::string_view lines) {
    const NirTextHeader header = Header(lines);
    ExpectPermitted(header, header.notes.empty() ? kAll : kNone);
    return absl::StrJoin(header.notes, "; ");
  };
  const std::string old = "vec1 32 ssa_5 = fadd ssa_4, ssa_3\n";
  EXPECT_EQ(why(old), "float_controls not printed");
  EXPECT_EQ(why("name: SPIRV:1\n" + old), "float_controls not printed");
  EXPECT_EQ(why("name: GLSL7\n" + old), "");
  EXPECT_EQ(why("subgroup_size: 2\n" + old), "");
  const std::string mode = "float_controls_execution_mode: 0x";
  EXPECT_EQ(why(mode + "0040\n" + old), "float_controls 0x0040; order of float_controls unknown");
  EXPECT_EQ(why(mode + "00000200\ndecl_function main (0 params)\n"),
            "float_controls 0x00000200; order of float_controls unknown");
  EXPECT_EQ(why("name: GLSL7\n" + mode + "0040\nsubgroup_size: 2\n"),
            "float_controls 0x0040; order of float_controls unknown");
  EXPECT_EQ(why("decl_function main (0 params)\n"), "");
  const std::string middle = "max_subgroup_size: 32\n32 %5 = fadd! %4, %3\n";
  EXPECT_EQ(why(middle), "preserve bits not printed");
  EXPECT_EQ(why("name: GLSL7\n" + middle), "");
}

// The bits have another meaning in Mesa 26. If the version is uncertain, the bits remove every permission that they
// remove in either version.
TEST(NirTextHeader, TheModeOfMesa26HasNoPreserveBits) {
  const std::string mode = "float_controls_execution_mode: 0x00000010\nmax_subgroup_size: 32\n";
  EXPECT_EQ(Header(mode).permitted[1], kFast & ~ir::kNoInf);
  ExpectPermitted(Header(mode + "32 %5 = fadd %4, %3 // exact\n"), kNone);
}

TEST(NirTextHeader, AnInvalidModeIsReported) {
  for (const char* value : {"", "mystery", "0x", "0x1ffffffff", "12"}) {
    EXPECT_FALSE(Header(absl::StrCat("float_controls_execution_mode: ", value)).mode_valid) << value;
  }
  EXPECT_TRUE(Header("float_controls_execution_mode: 0x00000012").mode_valid);
}

TEST(NirTextHeader, FieldsOfAllVersions) {
  for (const char* line : {"inputs: 4", "ray queries: 0", "workgroup-size: 8, 1, 1", "max_subgroup_size: 64",
                           "source_sha1: {0x1}", "xfb_stride: {0, 0, 0, 0}", "spec[3] = 0x00000001",
                           "writes_memory: true", "active_stream_mask: 0x01", "name: a:b"}) {
    EXPECT_TRUE(IsNirHeaderField(line)) << line;
  }
  for (const char* line : {"", ":", "mystery: 4", "inputs", "inputs 4:", "block0 {"}) {
    EXPECT_FALSE(IsNirHeaderField(line)) << line;
  }
}

}  // namespace
}  // namespace rewrought::corpus

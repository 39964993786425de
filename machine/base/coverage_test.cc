#include "machine/base/coverage.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "ir/op_table.h"
#include "machine/semantics.h"

namespace rewrought::machine {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string TextOf(const std::string& id) { return Read(absl::StrCat("machine/descriptions/", id, ".textproto")); }

// Replaces `from` with `to` in a machine's description, and returns the errors of checking it with all machines.
std::vector<std::string> ErrorsWith(const std::string& id, const std::string& from, const std::string& to) {
  const std::string text = TextOf(id), changed = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_TRUE(text != changed) << from;
  absl::StatusOr<std::unique_ptr<const Machine>> machine = ParseMachine(changed, "changed.textproto");
  EXPECT_TRUE(machine.ok()) << machine.status();
  if (!machine.ok()) return {};
  const Machine& kept = *machine->release();  // Never destroyed, because base rules are cached by machine.
  return CoverageOf(kept, AllMachines()).errors;
}

// If this main check fails, its messages state what to write for each op, and where.
TEST(CoverageTest, EveryOpThatADriverMayHandOverIsPlaced) {
  const std::string page = Read("docs/machines.md");
  for (const Machine* machine : AllMachines()) {
    const absl::Status status = CheckCoverage(*machine, AllMachines());
    EXPECT_TRUE(status.ok()) << status.message();
    const Coverage coverage = CoverageOf(*machine, AllMachines());
    EXPECT_GE(coverage.covered.size(), 20u) << machine->id();
    EXPECT_GE(coverage.lowered.size(), 100u) << machine->id();
    EXPECT_FALSE(machine->description().coverage().driver().empty()) << machine->id();
    const std::string row = absl::StrCat("| `", machine->id(), "` | ", machine->description().coverage().driver(),
                                         " | ", coverage.covered.size(), " | ", coverage.outside.size(), " | ",
                                         coverage.missing.size(), " | ", coverage.lowered.size(), " |\n");
    EXPECT_TRUE(absl::StrContains(page, row)) << "docs/machines.md lacks this row:\n" << row;
  }
}

// Covered ops must have a program and missing ops must not; the tables of docs/machines.md and the C tables depend on
// this.
TEST(CoverageTest, ListsMatchBasePrograms) {
  for (const Machine* machine : AllMachines()) {
    const Coverage coverage = CoverageOf(*machine, AllMachines());
    for (const OpAtSize& op : coverage.covered)
      EXPECT_TRUE(HasBaseProgram(*machine, *ir::FindOp(op.first), op.second)) << machine->id() << " " << NameOf(op);
    for (const OpAtSize& op : coverage.missing)
      EXPECT_FALSE(HasBaseProgram(*machine, *ir::FindOp(op.first), op.second)) << machine->id() << " " << NameOf(op);
  }
}

TEST(CoverageTest, AMissingBaseRuleIsNamed) {
  const std::vector<std::string> errors =
      ErrorsWith("intel_gen9", "base { pattern: \"(fmin@16 a b)\"", "base { pattern: \"(fmin@16 a a)\"");
  ASSERT_EQ(errors.size(), 1u) << absl::StrJoin(errors, "\n");
  EXPECT_TRUE(absl::StartsWith(errors[0],
                               "intel_gen9: fmin of 16 bits: coverage states that the driver passes it "
                               "to selection (TAKEN), but there is no base program for it; write a base rule"))
      << errors[0];
}

// A pattern without a size matches any size, but its instruction has a fixed size.
TEST(CoverageTest, AProgramOfAnotherSizeIsNamed) {
  const std::vector<std::string> errors =
      ErrorsWith("rdna", "pattern: \"(bitfield_select@32 a b c)\"", "pattern: \"(bitfield_select a b c)\"");
  ASSERT_FALSE(errors.empty());
  EXPECT_TRUE(
      absl::StrContains(absl::StrJoin(errors, "\n"),
                        "rdna: bitfield_select of 64 bits: base selection has a program with other sizes for it; "
                        "write the size in the base rule's pattern"))
      << absl::StrJoin(errors, "\n");
}

TEST(CoverageTest, OneOfTheIndicesOfAnExtractionIsNotEnough) {
  const std::string rule = "base { pattern: \"(extract_u8@32 a 3)\"";
  ASSERT_TRUE(absl::StrContains(TextOf("intel_gen9"), rule));
  const std::vector<std::string> errors = ErrorsWith("intel_gen9", rule, "base { pattern: \"(extract_u8@32 a 7)\"");
  ASSERT_EQ(errors.size(), 1u) << absl::StrJoin(errors, "\n");
  EXPECT_TRUE(absl::StartsWith(errors[0], "intel_gen9: extract_u8 of 32 bits: ")) << errors[0];
}

TEST(CoverageTest, AnOpThatOnlyAnotherDriverPlacesIsNamed) {
  const std::vector<std::string> errors = ErrorsWith("r500", " iadd3 ", " ");
  ASSERT_EQ(errors.size(), 2u) << absl::StrJoin(errors,
                                                "\n");  // One for each size that some driver passes to selection.
  EXPECT_TRUE(
      absl::StartsWith(errors[0], "r500: iadd3 of 16 bits: its driver may pass it to selection, but there is no base "))
      << errors[0];
}

TEST(CoverageTest, WhatHasAProgramIsNotMissing) {
  const std::vector<std::string> errors = ErrorsWith("vc4", "fate: TAKEN", "fate: MISSING");
  EXPECT_GE(errors.size(), 50u);
  EXPECT_TRUE(std::any_of(errors.begin(), errors.end(), [](const std::string& error) {
    return error == "vc4: fadd of 32 bits: coverage states MISSING, but there is a base program for it; state TAKEN";
  })) << absl::StrJoin(errors, "\n");
}

TEST(CoverageTest, WhatTheDescriptionSaysWronglyIsNamed) {
  const auto error = [](const std::string& from, const std::string& to) {
    return absl::StrJoin(ErrorsWith("vc4", from, to), "\n");
  };
  EXPECT_EQ(error("ops: \"fcsel umax", "ops: \"fnope fcsel umax"),
            "vc4: coverage names 'fnope', which is not an IR op");
  EXPECT_EQ(error("sizes: [1] ops: \"b2f32 ", "sizes: [1, 64] ops: \"b2f32 "),
            "vc4: b2f32 of 64 bits: coverage names a size that the op does not have; its sizes are 1, 8, 16, 32\n"
            "vc4: b2i32 of 64 bits: coverage names a size that the op does not have; its sizes are 1, 8, 16, 32");
  EXPECT_EQ(error("sizes: [1] ops: \"b2f32 ", "sizes: [1] ops: \"b2f32 b2f32 "),
            "vc4: b2f32 of 1 bit: appears twice in the description's coverage; keep one entry");
}

// An op that is specific to one back end needs to be classified only by machines of that back end.
TEST(CoverageTest, OwnOpsAreTheirBackEndsAlone) {
  EXPECT_EQ(ErrorsWith("vc4", "own_ops: \"_vc4\"", "own_ops: \"\"").size(), 0u);
  const std::vector<std::string> errors = ErrorsWith("ir3_a3xx", "shrg_ir3", " ");
  ASSERT_EQ(errors.size(), 2u) << absl::StrJoin(errors, "\n");
  EXPECT_TRUE(absl::StartsWith(errors[0], "ir3_a3xx: shrg_ir3 of 16 bits: ")) << errors[0];
}

// Existing proofs and packs must stay valid when a driver supports a new op.
TEST(CoverageTest, DoesNotAffectTheSemanticsDigest) {
  const Machine& machine = **FindMachine("vc4");
  const std::string text = TextOf("vc4"), without = text.substr(0, text.find("\ncoverage {") + 1);
  ASSERT_LT(without.size(), text.size());
  absl::StatusOr<std::unique_ptr<const Machine>> bare = ParseMachine(without, "vc4.textproto");
  ASSERT_TRUE(bare.ok()) << bare.status();
  EXPECT_EQ(SemanticsOf(*bare->release()).hex(), SemanticsOf(machine).hex());
}

TEST(CoverageTest, SizesAreThoseOfTheTable) {
  EXPECT_EQ(SizesOf(*ir::FindOp("fadd")), (std::vector<int>{16, 32, 64}));
  EXPECT_EQ(SizesOf(*ir::FindOp("bcsel")), (std::vector<int>{1, 8, 16, 32, 64}));  // The size of the selected values.
  EXPECT_EQ(SizesOf(*ir::FindOp("b2f32")), (std::vector<int>{1, 8, 16, 32}));      // The size of the converted value.
  EXPECT_EQ(SizesOf(*ir::FindOp("unpack_half_2x16_split_x")), (std::vector<int>{32}));
  EXPECT_EQ(NameOf({"iand", 1}), "iand of 1 bit");
}

}  // namespace
}  // namespace rewrought::machine

#include "machine/machine.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace rewrought::machine {
namespace {

// The smallest description with an instruction; tests replace parts of it.
constexpr char kSmall[] = R"text(id: "m" name: "m" family: "m" generation: "1"
types { name: "F" bits: 32 base: FLOAT }
modifiers { id: "neg" place: SOURCE spelling: "-" order: 1 types: "F" )text"
                          R"text(meaning: "(fneg a)" source { kind: GUESSED text: "t" } }
costs { id: "alu" issue_cycles: 1 latency: 2 bytes: 8 issue_source { kind: GUESSED text: "t" }
  latency_source { kind: GUESSED text: "t" } bytes_source { kind: GUESSED text: "t" } }
instructions {
  mnemonic: "ADD"
  variants { forms: "F F F" meaning: "(fadd a b)" contract: ARITHMETIC sources { modifiers: "neg" } cost: "alu"
    source { kind: GUESSED text: "t" } }
}
)text";

std::string ErrorOf(const std::string& text) {
  absl::StatusOr<std::unique_ptr<const Machine>> machine = ParseMachine(text, "m.textproto");
  return machine.ok() ? "" : std::string(machine.status().message());
}

std::string ErrorWith(absl::string_view from, absl::string_view to) {
  const std::string text = absl::StrReplaceAll(kSmall, {{from, to}});
  EXPECT_NE(text, kSmall) << from;
  return ErrorOf(text);
}

TEST(MachineTest, LoadsASmallDescription) {
  absl::StatusOr<std::unique_ptr<const Machine>> machine = ParseMachine(kSmall, "m.textproto");
  ASSERT_TRUE(machine.ok()) << machine.status();
  ASSERT_EQ((*machine)->variants().size(), 1u);
  const Variant& add = (*machine)->variants()[0];
  EXPECT_EQ(add.rows[0]->name, "m.ADD.F.F.F");
  EXPECT_EQ(add.rows[0]->contract, ir::Contract::kArithmetic);
  EXPECT_EQ(add.operands.size(), 2u);  // Both sources share a single description.
  EXPECT_EQ((*machine)->modifiers()[0].rows.at(0)->meaning, "(fneg a)");
}

TEST(MachineTest, RejectsWithFileAndLine) {
  EXPECT_TRUE(
      absl::StartsWith(ErrorWith("modifiers: \"neg\"", "modifiers: \"nag\""), "m.textproto:8: unknown modifier 'nag'"));
  EXPECT_TRUE(absl::StartsWith(ErrorWith("(fadd a b)", "(fadd a"), "m.textproto:8: "));
  EXPECT_TRUE(absl::StrContains(ErrorWith("(fadd a b)", "(fudd a b)"), "unknown primitive"));
  EXPECT_TRUE(absl::StrContains(ErrorWith("(fadd a b)", "(fadd a c)"), "no such source"));
  EXPECT_TRUE(absl::StartsWith(ErrorWith("F F F", "F F G"), "m.textproto:8: unknown type 'G'"));
  EXPECT_TRUE(absl::StartsWith(ErrorWith("cost: \"alu\"", "cost: \"fpu\""), "m.textproto:8: ADD: unknown cost 'fpu'"));
  EXPECT_TRUE(absl::StartsWith(ErrorWith("\"(fneg a)\"", "\"(fneg b)\""), "m.textproto:3: "));
  EXPECT_TRUE(absl::StartsWith(ErrorWith("bytes_source { kind: GUESSED text: \"t\" }", ""),
                               "m.textproto:4: cost alu has no source"));
  EXPECT_TRUE(absl::StartsWith(ErrorWith("base: FLOAT", "bass: FLOAT"), "m.textproto:2:"));
}

TEST(MachineTest, RejectsImmediateSetsAndLongFormsThatSayNothing) {
  const std::string set =
      "immediate_sets { id: \"s\" ranges { from: 0 to: 3 } source { kind: GUESSED text: \"t\" } }\n";
  const auto with = [&](const std::string& prefix, const std::string& immediate) {
    const std::string text = absl::StrReplaceAll(
        kSmall, {{"modifiers: \"neg\" }", absl::StrCat("modifiers: \"neg\" immediate { ", immediate, " } }")}});
    return ErrorOf(absl::StrCat(prefix, text));
  };
  EXPECT_EQ(with(set, "encoding: SET set: \"s\""), "");
  EXPECT_EQ(with(set, "encoding: FULL set: \"s\""), "");
  EXPECT_TRUE(absl::StrContains(with(set, "encoding: SET"), "needs a set"));
  EXPECT_TRUE(absl::StrContains(with(set, "encoding: SET set: \"q\""), "unknown immediate set 'q'"));
  EXPECT_TRUE(absl::StrContains(with(set, "encoding: UINT8 set: \"s\""), "only immediates of encodings SET and FULL"));
  EXPECT_TRUE(absl::StrContains(
      with("immediate_sets { id: \"s\" source { kind: GUESSED text: \"t\" } }\n", "encoding: SET set: \"s\""),
      "is empty"));
  EXPECT_TRUE(absl::StrContains(
      with("immediate_sets { id: \"s\" ranges { from: 3 to: 1 } source { kind: GUESSED text: \"t\" } }\n",
           "encoding: SET set: \"s\""),
      "empty range"));
  EXPECT_TRUE(absl::StrContains(
      with("immediate_sets { id: \"s\" ranges { from: 0 to: 3 } }\n", "encoding: SET set: \"s\""), "has no source"));
  EXPECT_TRUE(
      absl::StrContains(ErrorWith("bytes: 8", "bytes: 8 long_bytes: 12"), "must set both long_bytes and long_when"));
}

TEST(MachineTest, RejectsCoverageThatSaysNothing) {
  const auto with = [](const std::string& fate) {
    return ErrorOf(absl::StrCat(kSmall, "coverage {\n  fates { ", fate, " }\n}\n"));
  };
  const std::string source = " source { kind: GUESSED text: \"t\" }";
  EXPECT_EQ(with("fate: TAKEN sets { ops: \"fadd\" }" + source), "");
  EXPECT_EQ(with("sets { ops: \"fadd\" }" + source),
            "m.textproto:12: a fate is required: TAKEN, OUTSIDE, MISSING or LOWERED");
  EXPECT_EQ(with("fate: TAKEN sets { ops: \" \" }" + source), "m.textproto:12: a set of ops is empty");
  EXPECT_TRUE(absl::StrContains(with("fate: LOWERED sets { ops: \"fadd\" }"), "an op fate has no source"));
}

TEST(MachineTest, BuiltInMachinesAreTheFilesAndHaveFacts) {
  for (const Machine* machine : AllMachines()) {
    absl::StatusOr<std::unique_ptr<const Machine>> file =
        LoadMachine(absl::StrCat("machine/descriptions/", machine->id(), ".textproto"));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->description().SerializeAsString(), machine->description().SerializeAsString());
    EXPECT_EQ(*FindMachine(machine->id()), machine);  // The file is named after the machine's id.
    EXPECT_GE(machine->description().deviations_size(), 1);
    EXPECT_GE(machine->variants().size(), 10u);
    std::printf("%s: %d instructions, %zu variants, %zu rows, %d base rules\n", machine->id().c_str(),
                machine->description().instructions_size(), machine->variants().size(), machine->rows().size(),
                machine->description().base_size());
  }
}

TEST(MachineTest, UnknownMachineNamesTheKnownOnes) {
  absl::StatusOr<const Machine*> machine = FindMachine("intel_gen99");
  ASSERT_FALSE(machine.ok());
  EXPECT_TRUE(absl::StrContains(machine.status().message(), "agx_g13, "));
  EXPECT_TRUE(FindMachine("agx_g13").ok());
  EXPECT_EQ(LoadMachine("/nonexistent.textproto").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(LoadMachine("/dev/zero").status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace rewrought::machine

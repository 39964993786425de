#include "emitter/lburg/lburg_writer.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/testing/machine_rules.h"

namespace rewrought::emitter {
namespace {

std::string Written(const v1::Pack& pack) { return TextOrError(WriteLburg(pack)); }

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text.substr(text.size() / 2);
}

TEST(LburgWriter, WritesRowsWithCosts) {
  const std::string text = Written(FourPrograms());
  ExpectHas(text, "%%\nvalue: r1 = 1 (0);\nr1: value_1 = 2 (0);\n");
  ExpectHas(text, "\nr32: fadd_32(r32,r32) = ");
  ExpectHas(text, " = 7 (");
  // The grammar contains both orders of the sum. The select has only one order, because it contains no commutative op.
  ExpectHas(text, "\nr32: fsat_32(fadd_32(fabs_32(r32),fneg_32(r32))) = ");
  ExpectHas(text, "\nr32: fsat_32(fadd_32(fneg_32(r32),fabs_32(r32))) = ");
  ExpectHas(text, "r32: bcsel_32(ilt_32(r32,r32),r32,r32) = ");
  ExpectHas(text, "(WHERE(SAME(CHILD(CHILD(a,0),0), CHILD(a,1)) && SAME(CHILD(CHILD(a,0),1), CHILD(a,2)), 2));\n");
  ExpectHas(text,
            "(WHERE(FLAG(nsz, a) && PREDICATE(is_a_number, CHILD(a,0)) && CONSTANT(0x40000000, CHILD(a,1)), 2));");
  ExpectHas(text, "(WHERE(PREDICATE(is_used_once, CHILD(a,0)) && CONSTANT(0x7, CHILD(a,1)), 2));\n");
  ExpectHas(text, "  {\"id1\", \"b a\", \"[ADD(r(F), abs(a(F)), -b(F)).sat()]\"},\n");
  EXPECT_EQ(Written(FourPrograms()), text);
}

TEST(LburgWriter, EveryMachinesBaseRulesReadBack) {
  for (const machine::Machine* machine : machine::AllMachines()) {
    const auto text = WriteLburg(MachinePack(*machine));
    EXPECT_TRUE(text.ok()) << machine->id() << ": " << text.status();
  }
}

TEST(LburgWriter, ContractionIsForInexactNodesOnly) {
  const std::string text = Written(PackOfPrograms("vec4", {}));
  ExpectHas(text, "r32: fadd_32(fmul_32(r32,r32),r32) = ");
  ExpectHas(text, "(WHERE(INEXACT(a) && INEXACT(CHILD(a,0)), ");
}

TEST(LburgWriter, DoctoredTextIsNamedByEntry) {
  const v1::Pack pack = FourPrograms();
  const std::string text = Written(pack);
  EXPECT_TRUE(CheckLburgText(text, pack).ok());
  const struct {
    const char *from, *to, *says;
  } kCases[] = {
      {"(fadd_32(fabs_32(r32),fneg_32(r32)))", "(fadd_32(fneg_32(r32),fneg_32(r32)))", "entry id1: its pattern is"},
      {"(fadd_32(fabs_32(r32),fneg_32(r32)))", "(fadd_32(fabs_32(r32),fneg_32))", "entry id1: its pattern is"},
      {"(fadd_32(fabs_32(r32),fneg_32(r32)))", "(fadd_32(fabs_32(r32),fneg_32(r32))", "entry id1: ')' is expected"},
      {"CHILD(a,1)) && SAME", "CHILD(a,2)) && SAME", "entry id0: its condition is"},
      {"CHILD(a,2)), 2));", "CHILD(a,2)), 1));", "entry id0: its cost is 1"},
      {".cmod(L)]", ".cmod(GE)]", "its program is"},
      {"abs(a(F)), -b(F)).sat()", "a(F), -b(F)).sat()", "entry id1: its program is"},
      {"abs(a(F)), -b(F)).sat()", "bits(a(F)), -b(F)).sat()", "entry id1: "},
      {"{\"id1\", \"a b\"", "{\"id1\", \"b a\"", "entry id1: its pattern is"},
      {"FLAG(nsz, a) && ", "", "entry id2: its condition is"},
      {"imm(7, D)", "imm(9, D)", "entry id3: its program is"},
      {"{\"id3\"", "{\"id4\"", "entry id3: its id is id4"},
      {"r1: value_1 = 2 (0);", "r1: value_1 = 2 (9);", "base value_1: its cost is 9"},
      {"SPDX-License-Identifier: MIT", "none", "the text before the rows does not match the pack"},
      {"};\n", "  {\"x\", \"a\", \"[]\"},\n};\n", "a program belongs to no entry"},
      {"\n%%\n/*", "\nr32: x = 9999 (1);\n%%\n/*", "a row belongs to no entry"},
  };
  for (const auto& one : kCases) {
    const std::string doctored = absl::StrReplaceAll(text, {{one.from, one.to}});
    ASSERT_NE(doctored, text) << one.from;
    const absl::Status status = CheckLburgText(doctored, pack);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << one.from;
    EXPECT_NE(status.message().find(one.says), absl::string_view::npos) << one.from << ": " << status;
  }
}

TEST(LburgWriter, TruncatedTextIsRefused) {
  const v1::Pack pack = FourPrograms();
  const std::string text = Written(pack);
  for (size_t size = 0; size < text.size(); size += 1499) {
    EXPECT_EQ(CheckLburgText(text.substr(0, size), pack).code(), absl::StatusCode::kDataLoss) << size;
  }
}

TEST(LburgWriter, UnsupportedRulesNameRuleAndRemedy) {
  v1::Pack pack = FourPrograms();
  pack.mutable_entries(2)->mutable_rule()->set_condition("options->name == \"x\"");
  EXPECT_EQ(Written(pack),
            "lburg: entry id2: its condition must consist of names, numbers, and operators; mute the rule in a waivers "
            "file, or export without lburg");
  EXPECT_NE(Written(PackOfPrograms("intel_gen9", {{"('~fadd', 'a@32', 'b')", "[ADD(r(F), a(F), b(F))]"}}))
                .find("entry id0: a grammar cannot test whether a node is exact; mute"),
            std::string::npos);
  pack = FourPrograms();
  pack.mutable_entries(0)->mutable_rule()->set_id("x\", \"\", \"\"}, {");
  EXPECT_NE(Written(pack).find("its id must consist of letters and digits"), std::string::npos) << Written(pack);
  pack.mutable_manifest()->set_machine("none");
  EXPECT_EQ(WriteLburg(pack).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace rewrought::emitter

#include "emitter/tablegen/tablegen_writer.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/testing/machine_rules.h"
#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

std::string Written(const v1::Pack& pack) { return TextOrError(WriteTablegen(pack)); }

TEST(TablegenWriter, WritesPatterns) {
  const std::string text = Written(FourPrograms());
  EXPECT_NE(text.find("def : Pat<(f32 (nir_fsat (f32 (nir_fadd (f32 (nir_fabs f32:$a)), (f32 (nir_fneg f32:$b)))))),\n"
                      "          (f32 (ADD_F_F_F $a, modifier_abs_f, $b, modifier_neg_f, modifier_sat_f))>;\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("def : Pat<(f32 (nir_fmul_nsz is_a_number_f32:$a, f32_0x40000000)),"), std::string::npos) << text;
  EXPECT_NE(text.find("def : Pat<(i32 (nir_iand (i32 (nir_inot_is_used_once i32:$a)), (i32 7))),\n"), std::string::npos)
      << text;
  EXPECT_EQ(Written(FourPrograms()), text);
}

TEST(TablegenWriter, EveryMachinesBaseRulesReadBack) {
  for (const machine::Machine* machine : machine::AllMachines()) {
    const auto text = WriteTablegen(MachinePack(*machine));
    EXPECT_TRUE(text.ok()) << machine->id() << ": " << text.status();
  }
}

TEST(TablegenWriter, MasksMergeAndTemporariesNest) {
  const std::string text = Written(
      PackOfPrograms("vec4", {{"('fadd@32x4', 'a@32x4', 'b@32x4')",
                               "[MUL(r(F).mask(xy), a(F), b(F)), ADD(r(F).mask(zw), a(F), b(F).swizzle(xxyy))]"}}));
  EXPECT_NE(text.find("(v4f32 (ADD_F_F_F_keeps $a, modifier_none, swizzle_xyzw, $b, modifier_none, swizzle_xxyy, "
                      "modifier_none, mask_zw, (v4f32 (MUL_F_F_F_keeps $a, modifier_none, swizzle_xyzw, $b, "
                      "modifier_none, swizzle_xyzw, modifier_none, mask_xy, (v4f32 (IMPLICIT_DEF))))))>;"),
            std::string::npos)
      << text;
}

TEST(TablegenWriter, WhatHoldsForEachComponentStandsForAll) {
  const std::string text = Written(PackOfPrograms("vec4", {{"('fneg', 'a@32')", "[MOV(r(F), -a(F))]"}}));
  for (const char* type : {"f32", "v2f32", "v4f32"}) {
    EXPECT_NE(text.find(absl::StrCat("def : Pat<(", type, " (nir_fneg")), std::string::npos) << text;
  }
}

TEST(TablegenWriter, BitsThatAreReadAsAnotherKindAreConverted) {
  const std::string text =
      Written(PackOfPrograms("intel_gen9", {{"('iand', ('fneg', 'a@32'), '#b(is_ult_32)')", "[AND(r(D), a(D), b(D))]"},
                                            {"('bcsel', 'a@1', ('fneg', 'b@32'), 'c')", "[MOV(r(D), b(D))]"}}));
  EXPECT_NE(text.find("(i32 (nir_iand (i32 (bitconvert (f32 (nir_fneg f32:$a)))), constant_is_ult_32_i32:$b))"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(f32 (nir_bcsel i1:$a, (f32 (nir_fneg f32:$b)), f32:$c))"), std::string::npos) << text;
}

TEST(TablegenWriter, RelationsBetweenConstantsAreRefused) {
  const std::string text =
      Written(PackOfPrograms("intel_gen9", {{"('where', ('umin', ('umin', 'a@32', '#b'), '#c'), ('ult', 'b', 'c'))",
                                             "[SEL(r(UD), a(UD), b(UD)).cmod(L)]"}}));
  EXPECT_EQ(text,
            "tablegen: entry id0: it relates constants (`where`), but a leaf's predicate sees only one node; mute the "
            "rule in a waivers file, or export without tablegen");
}

TEST(TablegenWriter, ConditionsArePredicates) {
  v1::Pack pack = FourPrograms();
  pack.mutable_entries(1)->mutable_rule()->set_condition("!options->lower_fsat");
  const std::string text = Written(pack);
  EXPECT_NE(text.find("def condition0 : Predicate<\"!options->lower_fsat\">;\n"), std::string::npos) << text;
  EXPECT_NE(text.find(", Requires<[condition0]>;\n"), std::string::npos) << text;
}

TEST(TablegenWriter, DoctoredTextIsNamedByEntry) {
  const v1::Pack pack = FourPrograms();
  const std::string text = Written(pack);
  EXPECT_TRUE(CheckTablegenText(text, pack).ok());
  const struct {
    const char *from, *to, *says;
  } kCases[] = {
      {"(SEL_D_D_D_choice $a", "(SEL_D_D_D_choice $b", "entry id0: its program is"},
      {"nir_ilt i32:$a, i32:$b", "nir_ilt i32:$b, i32:$a", "entry id0: its search has"},
      {"$a, modifier_abs_f", "$a, modifier_neg_f", "entry id1: its program is"},
      {"$a, modifier_abs_f", "$a, modifier_not_d", "entry id1: "},  // A float has no such modifier.
      {"modifier_sat_f))", "modifier_none))", "entry id1: its program is"},
      {"is_a_number_f32:$a", "f32:$a", "entry id2: its search has"},
      {"nir_fmul_nsz is", "nir_fmul is", "entry id2: its search has"},
      {"f32_0x40000000)),", "f32_0x40000001)),", "entry id2: its search has"},
      {"(i32 7))),\n", "(i32 9))),\n", "entry id3: its search has"},
      {"(i32 7), modifier_none", "(i32 9), modifier_none", "entry id3: its program is"},
      {"(AND_D_D_D", "(NAND_D_D_D", "entry id3: intel_gen9 has no instruction NAND_D_D_D"},
      {"SPDX-License-Identifier: MIT", "SPDX-License-Identifier: none", "line 1 does not match the pack"},
      {"let Size = 16", "let Size = 1", "does not match the pack"},
      {"return is_a_number(N)", "return true", "does not match the pack"},
  };
  for (const auto& one : kCases) {
    const std::string doctored = absl::StrReplaceAll(text, {{one.from, one.to}});
    ASSERT_NE(doctored, text) << one.from;
    const absl::Status status = CheckTablegenText(doctored, pack);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << one.from;
    EXPECT_NE(status.message().find(one.says), absl::string_view::npos) << one.from << ": " << status;
  }
}

TEST(TablegenWriter, TruncatedAndLongerTextIsRefused) {
  const v1::Pack pack = FourPrograms();
  const std::string text = Written(pack);
  for (size_t size = 0; size + 1 < text.size(); size += 7) {
    EXPECT_EQ(CheckTablegenText(text.substr(0, size), pack).code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_EQ(CheckTablegenText(text + "def : Pat<(i32 (nir_inot i32:$a)), (i32 (NOT_D_D $a, modifier_none))>;\n", pack)
                .message(),
            "rules.td: a pattern belongs to no entry");
}

TEST(TablegenWriter, UnsupportedRulesNameRuleAndRemedy) {
  v1::Pack pack = FourPrograms();
  pack.mutable_entries(2)->mutable_rule()->set_condition("options->name == \"x\"");
  EXPECT_EQ(
      Written(pack),
      "tablegen: entry id2: its condition must consist of names, numbers, and operators; mute the rule in a waivers "
      "file, or export without tablegen");
  EXPECT_NE(Written(PackOfPrograms("intel_gen9", {{"('~fadd', 'a@32', 'b')", "[ADD(r(F), a(F), b(F))]"}}))
                .find("entry id0: a pattern cannot test whether a node is exact; mute"),
            std::string::npos);
  EXPECT_NE(
      Written(PackOfPrograms("intel_gen9", {{"('iadd', 'b@32', 7)", "[ADD(r(D), imm(7, D), b(D))]"}})).find("rule '"),
      std::string::npos);
}

}  // namespace
}  // namespace rewrought::emitter

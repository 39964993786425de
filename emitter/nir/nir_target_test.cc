#include "emitter/nir/nir_target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

const NirTarget& k25 = **FindNirTarget("mesa-25.0");
const NirTarget& k26 = **FindNirTarget("mesa-26.2");
const NirTarget& k22 = **FindNirTarget("mesa-22.3");

// Parses a target "mesa-99.0" that extends 25.0 with the fields `more`.
absl::StatusOr<NirTarget> Parsed(absl::string_view more, absl::string_view extends = "mesa-25.0") {
  return NirTarget::Parse(absl::StrCat("name: \"mesa-99.0\" extends: \"", extends, "\" sources: \"none\"\n", more),
                          "emitter/targets/mesa_99_0.textproto", AllNirTargets());
}

std::string Error(absl::string_view more) {
  const absl::StatusOr<NirTarget> target = Parsed(more);
  return target.ok() ? "none" : std::string(target.status().message());
}

TEST(NirTarget, OldestFirst) {
  EXPECT_EQ(AllNirTargets()[0].name(), "mesa-22.3");
  EXPECT_EQ(DefaultNirTarget().name(), "mesa-25.0");
  EXPECT_EQ(FindNirTarget("mesa-1.0").status().message(),
            "'mesa-1.0' is not a target; use mesa-22.3, mesa-25.0, mesa-26.2");
}

TEST(NirTarget, ANewerVersionAddsAndRemoves) {
  EXPECT_TRUE(k22.HasOp("fadd") && k25.HasOp("fadd"));
  EXPECT_TRUE(!k22.HasOp("bitz") && k25.HasOp("bitz"));
  EXPECT_TRUE(!k22.HasPredicate("is_odd") && k25.HasPredicate("is_odd"));
  EXPECT_TRUE(k22.HasOption("lower_rotate") && !k25.HasOption("lower_rotate"));
  EXPECT_TRUE(!k22.HasNodeFlags() && k25.HasNodeFlags());
}

TEST(NirTarget, Mesa26DiffersInMeaningAndNames) {
  EXPECT_EQ(k22.dialect(), ir::Dialect::kNir25);
  EXPECT_EQ(k26.dialect(), ir::Dialect::kNir26);
  EXPECT_EQ(k22.c_names(), "");
  EXPECT_EQ(k25.c_names(), "mesa_25.h");
  EXPECT_EQ(k26.c_names(), "mesa_26.h");
  EXPECT_TRUE(!k25.HasOwnHeader() && k26.HasOwnHeader());
  // The tree of 26.2 defines a predicate whose C code packs for 25.0 must contain.
  EXPECT_TRUE(!k25.Defines("is_not_only_used_by_fadd") && k26.Defines("is_not_only_used_by_fadd"));
  EXPECT_FALSE(k26.Defines("is_shared_with_outer"));
  EXPECT_TRUE(k25.Defines("is_odd"));
  EXPECT_FALSE(k26.Defines("is_ge_zero"));  // Mesa 26 removed it.
  EXPECT_EQ(k26.GuardOf("ffma", 32, "rdna").condition,
            "(options->float_mul_add32 & nir_float_muladd_support_has_ffma)");
  EXPECT_EQ(Error("dialect: \"nir-99\""),
            "emitter/targets/mesa_99_0.textproto: dialect: unknown dialect 'nir-99'; use nir-25 or nir-26");
  EXPECT_EQ(Error("defined: \"is_even\""),
            "emitter/targets/mesa_99_0.textproto: defined: 'is_even' is not among the predicates");
}

TEST(NirTarget, ATreeSelectsTheNewestTargetThatIsNotNewer) {
  const auto of = [](absl::string_view version) {
    const std::string folder = testing::TempDir() + "/tree";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/VERSION") << version;
    const absl::StatusOr<const NirTarget*> target = TargetOfTree(folder);
    return target.ok() ? (*target)->name() : std::string(target.status().message());
  };
  EXPECT_EQ(of("22.3.6\n"), "mesa-22.3");
  EXPECT_EQ(of("24.1.0\n"), "mesa-22.3");
  EXPECT_EQ(of("25.0.7\n"), "mesa-25.0");
  EXPECT_EQ(of("25.3.1\n"), "mesa-25.0");
  EXPECT_EQ(of("26.0.0-devel\n"), "mesa-26.2");
  EXPECT_EQ(of("26.2.0-rc1\n"), "mesa-26.2");
  EXPECT_EQ(of("27.0.0-devel\n"), "mesa-26.2");  // `export` prints both versions.
  EXPECT_TRUE(absl::StrContains(of("22.0.1\n"), "is older than every known version of Mesa; the oldest is mesa-22.3"));
  EXPECT_TRUE(absl::StrContains(of("unknown"), "/VERSION does not contain a version such as 26.2.0"));
  EXPECT_TRUE(absl::StrContains(TargetOfTree("/nonexistent").status().message(), "is not the root of a Mesa tree"));
}

TEST(NirTarget, LateOpsAreInherited) {
  EXPECT_TRUE(k22.IsLate("isub") && k25.IsLate("isub"));
  EXPECT_TRUE(k25.IsLate("bitz"));
  EXPECT_TRUE(k25.IsLate("fmin_agx"));
  EXPECT_FALSE(k25.IsLate("iadd"));
}

TEST(NirTarget, GuardsOfTheSizeComeBeforeThoseOfAnySize) {
  EXPECT_EQ(k25.GuardOf("urol", 32, "rdna").condition, "options->has_rotate32");
  EXPECT_EQ(k22.GuardOf("urol", 32, "rdna").condition, "!options->lower_rotate");
  EXPECT_FALSE(k25.GuardOf("urol", 64, "rdna").known);
  EXPECT_EQ(k25.GuardOf("urol", 64, "rdna").condition,
            "no option of mesa-25.0 states whether a driver accepts urol@64");
  EXPECT_EQ(k25.GuardOf("fneg", 32, "rdna").condition, "!options->lower_fneg");
  EXPECT_TRUE(k25.GuardOf("iadd", 32, "rdna").known);
  EXPECT_EQ(k25.GuardOf("iadd", 32, "rdna").condition, "");
}

TEST(NirTarget, PlacesAreTheDrivers) {
  EXPECT_EQ(k25.PlaceOf("ir3_a6xx", false), "main_rest");
  EXPECT_EQ(k25.PlaceOf("ir3_a6xx", true), "before_late");
  EXPECT_EQ(k25.PlaceOf("rdna", false), "before_late");  // The first place that the target names.
  EXPECT_EQ(k25.PlaceOf("agx_g13", true), "main_rest");  // The machine's driver has no place before the late pass.
  EXPECT_EQ(k25.PlaceOf("no_driver", true), "before_late");
}

TEST(NirTarget, OpsOfOneDriverAreForItsMachines) {
  EXPECT_TRUE(k25.GuardOf("fmin_agx", 32, "agx_g13").known);
  EXPECT_FALSE(k25.GuardOf("fmin_agx", 32, "rdna").known);
}

// emitter/nir/nir_rule.cc guards 64-bit ops with these options.
TEST(NirTarget, EveryVersionHasTheOptionsOfWideOps) {
  for (const NirTarget& target : AllNirTargets()) {
    EXPECT_TRUE(target.HasOption("lower_doubles_options") && target.HasOption("lower_int64_options")) << target.name();
  }
}

TEST(NirTarget, AnExtensionReplacesGuards) {
  const absl::StatusOr<NirTarget> target =
      Parsed("guards { ops: \"ffract\" } guards { ops: \"amul\" condition: \"options->has_bfe\" }");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->GuardOf("ffract", 32, "rdna").condition, "");
  EXPECT_EQ(target->GuardOf("amul", 32, "rdna").condition, "options->has_bfe");
  EXPECT_EQ(target->GuardOf("ffloor", 32, "rdna").condition, "!options->lower_ffloor");
}

TEST(NirTarget, RemovedOpsTakeTheirGuardsAlong) {
  const absl::StatusOr<NirTarget> target = Parsed("removed: \"amul\" removed: \"has_amul\"");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_FALSE(target->HasOp("amul") || target->IsLate("amul"));
}

TEST(NirTarget, SaysWhereAndWhatIsWrong) {
  const std::string file = "emitter/targets/mesa_99_0.textproto:";
  EXPECT_TRUE(absl::StartsWith(Error("opps: \"fadd\""), absl::StrCat(file, "2:5: "))) << Error("opps: \"fadd\"");
  EXPECT_EQ(Error("ops: \"fad\""), file + " ops: 'fad' is unknown");
  EXPECT_EQ(Error("ops: \"fadd\""), file + " ops: 'fadd' is already known");
  EXPECT_EQ(Error("options: \"a b\""), file + " options: 'a b' is unknown");
  EXPECT_EQ(Error("removed: \"lower_rotate\""), file + " removed: 'lower_rotate' is not inherited");
  EXPECT_EQ(Error("removed: \"has_amul\""), file + " guards: 'amul' requires has_amul, which is not an option");
  EXPECT_EQ(Error("guards { ops: \"fad\" }"), file + " guards: 'fad' is not among the ops");
  EXPECT_EQ(Error("guards { ops: [\"fadd\", \"fadd\"] }"), file + " guards: 'fadd' has two guards at the same bits");
  EXPECT_EQ(Error("guards { ops: \"fadd\" condition: \"x\" unstated: true }"),
            file + " guards: 'x' is the condition of an unstated guard");
}

TEST(NirTarget, AFileIsNamedForItsTargetAndExtendsAnOlderOne) {
  EXPECT_EQ(Parsed("", "mesa-98.0").status().message(),
            "emitter/targets/mesa_99_0.textproto: extends: 'mesa-98.0' is not a target from an alphabetically earlier "
            "file");
  EXPECT_EQ(NirTarget::Parse("name: \"mesa-99.0\"", "mesa_98_0.textproto", {}).status().message(),
            "mesa_98_0.textproto: name: 'mesa-99.0' does not match the file name");
  EXPECT_EQ(NirTarget::Parse("name: \"mesa-99.0\"", "mesa_99_0.textproto", {}).status().message(),
            "mesa_99_0.textproto: sources: state the version and the files from which the facts were taken");
}

TEST(OptionFields, InOrder) {
  EXPECT_EQ(OptionFields("!options->b && (options->a_1 || x)"), (std::vector<std::string>{"b", "a_1"}));
}

// Every driver of the rig can call a pass at main_rest, through its own edits or those of another machine.
TEST(NirTarget, DriversOfTheRigHaveCalls) {
  const NirTarget& target = DefaultNirTarget();
  for (const auto& [driver, machine] : std::map<std::string, std::string>{{"ir3-a630", "ir3-a630"},
                                                                          {"valhall-g57", "valhall-g57"},
                                                                          {"bifrost-g52", "valhall"},
                                                                          {"aco-navi31", "rdna"},
                                                                          {"radv-navi31", "rdna"},
                                                                          {"turnip-a630", "ir3"},
                                                                          {"anv-tgl", "intel_gen9"},
                                                                          {"elk-hsw", "intel_gen7"},
                                                                          {"v3d-42", "v3d-42"}}) {
    const std::string calls = target.CallsOf(driver);
    EXPECT_EQ(calls, machine);
    EXPECT_TRUE(std::any_of(target.tree_edits().begin(), target.tree_edits().end(), [&](const auto& edit) {
      return edit.place() == "main_rest" && std::any_of(edit.machines().begin(), edit.machines().end(),
                                                        [&](const auto& of) { return calls.starts_with(of); });
    })) << driver;
  }
}

}  // namespace
}  // namespace rewrought::emitter

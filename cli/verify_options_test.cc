#include "cli/verify_options.h"

#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

using ir::DenormMode;

TEST(VerifyOptions, ReadsModesOnceAndInOrder) {
  EXPECT_EQ(*ReadModes("--modes", "flush,any,flush"), (std::vector<DenormMode>{DenormMode::kAny, DenormMode::kFlush}));
  EXPECT_EQ(*ReadModes("--modes", "preserve"), std::vector<DenormMode>{DenormMode::kPreserve});
  EXPECT_EQ(ReadModes("--modes", "any,ftz").status().message(),
            "--modes any,ftz: 'ftz' is not a denormal mode; use any, preserve or flush");
  EXPECT_FALSE(ReadModes("--modes", "").ok());
}

TEST(VerifyOptions, ReadsWidths) {
  EXPECT_TRUE(ReadWidths("--widths", "all")->empty());
  EXPECT_EQ(*ReadWidths("--widths", "64,16"), (std::vector<int>{64, 16}));
  EXPECT_EQ(ReadWidths("--widths", "7").status().message(),
            "--widths 7: '7' is not a width; use 1, 8, 16, 32, 64 or all");
  EXPECT_FALSE(ReadWidths("--widths", "16,").ok());
}

TEST(VerifyOptions, ATimeoutBoundsEveryQuery) {
  const verifier::ProverOptions usual, bounded = ProverOptionsOf(30, {}), unbounded = ProverOptionsOf(0, {});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bounded.budgets.uninterpreted[i], 30u);
    EXPECT_EQ(bounded.budgets.native[i], 30u);
    EXPECT_EQ(unbounded.budgets.uninterpreted[i], usual.budgets.uninterpreted[i]);
  }
  EXPECT_EQ(bounded.budgets.confirming, 30u);
  EXPECT_FALSE(bounded.keep_query);
  // A time limit above the default budgets does not extend the budgets of the cheap tiers.
  EXPECT_EQ(ProverOptionsOf(100000, {}).budgets.uninterpreted[0], usual.budgets.uninterpreted[0]);
  EXPECT_EQ(ProverOptionsOf(100000, {}).budgets.native[0], 100000u);
}

TEST(ReadDialect, DefaultsToTheNewestUnlessAMachineIsNamed) {
  EXPECT_EQ(*ReadDialect("", false), ir::Dialect::kNir26);
  EXPECT_EQ(*ReadDialect("", true), ir::Dialect::kNir25);
  EXPECT_EQ(*ReadDialect("nir-25", false), ir::Dialect::kNir25);
  EXPECT_EQ(*ReadDialect("nir-26", true), ir::Dialect::kNir26);
  EXPECT_FALSE(ReadDialect("nir-27", false).ok());
}

TEST(CheckAnsweredDialect, RejectsServersThatDoNotKnowTheDialect) {
  EXPECT_TRUE(CheckAnsweredDialect(v1::DIALECT_NIR_26, v1::DIALECT_NIR_26).ok());
  // Servers of earlier versions do not know dialects.
  EXPECT_FALSE(CheckAnsweredDialect(v1::DIALECT_NIR_26, v1::DIALECT_UNSPECIFIED).ok());
  EXPECT_FALSE(CheckAnsweredDialect(v1::DIALECT_NIR_26, v1::DIALECT_NIR_25).ok());
}

}  // namespace
}  // namespace rewrought::cli

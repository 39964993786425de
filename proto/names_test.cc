#include "proto/names.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "proto/rewrought/v1/proof.pb.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought {
namespace {

TEST(Names, AreLowerCaseSuffixes) {
  EXPECT_EQ(NameOf(v1::VERDICT_UNSUPPORTED), "unsupported");
  EXPECT_EQ(NameOf(v1::ACCURACY_CLASS_NOT_LESS_ACCURATE), "not_less_accurate");
  EXPECT_EQ(NameOf(v1::RULE_STATE_DERIVED), "derived");
  EXPECT_EQ(NameOf(v1::RUN_STATE_PAUSED), "paused");
}

TEST(Names, TiersAreTheWordsOfTheContract) {
  EXPECT_EQ(v1::NamesOf<v1::Tier>(), (std::vector<std::string>{"", "canonical", "vectors", "exhaustive", "uf", "native",
                                                               "cvc5", "case_split", "integers"}));
}

TEST(Names, UnspecifiedAndUnknownValuesHaveNone) {
  EXPECT_EQ(NameOf(v1::VERDICT_UNSPECIFIED), "");
  EXPECT_EQ(NameOf(static_cast<v1::Verdict>(99)), "");
  EXPECT_EQ(NameOf(static_cast<v1::Verdict>(-1)), "");
  EXPECT_EQ(v1::Named<v1::Verdict>(""), v1::VERDICT_UNSPECIFIED);
  EXPECT_EQ(v1::Named<v1::Verdict>("PROVED"), v1::VERDICT_UNSPECIFIED);
  EXPECT_EQ(v1::Named<v1::Tier>("uninterpreted"), v1::TIER_UNSPECIFIED);
}

template <typename Enum>
void ExpectReadBack() {
  const google::protobuf::EnumDescriptor& descriptor = *google::protobuf::GetEnumDescriptor<Enum>();
  std::set<absl::string_view> seen;
  for (int i = 0; i < descriptor.value_count(); ++i) {
    const auto value = static_cast<Enum>(descriptor.value(i)->number());
    EXPECT_EQ(v1::Named<Enum>(NameOf(value)), value) << descriptor.value(i)->name();
    EXPECT_TRUE(seen.insert(NameOf(value)).second) << descriptor.value(i)->name();
  }
}

TEST(Names, AreReadBack) {
  ExpectReadBack<v1::Verdict>();
  ExpectReadBack<v1::Tier>();
  ExpectReadBack<v1::DenormMode>();
  ExpectReadBack<v1::AccuracyClass>();
  ExpectReadBack<v1::RuleClass>();
  ExpectReadBack<v1::RuleState>();
  ExpectReadBack<v1::RunState>();
}

}  // namespace
}  // namespace rewrought

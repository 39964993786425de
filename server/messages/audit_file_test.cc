#include "server/messages/audit_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rewrought::rpc {
namespace {

constexpr char kText[] =
    R"--({"pass":"algebraic","index":3,"file":"a.py","line":7,"search":"('fadd', a, 0.0)","replace":"a",)--"
    R"--("class":"refuted",)--"
    R"--("cases":[{"width":32,"mode":"flush","verdict":"refuted","tier":"vectors","sizes":{"a":32},)--"
    R"--("witness":{"vars":{"a":"0x80000000"},"search":["0x00000000"],"replace":"0x80000000"},)--"
    R"--("explain":[{"side":"search","node":"n0 = fadd a, 0.0","values":["0x00000000"]}]}],)--"
    R"--("weakest":[["n0:nsz"]],"shadowed_by":{"file":"a.py","line":2}})--"
    "\n\n"
    R"--({"pass":"late","search":"('fneg', ('fneg', a))","replace":"a","class":"proved"})--"
    "\n"
    "not JSON\n"
    R"--({"pass":"late","class":"proved"})--";

TEST(AuditFile, CountsByClassAndPass) {
  const AuditFile file(kText, "audit.json", absl::FromUnixSeconds(1700000000));
  EXPECT_EQ(file.size(), 2u);
  EXPECT_EQ(file.summary().name(), "audit.json");
  EXPECT_EQ(file.summary().modified().seconds(), 1700000000);
  EXPECT_EQ(file.summary().rules(), 2u);
  EXPECT_EQ(file.summary().unreadable(), 2u);
  EXPECT_EQ(file.summary().shadowed(), 1u);
  ASSERT_EQ(file.summary().passes_size(), 2);
  EXPECT_EQ(file.summary().passes(0).name(), "algebraic");
  EXPECT_EQ(file.summary().passes(0).counts(0).audit_class(), v1::AUDIT_CLASS_REFUTED);
  EXPECT_TRUE(file.HasOp(0, "fadd"));
  EXPECT_FALSE(file.HasOp(1, "fadd"));
}

TEST(AuditFile, GivesAFindingAsAWhole) {
  const AuditFile file(kText, "audit.json", absl::UnixEpoch());
  const v1::GetAuditFindingResponse whole = file.Whole(0);
  EXPECT_EQ(whole.finding().shadowed_by(), "a.py:2");
  ASSERT_EQ(whole.cases_size(), 1);
  EXPECT_EQ(whole.cases(0).mode(), v1::DENORM_MODE_FLUSH);
  EXPECT_EQ(whole.cases(0).verdict(), v1::VERDICT_REFUTED);
  EXPECT_EQ(whole.cases(0).tier(), v1::TIER_VECTORS);
  EXPECT_EQ(whole.cases(0).witness().vars().at("a"), "0x80000000");
  EXPECT_EQ(whole.values(0).values(0), "0x00000000");
  EXPECT_EQ(whole.weakest(0).assumptions(0), "n0:nsz");
  EXPECT_EQ(whole.reproduce(), "printf '%s\\n' '(('\\''fadd'\\'', a, 0.0), a)' | rewrought check - --explain");
}

}  // namespace
}  // namespace rewrought::rpc

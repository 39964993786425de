#include "server/access/access.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"

namespace rewrought::rpc {
namespace {

class AccessTest : public testing::Test {
 protected:
  absl::Status Add(const std::string& text, mode_t mode = 0600) {
    const std::string path = testing::TempDir() + "/tokens";
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return access_.AddTokens(path);
  }
  absl::StatusOr<Caller> Admit(const std::vector<std::string>& authorizations, Role role) {
    return access_.Admit(Protocol::kHttp, authorizations, "127.0.0.1", role);
  }
  absl::StatusCode Ask(const std::string& authorization, Role role) {
    return Admit({authorization}, role).status().code();
  }
  static std::string Line(const std::string& role, const std::string& token) {
    return absl::StrCat(role, " someone ", ir::Digest::Of(token).hex(), "\n");
  }

  Access access_{Role::kAdmin, Role::kRead};
};

TEST_F(AccessTest, RolesHaveNames) {
  EXPECT_EQ(*ParseRole("check"), Role::kCheck);
  EXPECT_EQ(ParseRole("Admin").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AccessTest, WithoutATokenTheAddressDecides) {
  EXPECT_EQ(Admit({}, Role::kRead)->client, "address 127.0.0.1");
  EXPECT_EQ(Admit({}, Role::kCheck).status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(access_.Admit(Protocol::kGrpc, {}, "127.0.0.1", Role::kAdmin)->role, Role::kAdmin);
}

TEST_F(AccessTest, TokensHaveTheirRole) {
  ASSERT_TRUE(Add(absl::StrCat("# who\n", Line("check", "abc"), "  ", Line("none", "muted"))).ok());
  EXPECT_EQ(Ask("Bearer abc", Role::kCheck), absl::StatusCode::kOk);
  EXPECT_EQ(Ask("bearer abc", Role::kRead), absl::StatusCode::kOk);
  EXPECT_EQ(Ask("Bearer abc", Role::kAdmin), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Ask("Bearer muted", Role::kRead), absl::StatusCode::kPermissionDenied);  // this token allows less than no
                                                                                     // token does
}

TEST_F(AccessTest, UnknownTokensAdmitNobody) {
  ASSERT_TRUE(Add(Line("admin", "abc")).ok());
  EXPECT_EQ(Admit({"Bearer abc"}, Role::kAdmin)->client, "token someone");
  EXPECT_EQ(Admit({"Bearer abc", "Bearer abc"}, Role::kRead).status().code(), absl::StatusCode::kUnauthenticated);
  for (const std::string wrong : {"Bearer abd", "Bearer ", "Basic abc", "abc", "Bearer abc ", ""}) {
    EXPECT_EQ(Ask(wrong, Role::kRead), absl::StatusCode::kUnauthenticated) << wrong;
  }
  EXPECT_EQ(Ask("Bearer " + std::string(2000, 'a'), Role::kRead), absl::StatusCode::kUnauthenticated);
}

// These are the digests that `sha256sum` prints if the variable with the token is not set.
TEST_F(AccessTest, BlankTokensAdmitNobody) {
  for (const std::string blank : {"", "\n", "\r\n", " "}) {
    const absl::Status status = Add("# who\n" + Line("admin", blank));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StrContains(status.message(), "tokens:2: this is the digest of an empty token")) << status;
  }
  ASSERT_TRUE(Add(Line("admin", "\t")).ok());  // not recognized as blank, but never admitted
  for (const std::string wrong : {"Bearer ", "Bearer", "Bearer \t", "Bearer  ", ""}) {
    EXPECT_EQ(Ask(wrong, Role::kRead), absl::StatusCode::kUnauthenticated) << wrong;
  }
}

TEST_F(AccessTest, FilesOfTokensAreChecked) {
  const std::string good = Line("read", "abc");
  EXPECT_EQ(Add(good, 0620).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(access_.AddTokens(testing::TempDir() + "/none").code(), absl::StatusCode::kNotFound);
  for (const std::string& wrong : {std::string("# none\n"), std::string("read someone\n"), Line("boss", "abc"),
                                   std::string("read someone 12ab\n"), good + good}) {
    EXPECT_EQ(Add(wrong).code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
  EXPECT_TRUE(absl::StrContains(Add("\nread someone 12ab\n").message(), "tokens:2: ")) << Add("read");
}

}  // namespace
}  // namespace rewrought::rpc

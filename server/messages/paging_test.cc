#include "server/messages/paging.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/rewrought/v1/rule_service.pb.h"

namespace rewrought::rpc {
namespace {

v1::ListRulesRequest Asked(uint32_t size, const std::string& token, const std::string& op = "fadd") {
  v1::ListRulesRequest request;
  request.set_op(op);
  request.set_page_size(size);
  request.set_page_token(token);
  return request;
}

TEST(Page, SizesAreBounded) {
  EXPECT_EQ(Page::Of(Asked(0, ""))->size(), 50u);
  EXPECT_EQ(Page::Of(Asked(7, ""))->size(), 7u);
  EXPECT_EQ(Page::Of(Asked(4000000000u, ""))->size(), 1000u);
}

TEST(Page, TokensBelongToTheirList) {
  const std::string token = Page::Of(Asked(0, ""))->TokenOf("place 7");
  EXPECT_EQ(Page::Of(Asked(0, ""))->place(), "");
  EXPECT_EQ(Page::Of(Asked(0, token))->place(), "place 7");
  EXPECT_EQ(Page::Of(Asked(3, token))->place(), "place 7");  // a page may be larger than the previous page
  const absl::StatusOr<Page> other = Page::Of(Asked(0, token, "fmul"));
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(other.status().message().substr(0, 11), "page_token:");
  v1::SearchRulesRequest search;
  search.set_page_token(token);
  EXPECT_FALSE(Page::Of(search).ok());
  EXPECT_FALSE(Page::Of(Asked(0, "x")).ok());
}

TEST(Page, PlacesAsNumbers) {
  const auto at = [](const std::string& place) {
    return Page::Numbered(Asked(0, Page::Of(Asked(0, ""))->TokenOf(place)));
  };
  EXPECT_EQ(Page::Numbered(Asked(0, ""))->number(), 0u);
  EXPECT_EQ(at("17")->number(), 17u);
  EXPECT_EQ(at("17")->text(), "");
  EXPECT_EQ(at("17+a+b")->number(), 17u);
  EXPECT_EQ(at("17+a+b")->text(), "a+b");
  for (const char* wrong : {"-1", "x", "+3"}) {
    EXPECT_EQ(at(wrong).status().code(), absl::StatusCode::kInvalidArgument) << wrong;
  }
  EXPECT_FALSE(Page::Numbered(Asked(0, "x")).ok());
}

}  // namespace
}  // namespace rewrought::rpc

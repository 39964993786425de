#include "server/http/http_message.h"

#include <gtest/gtest.h>

#include <string>

namespace rewrought::rpc {
namespace {

TEST(HttpRequest, ReadsItsTarget) {
  HttpRequest request;
  request.SetTarget("/a%2Fb+c?x=1%26+2&y&=z&x=3&u=%c3%a9");
  EXPECT_EQ(request.path, "/a/b+c");
  EXPECT_EQ(request.Param("x"), "1& 2");
  EXPECT_EQ(request.Param("y"), "");
  EXPECT_EQ(request.Param("u"), "\xc3\xa9");
  EXPECT_EQ(request.Param("none"), "");
  request.SetTarget("/plain");
  EXPECT_TRUE(request.params.empty());
}

TEST(HttpRequest, WhatIsNoEscapeStandsForItself) {
  HttpRequest request;
  request.SetTarget("/%zz%4?%=%e&a%00b=%");
  EXPECT_EQ(request.path, "/%zz%4");
  EXPECT_EQ(request.Param("%"), "%e");
  EXPECT_EQ(request.Param(std::string("a\0b", 3)), "%");
}

TEST(HttpRequest, NamesOfHeadersAreOfAnyCase) {
  HttpRequest request;
  request.headers = {{"X-Some", "1"}, {"x-sOME", "2"}};
  EXPECT_EQ(request.Header("x-some"), "1");
  EXPECT_EQ(request.AllOf("X-SOME").size(), 2u);
  EXPECT_EQ(request.Header("Other"), "");
}

}  // namespace
}  // namespace rewrought::rpc

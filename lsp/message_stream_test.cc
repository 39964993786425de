#include "lsp/message_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rewrought::lsp {
namespace {

// Returns a reader of `text` that receives at most `step` bytes at a time.
MessageReader ReaderOf(std::string text, size_t step) {
  return MessageReader([text = std::move(text), step, at = size_t{0}](char* bytes, size_t size) mutable {
    const size_t count = std::min({size, step, text.size() - at});
    std::copy_n(text.data() + at, count, bytes);
    at += count;
    return absl::StatusOr<size_t>(count);
  });
}

std::string Framed(const std::string& text) { return absl::StrCat("Content-Length: ", text.size(), "\r\n\r\n", text); }

TEST(MessageReader, ReadsMessagesInAnyPieces) {
  const std::string input = absl::StrCat(Framed("{\"id\":1}"), "content-length:8\r\nContent-Type: x\r\n\r\n{\"id\":2}");
  for (const size_t step : {size_t{1}, size_t{7}, size_t{1000}}) {
    MessageReader reader = ReaderOf(input, step);
    for (const int id : {1, 2}) {
      const absl::StatusOr<std::optional<Json>> message = reader.Read();
      ASSERT_TRUE(message.ok() && message->has_value()) << message.status();
      EXPECT_EQ((**message)["id"], id);
    }
    const absl::StatusOr<std::optional<Json>> end = reader.Read();
    ASSERT_TRUE(end.ok());
    EXPECT_FALSE(end->has_value());
  }
}

TEST(MessageReader, RejectsMalformedInput) {
  for (const std::string& input :
       {std::string("Content-Length: 8\r\n\r\n{\"id\""), std::string("Content-Length: x\r\n\r\n{}"),
        std::string("Content-Length: 99999999999\r\n\r\n{}"), std::string("Content-Type: x\r\n\r\n{}"),
        std::string("Content-Le"), Framed("[1]"), Framed("{\"id\":}"), std::string(10000, 'x')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReaderOf(input, 100).Read().status())) << input.substr(0, 40);
  }
}

}  // namespace
}  // namespace rewrought::lsp

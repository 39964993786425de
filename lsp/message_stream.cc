#include "lsp/message_stream.h"

#include <unistd.h>

#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/json_text.h"
#include "proto/parse_limits.h"

namespace rewrought::lsp {
namespace {

constexpr size_t kChunk = 64 << 10;
constexpr size_t kMaxHeader = 4 << 10;
constexpr char kEndOfHeader[] = "\r\n\r\n";

}  // namespace

absl::StatusOr<bool> MessageReader::Fill() {
  const size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  const absl::StatusOr<size_t> count = source_(buffer_.data() + size, kChunk);
  buffer_.resize(size + count.value_or(0));
  if (!count.ok()) return count.status();
  return *count > 0;
}

absl::StatusOr<std::optional<size_t>> MessageReader::ReadHeader() {
  size_t end = buffer_.find(kEndOfHeader);
  while (end == std::string::npos) {
    if (buffer_.size() > kMaxHeader) return absl::InvalidArgumentError("a message header is longer than 4096 bytes");
    const absl::StatusOr<bool> filled = Fill();
    if (!filled.ok()) return filled.status();
    if (!*filled && buffer_.empty()) return std::nullopt;
    if (!*filled) return absl::InvalidArgumentError("the input ends within the header of a message");
    end = buffer_.find(kEndOfHeader);
  }
  std::optional<size_t> length;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(buffer_).substr(0, end), "\r\n")) {
    const std::pair<absl::string_view, absl::string_view> field = absl::StrSplit(line, absl::MaxSplits(':', 1));
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(field.first), "Content-Length")) continue;
    uint64_t value = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(field.second), &value))
      return absl::InvalidArgumentError(absl::StrCat("malformed header field: ", line));
    length = value;
  }
  if (!length.has_value()) return absl::InvalidArgumentError("a message header has no Content-Length");
  if (*length > proto::kMessageLimits.bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message has ", *length, " bytes; the limit is ", proto::kMessageLimits.bytes));
  }
  buffer_.erase(0, end + sizeof(kEndOfHeader) - 1);
  return length;
}

absl::StatusOr<std::optional<Json>> MessageReader::Read() {
  const absl::StatusOr<std::optional<size_t>> length = ReadHeader();
  if (!length.ok()) return length.status();
  if (!length->has_value()) return std::nullopt;
  while (buffer_.size() < **length) {
    const absl::StatusOr<bool> filled = Fill();
    if (!filled.ok()) return filled.status();
    if (!*filled) return absl::InvalidArgumentError("the input ends within a message");
  }
  Json message = proto::ParseJson(absl::string_view(buffer_).substr(0, **length));
  buffer_.erase(0, **length);
  if (!message.is_object()) return absl::InvalidArgumentError("a message is not a JSON object");
  return message;
}

absl::Status MessageWriter::Write(const Json& message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string framed = absl::StrCat("Content-Length: ", text.size(), kEndOfHeader, text);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (size_t written = 0; written < framed.size();) {
    const ssize_t count = write(descriptor_, framed.data() + written, framed.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return absl::UnavailableError("cannot write to the client");
    written += static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

}  // namespace rewrought::lsp

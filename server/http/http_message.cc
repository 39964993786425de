#include "server/http/http_message.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace rewrought::rpc {
namespace {

std::string Decode(absl::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    uint32_t byte = 0;
    // SimpleHexAtoi also accepts signs and spaces, so the two characters must be digits.
    if (text[i] == '%' && i + 2 < text.size() && absl::ascii_isxdigit(text[i + 1]) &&
        absl::ascii_isxdigit(text[i + 2]) && absl::SimpleHexAtoi(text.substr(i + 1, 2), &byte)) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

}  // namespace

absl::string_view HttpRequest::Header(absl::string_view name) const {
  for (const auto& [one, value] : headers) {
    if (absl::EqualsIgnoreCase(one, name)) return value;
  }
  return "";
}

std::vector<std::string> HttpRequest::AllOf(absl::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [one, value] : headers) {
    if (absl::EqualsIgnoreCase(one, name)) values.push_back(value);
  }
  return values;
}

std::string HttpRequest::Param(const std::string& name) const {
  const auto found = params.find(name);
  return found == params.end() ? "" : found->second;
}

void HttpRequest::SetTarget(absl::string_view target) {
  const size_t question = target.find('?');
  path = Decode(target.substr(0, question), false);
  params.clear();
  if (question == absl::string_view::npos) return;
  for (const absl::string_view one : absl::StrSplit(target.substr(question + 1), '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> halves = absl::StrSplit(one, absl::MaxSplits('=', 1));
    params.emplace(Decode(halves.first, true), Decode(halves.second, true));
  }
}

void HttpAnswer::SetBody(std::string text, std::string type) {
  body = std::make_shared<const std::string>(std::move(text));
  headers.emplace_back("Content-Type", std::move(type));
}

}  // namespace rewrought::rpc

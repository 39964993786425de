#include "server/messages/paging.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "ir/digest.h"
#include "server/messages/status.h"

namespace rewrought::rpc {

absl::StatusOr<Page> Page::Read(absl::string_view list, uint32_t size, absl::string_view token) {
  const std::string prefix = ir::Digest::Of(list).hex().substr(0, 16) + "-";
  if (!token.empty() && !absl::ConsumePrefix(&token, prefix)) {
    return FieldError("page_token", "belongs to a different list; omit it, or repeat the filters of the previous page");
  }
  return Page(prefix, size == 0 ? kDefaultSize : std::min<size_t>(size, kMaxSize), std::string(token));
}

bool Page::ReadNumber() {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(place_, absl::MaxSplits('+', 1));
  text_ = std::string(parts.second);
  return place_.empty() || absl::SimpleAtoi(parts.first, &number_);
}

absl::Status Page::Malformed() { return FieldError("page_token", "is malformed; omit it to start at the first page"); }

}  // namespace rewrought::rpc

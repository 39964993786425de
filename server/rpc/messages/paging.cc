#include "server/rpc/messages/paging.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "server/rpc/messages/status.h"

namespace rewrought::rpc {
namespace {

std::string PrefixOf(absl::string_view list) { return ir::Digest::Of(list).hex().substr(0, 16) + "-"; }

}  // namespace

int64_t PageSize(uint32_t asked) { return asked == 0 ? kDefaultPageSize : std::min<int64_t>(asked, kMaxPageSize); }

std::string MakePageToken(absl::string_view list, absl::string_view place) {
  return absl::StrCat(PrefixOf(list), place);
}

absl::StatusOr<std::string> ReadPageToken(absl::string_view list, absl::string_view token) {
  if (token.empty()) return std::string();
  const std::string prefix = PrefixOf(list);
  if (!absl::StartsWith(token, prefix)) {
    return FieldError("page_token",
                      "is of another list; start without one, or ask with the filters of the page before");
  }
  return std::string(token.substr(prefix.size()));
}

absl::StatusOr<size_t> ReadOffset(absl::string_view list, absl::string_view token) {
  const absl::StatusOr<std::string> place = ReadPageToken(list, token);
  if (!place.ok()) return place.status();
  size_t offset = 0;
  if (!place->empty() && !absl::SimpleAtoi(*place, &offset)) {
    return FieldError("page_token", "is malformed; start without one");
  }
  return offset;
}

}  // namespace rewrought::rpc

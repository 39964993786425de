// Pages of lists: the size asked for, and tokens that belong to one list only.
#ifndef REWROUGHT_SERVER_RPC_MESSAGES_PAGING_H_
#define REWROUGHT_SERVER_RPC_MESSAGES_PAGING_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

inline constexpr int64_t kDefaultPageSize = 50;
inline constexpr int64_t kMaxPageSize = 1000;

// 0 is the default; what is above the maximum is cut to it.
int64_t PageSize(uint32_t asked);

// A token for `place` in the list that `list` describes (its method and all its filters, in any unambiguous spelling).
std::string MakePageToken(absl::string_view list, absl::string_view place);

// The place of a token; empty for an empty token. InvalidArgument, naming the field page_token: a token of another
// list.
absl::StatusOr<std::string> ReadPageToken(absl::string_view list, absl::string_view token);

// The place of a list whose places are numbers from 0; 0 for an empty token. Errors: ReadPageToken's, also for what is
// no number.
absl::StatusOr<size_t> ReadOffset(absl::string_view list, absl::string_view token);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_MESSAGES_PAGING_H_

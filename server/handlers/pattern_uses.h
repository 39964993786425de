// Who uses a pattern: the stored fragments that a search matches as a whole, and where they stand.
#ifndef REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_
#define REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "ir/match/match.h"
#include "proto/rewrought/v1/corpus_service.pb.h"
#include "store/store.h"

namespace rewrought::rpc {

// InvalidArgument, naming the field `pattern`: no search, or one without an operation.
absl::StatusOr<ir::CompiledRule> ReadPattern(absl::string_view text);

struct MatchedFragment {
  ir::Digest digest;
  std::string text;
};

// Every term of a few operations in a shader is a fragment of its own, so a pattern stands where it matches a whole
// fragment. In the order in which they were stored. Cancelled: `stop`.
absl::StatusOr<std::vector<MatchedFragment>> FragmentsMatching(store::Store* store, const ir::CompiledRule& pattern,
                                                               std::stop_token stop);

// Where a fragment stands, one use for each shader, by digest.
absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> UsesOf(store::Store* store, const MatchedFragment& fragment);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_

// Finds the uses of a pattern: the stored fragments that a search matches as a whole, and their sites.
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

// Parses a pattern. Fails with InvalidArgument, naming the field `pattern`, if the text is not a valid search side or
// contains no op.
absl::StatusOr<ir::CompiledRule> ReadPattern(absl::string_view text);

struct MatchedFragment {
  ir::Digest digest;
  std::string text;
};

// Returns the fragments that `pattern` matches as a whole, in the order in which the store received them. Every small
// term in a shader is stored as a separate fragment, so these fragments include all matches in the shaders. Fails with
// Cancelled if `stop` is requested.
absl::StatusOr<std::vector<MatchedFragment>> FragmentsMatching(store::Store* store, const ir::CompiledRule& pattern,
                                                               std::stop_token stop);

// Returns the fragment's uses, one for each shader, ordered by the shader's digest.
absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> UsesOf(store::Store* store, const MatchedFragment& fragment);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_

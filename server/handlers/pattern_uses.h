// Reads the pattern of a request, and lists the uses of the fragments that it matches.
#ifndef REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_
#define REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/match/match.h"
#include "pipeline/sites/pattern_fragments.h"
#include "proto/rewrought/v1/corpus_service.pb.h"
#include "store/store.h"

namespace rewrought::rpc {

// Parses a pattern. Fails with InvalidArgument, naming the field `pattern`, if the text is not a valid search side or
// contains no op.
absl::StatusOr<ir::CompiledRule> ReadPattern(absl::string_view text);

// Returns the fragment's uses, one for each shader, ordered by the shader's digest.
absl::StatusOr<std::vector<v1::ListUsesResponse::Use>> UsesOf(store::Store* store,
                                                              const pipeline::MatchedFragment& fragment);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_PATTERN_USES_H_

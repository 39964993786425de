// Verdicts of rules and allowed results as messages; the fields say what `rewrought check --json` says.
#ifndef REWROUGHT_SERVER_RPC_VERDICT_PROTO_H_
#define REWROUGHT_SERVER_RPC_VERDICT_PROTO_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/evaluate.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/entry_check.h"

namespace rewrought::rpc {

v1::Verdict ToProto(verifier::Verdict verdict);

// The mode of a request: unspecified is `any`. InvalidArgument, naming `field`: not any, flush or preserve.
absl::StatusOr<ir::DenormMode> ModeFromProto(int mode, absl::string_view field);

// Each allowed result as hex padded to `bits`, components separated by commas, "nan" and "any" for what is free.
std::vector<std::string> AllowedTexts(const ir::AllowedSet& set, int bits);

// A rule whose text is wrong has VERDICT_ERROR and `error`. `semantics`: the digest under which it was judged, hex.
v1::RuleVerdict ToProto(const verifier::CheckedEntry& entry, const std::string& semantics, bool with_certificates);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_VERDICT_PROTO_H_

// Verdicts of rules as messages; the fields say what `rewrought check --json` says.
#ifndef REWROUGHT_SERVER_RPC_VERDICT_PROTO_H_
#define REWROUGHT_SERVER_RPC_VERDICT_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/float_contract.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/entry_check.h"

namespace rewrought::rpc {

// The mode of a request: unspecified is `any`. InvalidArgument, naming `field`: not any, flush or preserve.
absl::StatusOr<ir::DenormMode> ModeFromProto(int mode, absl::string_view field);

// A rule whose text is wrong has VERDICT_ERROR and `error`. `semantics`: the digest under which it was judged, hex.
v1::RuleVerdict ToProto(const verifier::CheckedEntry& entry, const std::string& semantics, bool with_certificates);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_VERDICT_PROTO_H_

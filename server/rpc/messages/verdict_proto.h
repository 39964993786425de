// Verdicts of rules, and programs for expressions, as messages: what `rewrought check` and `improve` say.
#ifndef REWROUGHT_SERVER_RPC_MESSAGES_VERDICT_PROTO_H_
#define REWROUGHT_SERVER_RPC_MESSAGES_VERDICT_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/float_contract.h"
#include "proto/rewrought/v1/services.pb.h"
#include "server/pipeline/improve.h"
#include "verifier/entry_check.h"

namespace rewrought::rpc {

// The mode of a request: unspecified is `any`. InvalidArgument, naming `field`: not any, flush or preserve.
absl::StatusOr<ir::DenormMode> ModeFromProto(int mode, absl::string_view field);

struct VerdictDetail {
  bool certificates = false;
  bool explain = false;  // values of every node on each witness
};

// A rule whose text is wrong has VERDICT_ERROR and `error`. `semantics`: the digest under which it was verified, hex.
v1::RuleVerdict ToProto(const verifier::CheckedEntry& entry, const std::string& semantics, VerdictDetail detail);

v1::ImproveResponse ToProto(const pipeline::Improvement& improvement);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_MESSAGES_VERDICT_PROTO_H_

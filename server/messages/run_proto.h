// Stored runs as messages.
#ifndef REWROUGHT_SERVER_MESSAGES_RUN_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_RUN_PROTO_H_

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::rpc {

// The run with the rules that it changed. A configuration that does not parse is left empty. The store's errors.
absl::StatusOr<v1::Run> ToProto(store::Store* store, const store::RunRecord& record);

// Whether a run in this state goes no further.
bool HasEnded(v1::RunState state);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_RUN_PROTO_H_

// Converts stored runs to messages.
#ifndef REWROUGHT_SERVER_MESSAGES_RUN_PROTO_H_
#define REWROUGHT_SERVER_MESSAGES_RUN_PROTO_H_

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::rpc {

// Returns the run and the ids of the rules that it changed. If the configuration does not parse, it is left empty.
// Fails with the store's errors.
absl::StatusOr<v1::Run> ToProto(store::Store* store, const store::RunRecord& record);

// Returns whether `state` is final.
bool HasEnded(v1::RunState state);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_RUN_PROTO_H_

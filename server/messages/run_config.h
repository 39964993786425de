// Checks the configuration of a run that is started over the service.
#ifndef REWROUGHT_SERVER_MESSAGES_RUN_CONFIG_H_
#define REWROUGHT_SERVER_MESSAGES_RUN_CONFIG_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::rpc {

// Fails with InvalidArgument, naming the offending field, if the configuration is invalid. Fields that would make the
// server read or write files of the caller's choice (corpus, db, export_dir, report_file, waiver_file) must be empty. A
// run uses stored shaders; only the command line harvests and exports.
absl::Status CheckRunConfig(const v1::NightlyConfig& config);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_RUN_CONFIG_H_

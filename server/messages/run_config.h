// What a run started over the service may ask for.
#ifndef REWROUGHT_SERVER_MESSAGES_RUN_CONFIG_H_
#define REWROUGHT_SERVER_MESSAGES_RUN_CONFIG_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::rpc {

// InvalidArgument names the field that is wrong. Fields that would have the server read or write files of the caller's
// choice (corpus, db, export_dir, report_file, waiver_file) must be empty: a run works on what is stored; harvest and
// export are the command line's.
absl::Status CheckRunConfig(const v1::NightlyConfig& config);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_RUN_CONFIG_H_

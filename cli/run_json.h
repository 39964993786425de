// What runs did, as the JSON that commands print.
#ifndef REWROUGHT_CLI_RUN_JSON_H_
#define REWROUGHT_CLI_RUN_JSON_H_

#include "cli/json_output.h"
#include "pipeline/harvest.h"
#include "pipeline/nightly/nightly.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::cli {

// The proto's field names, zeros included.
Json ToJson(const v1::RunStatistics& statistics);

Json ToJson(const pipeline::HarvestReport& report);

// Keys as in the structs ("added" is "new"), and the "exit" code.
Json ToJson(const pipeline::NightlyReport& report);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_RUN_JSON_H_

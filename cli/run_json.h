// Converts reports of runs to JSON.
#ifndef REWROUGHT_CLI_RUN_JSON_H_
#define REWROUGHT_CLI_RUN_JSON_H_

#include "cli/json_output.h"
#include "pipeline/harvest.h"
#include "pipeline/nightly/nightly.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::cli {

// Converts the statistics, using the proto's field names. Includes fields that are 0.
Json ToJson(const v1::RunStatistics& statistics);

Json ToJson(const pipeline::HarvestReport& report);

// Converts the report, using the structs' field names, except that "added" becomes "new". Adds the exit code as "exit".
Json ToJson(const pipeline::NightlyReport& report);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_RUN_JSON_H_

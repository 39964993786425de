// What rank and show say of a stored rule, as JSON.
#ifndef REWROUGHT_CLI_RULE_JSON_H_
#define REWROUGHT_CLI_RULE_JSON_H_

#include "cli/json_output.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/records.h"

namespace rewrought::cli {

Json MeasurementJson(const store::MeasurementRecord& measurement);

// What is said of an inexact rule, figures that were not measured as null; null of a strict one.
Json InexactJson(const v1::RewriteRule& rule);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_RULE_JSON_H_

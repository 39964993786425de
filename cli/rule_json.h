// Converts rules to the JSON that commands such as `rewrought rank` print.
#ifndef REWROUGHT_CLI_RULE_JSON_H_
#define REWROUGHT_CLI_RULE_JSON_H_

#include "cli/json_output.h"
#include "ir/dialect/dialect.h"
#include "ir/term.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/records.h"

namespace rewrought::cli {

// Returns both sides of the rule in display form, as "search" and "replace", and its "condition" if there is one.
Json RuleJson(ir::Dialect dialect, const ir::Rule& rule);

Json MeasurementJson(const store::MeasurementRecord& measurement);

// Returns the accuracy of an inexact rule, or null for a strict rule. Values that were not measured are null.
Json InexactJson(const v1::RewriteRule& rule);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_RULE_JSON_H_

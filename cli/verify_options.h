// Options of the commands that verify rules.
#ifndef REWROUGHT_CLI_VERIFY_OPTIONS_H_
#define REWROUGHT_CLI_VERIFY_OPTIONS_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/float_contract.h"
#include "verifier/prover.h"

namespace rewrought::cli {

// Returns options of a prover that does not keep its queries. `timeout_ms` bounds each query; 0 selects the usual
// budgets.
verifier::ProverOptions ProverOptionsOf(uint32_t timeout_ms, std::stop_token stop);

// Returns the part of a verdict's key in `rewrought audit` that describes its limits.
std::string AuditLimits(uint32_t timeout_ms);

// Calls verifier::ParseModes. Returns InvalidArgument naming `option` and the allowed modes.
absl::StatusOr<std::vector<ir::DenormMode>> ReadModes(const std::string& option, const std::string& text);

// Parses "all" as an empty list, or a list such as "16,32". Returns InvalidArgument naming `option` otherwise.
absl::StatusOr<std::vector<int>> ReadWidths(const std::string& option, const std::string& text);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_VERIFY_OPTIONS_H_

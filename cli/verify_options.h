// What commands that verify share: the budgets of queries, denormal modes and widths as text.
#ifndef REWROUGHT_CLI_VERIFY_OPTIONS_H_
#define REWROUGHT_CLI_VERIFY_OPTIONS_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/float_contract.h"
#include "verifier/prover.h"

namespace rewrought::cli {

// Of a prover whose queries are not kept. `timeout_ms` bounds each query; 0: the usual budgets.
verifier::ProverOptions ProverOptionsOf(uint32_t timeout_ms, std::stop_token stop);

// What decides a verdict of `rewrought audit` besides its options: part of the key under which it is kept.
std::string AuditLimits(uint32_t timeout_ms);

// verifier::ParseModes; InvalidArgument names `option` and what it may be.
absl::StatusOr<std::vector<ir::DenormMode>> ReadModes(const std::string& option, const std::string& text);

// Reads "all", which gives none, or "16,32". InvalidArgument as above.
absl::StatusOr<std::vector<int>> ReadWidths(const std::string& option, const std::string& text);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_VERIFY_OPTIONS_H_

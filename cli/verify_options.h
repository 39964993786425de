// Defines options of the commands that verify rules.
#ifndef REWROUGHT_CLI_VERIFY_OPTIONS_H_
#define REWROUGHT_CLI_VERIFY_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"
#include "ir/float_contract.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/prover.h"

namespace rewrought::cli {

// Returns options for a prover that does not store its queries. `timeout_ms` limits each query; 0 selects the default
// budgets.
verifier::ProverOptions ProverOptionsOf(uint32_t timeout_ms, std::stop_token stop);

// Returns the options of ProverOptionsOf with an additional limit on the work for each case, for `rewrought audit`.
verifier::ProverOptions AuditProverOptions(uint32_t timeout_ms, std::stop_token stop);

// Returns the solver limits as text, for the key under which `rewrought audit` stores a verdict.
std::string AuditLimits(uint32_t timeout_ms);

// Adds --modes, which ReadModes parses, to a command that verifies rules.
void AddModesOption(CLI::App* command, std::string* modes);

// Adds --dialect to a command that verifies rules.
void AddDialectOption(CLI::App* command, std::string* dialect);

// Returns the dialect with the given name, or ir::DefaultDialect if `name` is empty. Fails with InvalidArgument, naming
// --dialect, for any other text.
absl::StatusOr<ir::Dialect> ReadDialect(const std::string& name, bool has_machine);

// Returns FailedPrecondition, with the remedy, if a server answered in a dialect other than `requested`, because it
// does not know the requested dialect.
absl::Status CheckAnsweredDialect(v1::Dialect requested, v1::Dialect answered);

// Parses a list such as "any,flush" (verifier::ParseModes). Returns InvalidArgument, naming `option` and the allowed
// modes, for any other text.
absl::StatusOr<std::vector<ir::DenormMode>> ReadModes(const std::string& option, const std::string& text);

// Parses a list such as "16,32", or "all" as an empty list. Returns InvalidArgument, naming `option`, for any other
// text.
absl::StatusOr<std::vector<int>> ReadWidths(const std::string& option, const std::string& text);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_VERIFY_OPTIONS_H_

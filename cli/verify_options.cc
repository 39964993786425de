#include "cli/verify_options.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/names.h"
#include "verifier/budget.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::cli {

verifier::ProverOptions ProverOptionsOf(uint32_t timeout_ms, std::stop_token stop) {
  verifier::ProverOptions options;
  options.keep_query = false;
  options.cancel = std::move(stop);
  if (timeout_ms > 0) options.LimitQueries(timeout_ms);
  return options;
}

void AddModesOption(CLI::App* command, std::string* modes) {
  command
      ->add_option("--modes", *modes,
                   "denormal modes: any (may or may not be flushed), preserve, flush, or a list: any,flush")
      ->default_val("any");
}

void AddDialectOption(CLI::App* command, std::string* dialect) {
  command->add_option(
      "--dialect", *dialect,
      "NIR dialect: nir-26 for rules of Mesa 26, nir-25 for rules of Mesa 22.3 to 25 (default: nir-26, or "
      "nir-25 with --machine)");
}

absl::StatusOr<ir::Dialect> ReadDialect(const std::string& name, bool has_machine) {
  if (name.empty()) return ir::DefaultDialect(has_machine);
  absl::StatusOr<ir::Dialect> dialect = ir::ParseDialect(name);
  if (!dialect.ok()) return absl::InvalidArgumentError(absl::StrCat("--dialect: ", dialect.status().message()));
  return dialect;
}

absl::Status CheckAnsweredDialect(v1::Dialect requested, v1::Dialect answered) {
  if (answered == requested) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the server does not know dialect ", v1::NameOf(requested), "; upgrade it, or omit --server"));
}

absl::StatusOr<std::vector<ir::DenormMode>> ReadModes(const std::string& option, const std::string& text) {
  absl::StatusOr<std::vector<ir::DenormMode>> modes = verifier::ParseModes(text);
  if (!modes.ok()) return absl::InvalidArgumentError(absl::StrCat(option, " ", text, ": ", modes.status().message()));
  return modes;
}

absl::StatusOr<std::vector<int>> ReadWidths(const std::string& option, const std::string& text) {
  std::vector<int> widths;
  if (text == "all") return widths;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    int width = 0;
    if (!absl::SimpleAtoi(part, &width) || (width != 1 && width != 8 && width != 16 && width != 32 && width != 64)) {
      return absl::InvalidArgumentError(
          absl::StrCat(option, " ", text, ": '", part, "' is not a width; use 1, 8, 16, 32, 64 or all"));
    }
    widths.push_back(width);
  }
  return widths;
}

verifier::ProverOptions AuditProverOptions(uint32_t timeout_ms, std::stop_token stop) {
  verifier::ProverOptions options = ProverOptionsOf(timeout_ms, std::move(stop));
  options.budgets.whole_case = verifier::kAuditCaseWork;
  return options;
}

std::string AuditLimits(uint32_t timeout_ms) {
  return absl::StrCat("timeout ", timeout_ms, " case ", verifier::kAuditCaseWork);
}

}  // namespace rewrought::cli

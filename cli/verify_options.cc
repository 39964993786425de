#include "cli/verify_options.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::cli {

verifier::ProverOptions ProverOptionsOf(uint32_t timeout_ms, std::stop_token stop) {
  verifier::ProverOptions options;
  options.keep_query = false;
  options.cancel = std::move(stop);
  if (timeout_ms > 0) options.LimitQueries(timeout_ms);
  return options;
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

std::string AuditLimits(uint32_t timeout_ms) { return absl::StrCat("timeout ", timeout_ms); }

}  // namespace rewrought::cli

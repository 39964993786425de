#include "emitter/pass/pass_check.h"

#include "absl/status/statusor.h"
#include "emitter/entry_rule.h"
#include "machine/machine.h"
#include "rules/positions.h"

namespace rewrought::emitter {

std::vector<std::pair<std::string, std::string>> CheckPassEnds(const v1::Pack& pack, const OpWeights& stated) {
  std::vector<std::pair<std::string, std::string>> findings;
  const auto machine = machine::FindMachine(pack.manifest().machine());
  for (const v1::PackEntry& entry : pack.entries()) {
    const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
    if (!parsed.ok() || parsed->program.has_value()) continue;
    OpWeights weights = stated;
    if (stated.empty() && machine.ok()) AddWeights(**machine, parsed->rule, &weights);
    const OpWeights by_size = WithoutCycles(weights);
    absl::Status status = CheckLowersOrder(parsed->rule, entry.second_pass() ? by_size : weights);
    if (status.ok() && entry.for_positions()) status = CheckLowersOrder(rules::FormForPositions(parsed->rule), by_size);
    if (!status.ok()) findings.emplace_back(entry.rule().id(), status.message());
  }
  return findings;
}

}  // namespace rewrought::emitter

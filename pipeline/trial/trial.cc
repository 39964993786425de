#include "pipeline/trial/trial.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/pass/tree_patch.h"
#include "ir/digest.h"
#include "proto/parse_limits.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/rule_store.h"

namespace rewrought::pipeline {
namespace {

constexpr char kPass[] = "nir_opt_trial";

constexpr size_t kMostCode = 1 << 16;  // bytes per example; trial_code.py in the driver rig writes at most half as many

bool AreNumbers(const v1::RuleTrial::Effect& effect) {
  return std::isfinite(effect.time()) && std::isfinite(effect.instructions());
}

bool AreNumbers(const google::protobuf::RepeatedPtrField<v1::DriverNumber>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](const v1::DriverNumber& number) {
    return std::isfinite(number.before()) && std::isfinite(number.change());
  });
}

bool IsPlace(const std::string& name) {
  return std::find(std::begin(emitter::kPlaces), std::end(emitter::kPlaces), name) != std::end(emitter::kPlaces);
}

// Returns the reason why the trial is invalid, or "" if it is valid.
std::string Fault(const v1::RuleTrial& trial) {
  if (trial.driver().empty()) return "has no driver";
  if (!std::isfinite(trial.time()) || !std::isfinite(trial.instructions())) return "has totals that are not numbers";
  if (!AreNumbers(trial.no_time().numbers())) return "has changes that are not numbers";
  for (const v1::RuleTrial::Place& place : trial.places()) {
    if (!IsPlace(place.name())) return absl::StrCat("has an unknown place \"", place.name(), "\"");
    if (!AreNumbers(place.alone()) || !AreNumbers(place.in_set())) return "has effects that are not numbers";
  }
  for (const v1::RuleTrial::Modelled& modelled : trial.modelled()) {
    if (!IsPlace(modelled.place())) return absl::StrCat("is modelled at an unknown place \"", modelled.place(), "\"");
    if (!std::isfinite(modelled.instructions())) return "has modelled savings that are not numbers";
  }
  if (!std::isfinite(trial.example().before()) || !std::isfinite(trial.example().after()))
    return "has an example whose figures are not numbers";
  if (trial.example().code().size() > kMostCode) return absl::StrCat("has an example of over ", kMostCode, " bytes");
  return "";
}

}  // namespace

std::string TrialEdits(const emitter::NirTarget& target) {
  std::string edits;
  for (const v1::NirTarget::TreeEdit& edit : target.tree_edits())
    absl::StrAppend(&edits, edit.SerializeAsString(), "|");
  return absl::StrCat("edits ", ir::Digest::Of(edits).hex());
}

absl::StatusOr<std::string> TrialPatch(const std::string& tree, const emitter::NirTarget& target) {
  emitter::TreePass pass;
  pass.name = kPass;
  for (const absl::string_view place : emitter::kPlaces) pass.places.emplace_back(place);
  pass.message =
      absl::StrCat("Calls of a pass whose rules are switched while shaders compile.\n\n", TrialEdits(target));
  return emitter::TreePatch(tree, target, pass);
}

absl::StatusOr<uint64_t> KeepTrials(store::Store* store, absl::string_view text, absl::string_view file) {
  const auto wrong = [&](absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat(file, ": ", what)); };
  if (absl::Status bounded = proto::CheckJson(text); !bounded.ok()) return wrong(bounded.message());
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::TrialResults results;
  const auto parsed = google::protobuf::util::JsonStringToMessage(std::string(text), &results, options);
  if (!parsed.ok()) return wrong(absl::StrCat("not results of tools/driver_rig/trial: ", parsed.message().ToString()));
  std::set<std::string> drivers;
  for (const v1::DriverTrial& driver : results.drivers()) {
    if (driver.driver().empty() || driver.machine().empty()) return wrong("has a driver without a name or a machine");
    if (driver.time().empty()) {
      return wrong(absl::StrCat("has no estimate of time for ", driver.driver(),
                                ", because it is of an older version; run the trial again"));
    }
    if (!std::all_of(driver.figures().begin(), driver.figures().end(),
                     [](const v1::DriverTrial::Figures& of) { return AreNumbers(of.numbers()); })) {
      return wrong(absl::StrCat("has figures of ", driver.driver(), " that are not numbers"));
    }
    drivers.insert(driver.driver());
  }
  std::vector<std::pair<ir::Digest, v1::RuleTrial>> rows;
  for (const v1::TrialResults::Row& row : results.rules()) {
    const absl::StatusOr<ir::Digest> id = ir::Digest::FromHex(row.rule());
    if (!id.ok()) return wrong(absl::StrCat("rule \"", row.rule(), "\": ", id.status().message()));
    if (const std::string fault = Fault(row.trial()); !fault.empty())
      return wrong(absl::StrCat("the trial of rule ", row.rule(), " ", fault));
    if (!drivers.contains(row.trial().driver()))
      return wrong(absl::StrCat("has a trial on ", row.trial().driver(), ", but no figures from that driver"));
    rows.emplace_back(*id, row.trial());
  }
  const std::vector<v1::DriverTrial> figures(results.drivers().begin(), results.drivers().end());
  return store::RuleStore(store).ReplaceTrials(figures, rows);
}

}  // namespace rewrought::pipeline

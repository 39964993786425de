#include "emitter/pack_entry_check.h"

#include <google/protobuf/util/message_differencer.h>

#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/pass/trial_places.h"
#include "emitter/proved_cases.h"
#include "ir/digest.h"

namespace rewrought::emitter {
namespace {

// Returns, for example, "(before_late) and, for positions, ()".
std::string PlacesText(const v1::PackEntry& entry) {
  const auto text = [](const auto& places) { return absl::CHexEscape(absl::StrJoin(places, ", ")); };
  return absl::StrCat("(", text(entry.places()), ") and, for positions, (", text(entry.position_places()), ")");
}

}  // namespace

std::vector<Finding> CheckEntries(const v1::Pack& pack, const Manifest& manifest) {
  std::vector<Finding> findings;
  std::set<std::string> ids;
  for (const v1::PackEntry& entry : pack.entries()) {
    const v1::RewriteRule& rule = entry.rule();
    const auto add = [&](absl::string_view what) { findings.push_back({rule.id(), "", std::string(what)}); };
    if (!ids.insert(rule.id()).second) add("appears twice in the pack");
    if (rule.rule_class() != manifest.rule_class) add("has a different class than the pack");
    const auto text = CanonicalText(rule);
    if (!rule.machine().empty() && rule.machine() != pack.manifest().machine())
      add(absl::StrCat("is for ", rule.machine(), ", but the pack is for ", pack.manifest().machine()));
    if (text.ok() && ir::RuleId(*text, rule.machine()).hex() != rule.id())
      add("its id does not match the digest of its text");
    const auto parsed = ParseEntry(rule);
    absl::Status status = parsed.status();
    if (status.ok()) status = CheckEvidence(entry, true);
    if (status.ok()) status = FindProvedCases(parsed->rule, entry).status();
    if (status.ok() && !parsed->program.has_value()) {
      const absl::StatusOr<const NirTarget*> target = FindNirTarget(manifest.target);
      status = target.ok() ? ExpandForNir(entry, **target, pack.manifest().machine()).status() : target.status();
    }
    if (!status.ok()) add(status.message());
    v1::PackEntry tried = entry;
    TakePlacesOfTrials(&tried);
    if (PlacesText(tried) != PlacesText(entry)) {
      add(absl::StrCat("names the places ", PlacesText(entry), ", but its trials chose ", PlacesText(tried)));
    }
    for (const v1::RuleTrial& trial : rule.trials()) {
      const std::string& driver = pack.manifest().driver();
      if (!driver.empty() && trial.driver() != driver)
        add(absl::StrCat("has a trial on ", trial.driver(), ", but the pack is for ", driver));
    }
  }
  return findings;
}

std::string DifferenceText(const google::protobuf::Message& stated, const google::protobuf::Message& wanted) {
  std::string text;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&text);
  if (differencer.Compare(stated, wanted)) return "";
  return absl::StrReplaceAll(absl::StripSuffix(text, "\n"), {{"\n", "; "}});
}

}  // namespace rewrought::emitter

#include "emitter/pack_entry_check.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "emitter/entry_rule.h"
#include "emitter/evidence.h"
#include "emitter/nir/nir_rule.h"
#include "emitter/proved_cases.h"
#include "ir/digest.h"

namespace rewrought::emitter {

std::vector<Finding> CheckEntries(const v1::Pack& pack, const Manifest& manifest) {
  std::vector<Finding> findings;
  std::set<std::string> ids;
  for (const v1::PackEntry& entry : pack.entries()) {
    const v1::RewriteRule& rule = entry.rule();
    const auto add = [&](absl::string_view what) { findings.push_back({rule.id(), "", std::string(what)}); };
    if (!ids.insert(rule.id()).second) add("occurs in the pack twice");
    if (rule.rule_class() != manifest.rule_class) add("has a different class than the pack");
    const auto text = CanonicalText(rule);
    if (text.ok() && ir::RuleId(*text, rule.machine()).hex() != rule.id()) add("its id is not the digest of its text");
    const auto parsed = ParseEntry(rule);
    absl::Status status = parsed.status();
    if (status.ok()) status = CheckEvidence(entry, false);
    if (status.ok()) status = FindProvedCases(parsed->rule, entry).status();
    if (status.ok() && !parsed->program.has_value()) {
      const absl::StatusOr<const NirTarget*> target = FindNirTarget(manifest.target);
      status = target.ok() ? ExpandForNir(entry, **target, pack.manifest().machine()).status() : target.status();
    }
    if (!status.ok()) add(status.message());
    for (const auto* places : {&entry.places(), &entry.position_places()}) {
      for (const std::string& place : *places) {
        if (std::find(std::begin(kPlaces), std::end(kPlaces), place) == std::end(kPlaces))
          add(absl::StrCat("names the place \"", absl::CHexEscape(place), "\", which no driver has"));
      }
    }
  }
  return findings;
}

}  // namespace rewrought::emitter

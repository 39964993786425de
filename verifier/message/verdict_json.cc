#include "verifier/message/verdict_json.h"

#include <cmath>
#include <map>

#include "absl/strings/str_split.h"
#include "proto/names.h"

namespace rewrought::verifier {
namespace {

using Json = nlohmann::ordered_json;

// Rounds to a tenth, because further digits would be noise.
double Rounded(double milliseconds) { return std::round(milliseconds * 10) / 10; }

// Converts "0x01,nan" to a list, and a single component to a string.
Json ComponentsToJson(const std::string& text) {
  const std::vector<std::string> components = absl::StrSplit(text, ',');
  return components.size() == 1 ? Json(components[0]) : Json(components);
}

template <typename Map>
Json Sorted(const Map& map) {
  return Json(std::map<std::string, typename Map::mapped_type>(map.begin(), map.end()));
}

template <typename Repeated>
std::vector<std::string> Strings(const Repeated& repeated) {
  return {repeated.begin(), repeated.end()};
}

Json WitnessToJson(const v1::Witness& witness) {
  Json object{{"vars", Sorted(witness.vars())},
              {"search", AllowedToJson(Strings(witness.search()))},
              {"replace", ComponentsToJson(witness.replace())}};
  if (witness.search_incomplete()) object["search_complete"] = false;
  return object;
}

Json CaseToJson(const v1::CaseVerdict& one) {
  Json object{{"width", one.width()},       {"sizes", Sorted(one.sizes())},
              {"mode", NameOf(one.mode())}, {"verdict", NameOf(one.verdict())},
              {"tier", NameOf(one.tier())}, {"confirmed_by", Strings(one.confirmed_by())},
              {"reason", one.reason()}};
  if (one.has_witness()) object["witness"] = WitnessToJson(one.witness());
  if (one.explain_size() > 0) {
    Json nodes = Json::array();
    for (const v1::ExplainedNode& node : one.explain()) {
      nodes.push_back({{"side", node.side()}, {"node", node.node()}, {"values", Strings(node.values())}});
    }
    object["explain"] = nodes;
  }
  if (one.argued_lemmas_size() > 0) object["argued_lemmas"] = Strings(one.argued_lemmas());
  object["ms"] = Rounded(one.ms());
  return object;
}

// Returns the first word, which is the verdict: proved, refuted, or unknown.
std::string FirstWord(const std::string& text) { return text.substr(0, text.find(' ')); }

Json InexactToJson(const v1::InexactStatement& inexact) {
  const auto number = [](bool known, double value) { return known ? Json(value) : Json(nullptr); };
  return Json{{"reals", FirstWord(inexact.reason())},
              {"reason", inexact.reason()},
              {"ulp_bound", number(inexact.has_ulp_bound(), inexact.ulp_bound())},
              {"class", AccuracyWord(inexact.accuracy_class())},
              {"growth_as_written", number(inexact.has_growth_as_written(), inexact.growth_as_written())},
              {"growth_fused", number(inexact.has_growth_fused(), inexact.growth_fused())},
              {"hardest_input", inexact.hardest_input()},
              {"ulp_worst_before", number(inexact.has_ulp_worst_before(), inexact.ulp_worst_before())},
              {"ulp_worst_after", number(inexact.has_ulp_worst_after(), inexact.ulp_worst_after())},
              {"ulp_typical_before", number(inexact.has_ulp_typical_before(), inexact.ulp_typical_before())},
              {"ulp_typical_after", number(inexact.has_ulp_typical_after(), inexact.ulp_typical_after())},
              {"special", Sorted(inexact.special())}};
}

}  // namespace

std::string AccuracyWord(v1::AccuracyClass accuracy) {
  return std::string(NameOf(accuracy == v1::ACCURACY_CLASS_UNKNOWN ? v1::ACCURACY_CLASS_CANCELLING : accuracy));
}

Json AllowedToJson(const std::vector<std::string>& allowed) {
  Json results = Json::array();
  for (const std::string& result : allowed) results.push_back(ComponentsToJson(result));
  if (results.size() == 1 && (results[0] == "nan" || results[0] == "any")) return results[0];
  return results;
}

Json ToJson(const v1::RuleVerdict& verdict) {
  Json object{{"line", verdict.line()},
              {"rule", verdict.rule()},
              {"dialect", NameOf(verdict.dialect())},
              {"verdict", NameOf(verdict.verdict())}};
  if (verdict.has_error()) {
    object["error"] = {{"column", verdict.error().column()}, {"message", verdict.error().message()}};
  }
  Json cases = Json::array();
  for (const v1::CaseVerdict& one : verdict.cases()) cases.push_back(CaseToJson(one));
  object["cases"] = cases;
  if (verdict.has_inexact()) object["inexact"] = InexactToJson(verdict.inexact());
  if (verdict.assumes_size() > 0) object["assumes"] = Strings(verdict.assumes());
  if (verdict.weakest_size() > 0) {
    Json weakest = Json::array();
    for (const v1::AssumptionSet& set : verdict.weakest()) weakest.push_back(Strings(set.assumptions()));
    object["weakest"] = weakest;
  }
  object["ms"] = Rounded(verdict.ms());
  return object;
}

}  // namespace rewrought::verifier

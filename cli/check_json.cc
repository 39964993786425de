#include "cli/check_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "verifier/explain.h"
#include "verifier/verdict_message.h"

namespace rewrought::cli {
namespace {

using verifier::NameOf;

// Rounded to a tenth: finer is noise.
double Rounded(double milliseconds) { return std::round(milliseconds * 10) / 10; }

// "0x01,nan" as a list, one component as itself.
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

// The first word says which: proved, refuted, unknown.
std::string FirstWord(const std::string& text) { return text.substr(0, text.find(' ')); }

Json InexactToJson(const v1::InexactStatement& inexact) {
  const auto number = [](bool known, double value) { return known ? Json(value) : Json(nullptr); };
  return Json{{"reals", FirstWord(inexact.reason())},
              {"reason", inexact.reason()},
              {"ulp_bound", number(inexact.has_ulp_bound(), inexact.ulp_bound())},
              {"class", verifier::NameOf(inexact.accuracy_class())},
              {"ulp_worst_before", number(inexact.has_ulp_worst_before(), inexact.ulp_worst_before())},
              {"ulp_worst_after", number(inexact.has_ulp_worst_after(), inexact.ulp_worst_after())},
              {"ulp_typical_before", number(inexact.has_ulp_typical_before(), inexact.ulp_typical_before())},
              {"ulp_typical_after", number(inexact.has_ulp_typical_after(), inexact.ulp_typical_after())},
              {"special", Sorted(inexact.special())}};
}

// "0x3f800000" as "0x3f800000 (1)"; what is free in words.
std::string SpelledComponent(const std::string& text) {
  if (text == "nan") return "any NaN";
  if (text == "any") return "any value";
  uint64_t value = 0;
  if (!absl::SimpleHexAtoi(text, &value)) return text;
  return verifier::SpellValue(value, std::min<int>(64, 4 * static_cast<int>(text.size() - 2)));
}

std::string Spelled(const std::string& components) {
  std::vector<std::string> texts = absl::StrSplit(components, ',');
  for (std::string& text : texts) text = SpelledComponent(text);
  return absl::StrJoin(texts, ", ");
}

void AppendWitness(const v1::CaseVerdict& one, std::string* text) {
  const v1::Witness& witness = one.witness();
  std::map<std::string, std::string> variables(witness.vars().begin(), witness.vars().end());
  for (auto& [name, value] : variables) value = absl::StrCat(name, " = ", SpelledComponent(value));
  std::vector<std::string> allowed = Strings(witness.search());
  for (std::string& result : allowed) result = Spelled(result);
  absl::StrAppend(text, "    width ", one.width(), ", mode ", NameOf(one.mode()), ": ",
                  absl::StrJoin(variables, ", ", [](std::string* out, const auto& each) { out->append(each.second); }),
                  "\n      search allows ", absl::StrJoin(allowed, " or "),
                  witness.search_incomplete() ? " or more" : "", "\n      replace gives ", Spelled(witness.replace()),
                  "\n");
  for (const v1::ExplainedNode& node : one.explain()) {
    absl::StrAppendFormat(text, "      %-7s  %-40s %s\n", node.side(), node.node(),
                          Spelled(absl::StrJoin(node.values(), ",")));
  }
}

}  // namespace

Json AllowedToJson(const std::vector<std::string>& allowed) {
  Json results = Json::array();
  for (const std::string& result : allowed) results.push_back(ComponentsToJson(result));
  if (results.size() == 1 && (results[0] == "nan" || results[0] == "any")) return results[0];
  return results;
}

Json ToJson(const v1::RuleVerdict& verdict) {
  Json object{{"line", verdict.line()}, {"rule", verdict.rule()}, {"verdict", NameOf(verdict.verdict())}};
  if (verdict.has_error()) {
    object["error"] = {{"column", verdict.error().column()}, {"message", verdict.error().message()}};
  }
  Json cases = Json::array();
  for (const v1::CaseVerdict& one : verdict.cases()) cases.push_back(CaseToJson(one));
  object["cases"] = cases;
  if (verdict.has_inexact()) object["inexact"] = InexactToJson(verdict.inexact());
  if (verdict.weakest_size() > 0) {
    Json weakest = Json::array();
    for (const v1::AssumptionSet& set : verdict.weakest()) weakest.push_back(Strings(set.assumptions()));
    object["weakest"] = weakest;
  }
  object["ms"] = Rounded(verdict.ms());
  return object;
}

std::string ToText(const v1::RuleVerdict& verdict, const std::string& file) {
  if (verdict.has_error()) {
    return absl::StrCat(file, ":", verdict.line(), ":", verdict.error().column(),
                        ": error: ", verdict.error().message(), "\n    ", verdict.rule(), "\n");
  }
  std::string text = absl::StrFormat("%s:%d: %-11s %s  (%d cases, %.1f ms)\n", file, verdict.line(),
                                     NameOf(verdict.verdict()), verdict.rule(), verdict.cases_size(), verdict.ms());
  const auto refuted = std::find_if(verdict.cases().begin(), verdict.cases().end(),
                                    [](const v1::CaseVerdict& one) { return one.has_witness(); });
  if (refuted != verdict.cases().end()) AppendWitness(*refuted, &text);
  for (const v1::CaseVerdict& one : verdict.cases()) {
    if (one.reason().empty() || one.has_witness()) continue;
    absl::StrAppend(&text, "    width ", one.width(), ", mode ", NameOf(one.mode()), ": ", NameOf(one.verdict()), ": ",
                    one.reason(), "\n");
  }
  if (verdict.has_inexact()) {
    absl::StrAppend(&text, "    over the reals ", verdict.inexact().reason(), "\n");
  }
  for (const v1::AssumptionSet& alternative : verdict.weakest()) {
    absl::StrAppend(&text, "    holds with ", absl::StrJoin(alternative.assumptions(), " and "), "\n");
  }
  return text;
}

}  // namespace rewrought::cli

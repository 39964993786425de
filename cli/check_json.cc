#include "cli/check_json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "verifier/certificate.h"
#include "verifier/explain.h"

namespace rewrought::cli {
namespace {

using verifier::CheckedCase;
using verifier::SpellHex;

// Rounded to a tenth: finer is noise.
double Rounded(double milliseconds) { return std::round(milliseconds * 10) / 10; }

Json ResultToJson(const ir::AllowedResult& result, int bits) {
  Json components = Json::array();
  for (const ir::AllowedComponent& component : result) {
    switch (component.kind) {
      case ir::AllowedKind::kValue:
        components.push_back(SpellHex(component.value, bits));
        break;
      case ir::AllowedKind::kAnyNan:
        components.push_back("nan");
        break;
      case ir::AllowedKind::kAnyValue:
        components.push_back("any");
        break;
    }
  }
  return components.size() == 1 ? components[0] : components;
}

Json WitnessToJson(const verifier::Witness& witness) {
  Json variables = Json::object();
  for (const verifier::WitnessVariable& variable : witness.variables) {
    variables[variable.name] = SpellHex(variable.value, variable.bits);
  }
  Json replace = Json::array();
  for (uint64_t value : witness.replace) replace.push_back(SpellHex(value, witness.root_bits));
  Json object{{"vars", variables},
              {"search", AllowedToJson(witness.search, witness.root_bits)},
              {"replace", replace.size() == 1 ? replace[0] : replace}};
  if (!witness.search.complete) object["search_complete"] = false;
  return object;
}

Json CaseToJson(const CheckedCase& checked, bool explain) {
  Json sizes = Json::object();
  for (const auto& [name, bits] : checked.sizes) sizes[name] = bits;
  Json object{{"width", checked.width},
              {"sizes", sizes},
              {"mode", std::string(ir::NameOf(checked.mode))},
              {"verdict", std::string(verifier::NameOf(checked.result.verdict))},
              {"tier", std::string(verifier::NameOf(checked.result.tier))},
              {"confirmed_by", checked.result.confirmed_by},
              {"reason", checked.result.reason}};
  if (checked.result.witness.has_value()) {
    object["witness"] = WitnessToJson(*checked.result.witness);
    if (explain) {
      Json nodes = Json::array();
      const auto explained = verifier::ExplainWitness(checked.rule_case, *checked.result.witness);
      if (explained.ok()) {
        for (const verifier::ExplainedNode& node : *explained) {
          Json values = Json::array();
          for (uint64_t value : node.values) values.push_back(SpellHex(value, node.bits));
          nodes.push_back({{"side", node.in_search ? "search" : "replace"}, {"node", node.text}, {"values", values}});
        }
      }
      object["explain"] = nodes;
    }
  }
  if (checked.result.certificate.has_value()) {
    const std::vector<std::string> argued = verifier::ArguedLemmas(*checked.result.certificate);
    if (!argued.empty()) object["argued_lemmas"] = argued;  // those that no solver proves
  }
  object["ms"] = Rounded(checked.result.milliseconds);
  return object;
}

Json Number(const std::optional<double>& value) { return value.has_value() ? Json(*value) : Json(nullptr); }

Json InexactToJson(const verifier::InexactJudgement& inexact) {
  Json special = Json::object();
  for (const auto& [input, results] : inexact.special) special[input] = results;
  return Json{{"reals", inexact.reals.substr(0, inexact.reals.find(' '))},
              {"reason", inexact.reals},
              {"ulp_bound", Number(inexact.ulp_bound)},
              {"ulp_before", Number(inexact.ulp_before_max)},
              {"ulp_before_median", Number(inexact.ulp_before_median)},
              {"ulp_after", Number(inexact.ulp_after_max)},
              {"ulp_after_median", Number(inexact.ulp_after_median)},
              {"special", special}};
}

std::string JoinAllowed(const ir::AllowedSet& set, int bits) {
  std::vector<std::string> results;
  for (const ir::AllowedResult& result : set.results) {
    std::vector<std::string> components;
    for (const ir::AllowedComponent& component : result) {
      components.push_back(component.kind == ir::AllowedKind::kAnyNan     ? "any NaN"
                           : component.kind == ir::AllowedKind::kAnyValue ? "any value"
                                                                          : verifier::SpellValue(component.value, bits));
    }
    results.push_back(absl::StrJoin(components, ", "));
  }
  return absl::StrCat(absl::StrJoin(results, " or "), set.complete ? "" : " or more");
}

void AppendWitness(const CheckedCase& checked, bool explain, std::string* text) {
  const verifier::Witness& witness = *checked.result.witness;
  std::vector<std::string> inputs, replace;
  for (const verifier::WitnessVariable& variable : witness.variables) {
    inputs.push_back(absl::StrCat(variable.name, " = ", verifier::SpellValue(variable.value, variable.bits)));
  }
  for (uint64_t value : witness.replace) replace.push_back(verifier::SpellValue(value, witness.root_bits));
  absl::StrAppend(text, "    width ", checked.width, ", mode ", std::string(ir::NameOf(checked.mode)), ": ",
                  absl::StrJoin(inputs, ", "), "\n      search allows ", JoinAllowed(witness.search, witness.root_bits),
                  "\n      replace gives ", absl::StrJoin(replace, ", "), "\n");
  if (!explain) return;
  const auto nodes = verifier::ExplainWitness(checked.rule_case, witness);
  if (!nodes.ok()) return;
  for (const verifier::ExplainedNode& node : *nodes) {
    std::vector<std::string> values;
    for (uint64_t value : node.values) values.push_back(verifier::SpellValue(value, node.bits));
    absl::StrAppendFormat(text, "      %s  %-40s %s\n", node.in_search ? "search " : "replace", node.text,
                          absl::StrJoin(values, ", "));
  }
}

}  // namespace

Json AllowedToJson(const ir::AllowedSet& set, int bits) {
  Json results = Json::array();
  for (const ir::AllowedResult& result : set.results) results.push_back(ResultToJson(result, bits));
  if (results.size() == 1 && (results[0] == "nan" || results[0] == "any")) return results[0];
  return results;
}

std::string VerdictWord(const CheckedLine& checked) {
  return checked.error.empty() ? std::string(verifier::NameOf(checked.verdict.verdict)) : "error";
}

Json ToJson(const CheckedLine& checked) {
  Json object{{"line", checked.line}, {"rule", checked.rule}, {"verdict", VerdictWord(checked)}, {"licensed", checked.licensed()}};
  if (!checked.error.empty()) object["error"] = {{"column", checked.error_column}, {"message", checked.error}};
  Json cases = Json::array();
  for (const CheckedCase& one : checked.verdict.cases) cases.push_back(CaseToJson(one, checked.explain));
  object["cases"] = cases;
  if (checked.inexact.has_value()) object["inexact"] = InexactToJson(*checked.inexact);
  if (!checked.verdict.weakest.empty()) object["weakest"] = checked.verdict.weakest;
  object["ms"] = Rounded(checked.verdict.milliseconds);
  return object;
}

std::string ToText(const CheckedLine& checked, const std::string& file) {
  if (!checked.error.empty()) {
    return absl::StrCat(file, ":", checked.line, ":", checked.error_column, ": error: ", checked.error, "\n    ", checked.rule, "\n");
  }
  std::string text = absl::StrFormat("%s:%d: %-11s %s  (%d cases, %.1f ms)\n", file, checked.line, VerdictWord(checked),
                                     checked.rule, checked.verdict.cases.size(), checked.verdict.milliseconds);
  for (const CheckedCase& one : checked.verdict.cases) {
    if (one.result.witness.has_value()) {
      AppendWitness(one, checked.explain, &text);
      break;
    }
  }
  for (const CheckedCase& one : checked.verdict.cases) {
    if (!one.result.reason.empty() && !one.result.witness.has_value()) {
      absl::StrAppend(&text, "    width ", one.width, ", mode ", std::string(ir::NameOf(one.mode)), ": ",
                      std::string(verifier::NameOf(one.result.verdict)), ": ", one.result.reason, "\n");
    }
  }
  if (checked.inexact.has_value()) {
    absl::StrAppend(&text, "    ", checked.licensed() ? "licensed" : "not licensed", ": over the reals ", checked.inexact->reals, "\n");
  }
  for (const verifier::Assumptions& alternative : checked.verdict.weakest) {
    absl::StrAppend(&text, "    holds with ", absl::StrJoin(alternative, " and "), "\n");
  }
  return text;
}

}  // namespace rewrought::cli

#include "cli/rule_json.h"

#include <map>
#include <string>

#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "proto/names.h"
#include "verifier/message/verdict_json.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::cli {

Json RuleJson(ir::Dialect dialect, const ir::Rule& rule) {
  const ir::DisplayedSides sides = ir::DisplaySides(rule, ir::SizeOptionsIn(dialect));
  Json object = {{"search", sides.search}, {"replace", sides.replace}};
  if (!rule.condition.empty()) object["condition"] = rule.condition;
  return object;
}

Json MeasurementJson(const store::MeasurementRecord& m) {
  return Json{{"hits", m.hits},
              {"shaders", m.shaders},
              {"sources", m.sources},
              {"naive_instructions", m.naive_instructions},
              {"naive_cycles", m.naive_cycles},
              {"tuned_instructions", m.tuned_instructions},
              {"tuned_cycles", m.tuned_cycles}};
}

Json InexactJson(const v1::RewriteRule& rule) {
  if (!rule.has_inexact()) return nullptr;
  const v1::InexactStatement& inexact = rule.inexact();
  const auto figure = [](bool has, double value) { return has ? Json(value) : Json(nullptr); };
  return Json{{"reals", inexact.reals() == v1::VERDICT_PROVED ? "proved" : "unknown"},
              {"ulp_bound", figure(inexact.has_ulp_bound(), inexact.ulp_bound())},
              {"class", verifier::AccuracyWord(inexact.accuracy_class())},
              {"growth_as_written", figure(inexact.has_growth_as_written(), inexact.growth_as_written())},
              {"growth_fused", figure(inexact.has_growth_fused(), inexact.growth_fused())},
              {"hardest_input", inexact.hardest_input()},
              {"ulp_worst_before", figure(inexact.has_ulp_worst_before(), inexact.ulp_worst_before())},
              {"ulp_typical_before", figure(inexact.has_ulp_typical_before(), inexact.ulp_typical_before())},
              {"ulp_worst_after", figure(inexact.has_ulp_worst_after(), inexact.ulp_worst_after())},
              {"ulp_typical_after", figure(inexact.has_ulp_typical_after(), inexact.ulp_typical_after())},
              {"special", std::map<std::string, std::string>(inexact.special().begin(), inexact.special().end())}};
}

}  // namespace rewrought::cli

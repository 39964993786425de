#include "emitter/c/c_tables.h"

#include <algorithm>
#include <type_traits>

namespace rewrought::emitter {

rw_tables ViewOf(const CTables& t, std::vector<const char*>* names, std::vector<const char*>* conditions) {
  names->clear(), conditions->clear();
  for (const std::string& name : t.names) names->push_back(name.c_str());
  for (const std::string& condition : t.driver_conditions) conditions->push_back(condition.c_str());
  rw_tables view = {};
  view.machine = t.machine.c_str(), view.pack = t.pack.c_str();
  view.names = names->data(), view.driver_conditions = conditions->data();
  view.immediates = t.immediates.data();
  view.ops = t.ops.data(), view.rules = t.rules.data(), view.patterns = t.patterns.data();
  view.conditions = t.conditions.data(), view.steps = t.steps.data();
  view.code = t.code.data(), view.words = t.words.data();
  view.operands = t.operands.data(), view.shapes = t.shapes.data(), view.folds = t.folds.data();
  view.forms = t.forms.data(), view.types = t.types.data(), view.loads = t.loads.data();
  view.modifiers = t.modifiers.data(), view.limits = t.limits.data();
  view.sets = t.sets.data(), view.ranges = t.ranges.data();
  view.selectors = t.selectors.data(), view.choices = t.choices.data();
  view.flags = t.flags.data(), view.results = t.results.data();
  view.uniform_at = t.uniform_at.data();
  view.is_inline = t.features.at(0), view.literal = t.features.at(1);
  view.op_count = static_cast<uint16_t>(t.ops.size());
  view.result_count = static_cast<uint16_t>(t.results.size());
  view.has_uniforms = t.has_uniforms;
  return view;
}

CTableBytes BytesOf(const CTables& tables) {
  CTableBytes bytes{sizeof(rw_tables), 0};
  VisitTables(tables, [&](const char*, const char*, const auto& rows) {
    using Row = typename std::decay_t<decltype(rows)>::value_type;
    if constexpr (std::is_same_v<Row, std::string>) {
      for (const std::string& name : rows) bytes.names += sizeof(const char*) + name.size() + 1;
    } else {
      bytes.all += rows.size() * sizeof(Row);
    }
  });
  bytes.all += bytes.names;
  return bytes;
}

}  // namespace rewrought::emitter

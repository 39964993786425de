// Defines the in-memory tables of the `c` format, with visitors for printing, parsing, and comparing.
// emitter/c/runtime/select.h declares the row types. The tables are in the order of tables.c.
#ifndef REWROUGHT_EMITTER_C_C_TABLES_H_
#define REWROUGHT_EMITTER_C_C_TABLES_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "emitter/c/runtime/select.h"

namespace rewrought::emitter {

struct CTables {
  std::string machine, pack;  // The machine's id and the pack's digest.
  std::vector<std::string> names, driver_conditions;
  std::vector<uint64_t> immediates;  // Contains no duplicates.
  std::vector<rw_op> ops;
  std::vector<rw_rule> rules;  // Grouped by op, in the order in which they are tried.
  std::vector<rw_pattern> patterns;
  std::vector<rw_condition> conditions;
  std::vector<rw_step> steps;
  std::vector<rw_code> code;
  std::vector<rw_word> words;
  std::vector<rw_operand> operands;
  std::vector<rw_shape> shapes;
  std::vector<rw_fold> folds;
  std::vector<rw_form> forms;
  std::vector<rw_type> types;
  std::vector<rw_load> loads;
  std::vector<rw_modifier> modifiers;
  std::vector<rw_limit> limits;
  std::vector<rw_set> sets;
  std::vector<rw_range> ranges;
  std::vector<rw_selector> selectors;
  std::vector<rw_choice> choices;
  std::vector<uint16_t> flags;
  std::vector<rw_on_result> results;
  std::vector<uint64_t> uniform_at;
  std::vector<uint64_t> features;  // The masks is_inline and literal of rw_tables.
  bool has_uniforms = false;
};

// Returns the tables for the runtime. Fills `names` and `conditions` with pointers into `tables`; all three must
// outlive the result.
rw_tables ViewOf(const CTables& tables, std::vector<const char*>* names, std::vector<const char*>* conditions);

// The number of bytes that all tables occupy in the driver's memory, and the number that the names alone occupy.
struct CTableBytes {
  uint64_t all = 0, names = 0;
};
CTableBytes BytesOf(const CTables& tables);

// Calls `v(name, type, rows)` for each table, in file order.
template <typename T, typename Visitor>
void VisitTables(T& t, Visitor&& v) {
  v("names", "char *const", t.names);
  v("driver_conditions", "char *const", t.driver_conditions);
  v("immediates", "uint64_t", t.immediates);
  v("ops", "rw_op", t.ops);
  v("rules", "rw_rule", t.rules);
  v("patterns", "rw_pattern", t.patterns);
  v("conditions", "rw_condition", t.conditions);
  v("steps", "rw_step", t.steps);
  v("code", "rw_code", t.code);
  v("words", "rw_word", t.words);
  v("operands", "rw_operand", t.operands);
  v("shapes", "rw_shape", t.shapes);
  v("folds", "rw_fold", t.folds);
  v("forms", "rw_form", t.forms);
  v("types", "rw_type", t.types);
  v("loads", "rw_load", t.loads);
  v("modifiers", "rw_modifier", t.modifiers);
  v("limits", "rw_limit", t.limits);
  v("sets", "rw_set", t.sets);
  v("ranges", "rw_range", t.ranges);
  v("selectors", "rw_selector", t.selectors);
  v("choices", "rw_choice", t.choices);
  v("flags", "uint16_t", t.flags);
  v("results", "rw_on_result", t.results);
  v("uniform_at", "uint64_t", t.uniform_at);
  v("features", "uint64_t", t.features);
}

// Calls `v(fields...)` with all fields of a row in the order of select.h. R may be const.
template <typename R, typename Visitor>
void VisitFields(R& r, Visitor&& v) {
  using Row = std::remove_const_t<R>;
  if constexpr (std::is_same_v<Row, rw_op>) {
    v(r.name, r.first_rule, r.rule_count, r.base, r.is_logical);
  } else if constexpr (std::is_same_v<Row, rw_rule>) {
    v(r.name, r.condition, r.first_pattern, r.first_code, r.code_count, r.commutative, r.most, r.without);
  } else if constexpr (std::is_same_v<Row, rw_pattern>) {
    v(r.bits, r.swap, r.fast_math, r.typed, r.variable, r.source_count, r.condition_count, r.first_condition, r.op,
      r.literal);
  } else if constexpr (std::is_same_v<Row, rw_condition>) {
    v(r.name, r.base, r.otherwise, r.first_step, r.step_count);
  } else if constexpr (std::is_same_v<Row, rw_step>) {
    v(r.what, r.result, r.from, r.argument);
  } else if constexpr (std::is_same_v<Row, rw_code>) {
    v(r.word, r.first_operand);
  } else if constexpr (std::is_same_v<Row, rw_word>) {
    v(r.form, r.type, r.choice, r.flag_choice, r.flag, r.predicate, r.inverted, r.saturated, r.destination_modifiers,
      r.fold_count, r.first_fold, r.exchanged, r.features);
  } else if constexpr (std::is_same_v<Row, rw_operand>) {
    v(r.kind, r.flags, r.subscript, r.negated, r.mask, r.swizzle, r.shape, r.ref);
  } else if constexpr (std::is_same_v<Row, rw_shape>) {
    v(r.type, r.flags, r.modifier_count, r.modifiers, r.fold_count, r.first_fold, r.exchanged, r.first_load,
      r.immediate_sizes, r.immediate, r.first_step, r.step_count, r.set, r.features);
  } else if constexpr (std::is_same_v<Row, rw_fold>) {
    v(r.what, r.to, r.bits);
  } else if constexpr (std::is_same_v<Row, rw_form>) {
    v(r.name, r.source_count, r.instructions, r.bytes, r.long_bytes, r.literal_bytes, r.selector, r.result_selector,
      r.limits, r.long_when, r.cycles);
  } else if constexpr (std::is_same_v<Row, rw_type>) {
    v(r.name, r.bits);
  } else if constexpr (std::is_same_v<Row, rw_load>) {
    v(r.code, r.cost);
  } else if constexpr (std::is_same_v<Row, rw_modifier>) {
    v(r.name, r.op);
  } else if constexpr (std::is_same_v<Row, rw_on_result>) {
    v(r.op, r.bits, r.modifier);
  } else if constexpr (std::is_same_v<Row, rw_limit>) {
    v(r.counted, r.at_most, r.features);
  } else if constexpr (std::is_same_v<Row, rw_set>) {
    v(r.first_range, r.range_count);
  } else if constexpr (std::is_same_v<Row, rw_range>) {
    v(r.from, r.to);
  } else if constexpr (std::is_same_v<Row, rw_selector>) {
    v(r.name, r.first_choice, r.choice_count);
  } else if constexpr (std::is_same_v<Row, rw_choice>) {
    v(r.name);
  } else {
    v(r);  // A number or a name, which has no fields.
  }
}

// Compares field by field, because rows may contain padding.
template <typename Row>
bool IsSameRow(const Row& x, const Row& y) {
  if constexpr (std::is_class_v<Row> && !std::is_same_v<Row, std::string>) {
    bool equal = true;
    VisitFields(x, [&](const auto&... of_x) {
      VisitFields(y, [&](const auto&... of_y) { equal = ((std::memcmp(&of_x, &of_y, sizeof of_x) == 0) && ...); });
    });
    return equal;
  } else {
    return x == y;
  }
}

// Returns the index at which `rows` first occurs as a contiguous run in `table`. Appends the rows if there is no such
// run.
template <typename Row>
uint16_t Share(const std::vector<Row>& rows, std::vector<Row>* table) {
  const auto found = std::search(table->begin(), table->end(), rows.begin(), rows.end(), IsSameRow<Row>);
  const auto index = static_cast<uint16_t>(found - table->begin());
  if (found == table->end()) table->insert(table->end(), rows.begin(), rows.end());
  return index;
}

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_C_TABLES_H_

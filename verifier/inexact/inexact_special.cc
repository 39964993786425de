// Compares both sides of an inexact rule on special inputs.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/scalar.h"
#include "verifier/inexact/inexact_error.h"

namespace rewrought::verifier {
namespace {

struct SpecialInput {
  const char* name;
  uint64_t (*pattern)(const ir::FloatFormat&);
  ir::DenormMode mode;
};

constexpr SpecialInput kSpecials[] = {
    {"nan", [](const ir::FloatFormat& f) { return f.quiet_nan(); }, ir::DenormMode::kPreserve},
    {"+inf", [](const ir::FloatFormat& f) { return f.infinity(); }, ir::DenormMode::kPreserve},
    {"-inf", [](const ir::FloatFormat& f) { return f.infinity() | f.sign(); }, ir::DenormMode::kPreserve},
    {"+0", [](const ir::FloatFormat&) { return uint64_t{0}; }, ir::DenormMode::kPreserve},
    {"-0", [](const ir::FloatFormat& f) { return f.sign(); }, ir::DenormMode::kPreserve},
    {"overflow", [](const ir::FloatFormat& f) { return f.infinity() - 1; }, ir::DenormMode::kPreserve},
    {"denormal", [](const ir::FloatFormat& f) { return f.smallest_normal() >> 1; }, ir::DenormMode::kPreserve},
    {"denormal flushed", [](const ir::FloatFormat& f) { return f.smallest_normal() >> 1; }, ir::DenormMode::kFlush},
};

// Ordinary values for the other inputs. The first set that satisfies the preconditions is used.
constexpr double kOrdinary[][4] = {{1.5, 0.75, -2.5, 3.25},  {1.5, 0.75, 2.5, 3.25}, {-1.5, -0.75, -2.5, -3.25},
                                   {0.25, 0.5, 0.75, 0.125}, {2, 4, 8, 16},          {0, 0, 0, 0}};
constexpr size_t kMaxResults = 8;

std::string SpellComponent(const ir::AllowedComponent& component, int width) {
  if (component.kind == ir::AllowedKind::kAnyNan) return "nan";
  if (component.kind == ir::AllowedKind::kAnyValue) return "any";
  if (width == 1) return component.value ? "true" : "false";
  if (!ir::IsFloatWidth(width)) return absl::StrCat("0x", absl::Hex(component.value));
  if (ir::IsNan(component.value, width)) return "nan";
  const double number = ir::BitsToFloat(component.value, width);
  return number == 0 ? (std::signbit(number) ? "-0" : "0") : absl::StrFormat("%.*g", width == 64 ? 17 : 9, number);
}

std::string SpellResults(const ir::AllowedSet& set, int width) {
  std::vector<std::string> results;
  for (const ir::AllowedResult& result : set.results) {
    std::vector<std::string> components;
    for (const ir::AllowedComponent& component : result) components.push_back(SpellComponent(component, width));
    results.push_back(components.size() == 1 ? components[0] : absl::StrCat("(", absl::StrJoin(components, ", "), ")"));
  }
  // All NaNs are printed alike.
  std::sort(results.begin(), results.end());
  results.erase(std::unique(results.begin(), results.end()), results.end());
  if (!set.complete && results != std::vector<std::string>{"nan"}) results.push_back("...");
  return results.size() == 1 ? results[0] : absl::StrCat("{", absl::StrJoin(results, ", "), "}");
}

class SpecialRow {
 public:
  SpecialRow(const PreparedCase& prepared, const std::vector<InputReading>& readings)
      : prepared_(prepared), readings_(readings), evaluator_(&prepared.dag()) {}

  bool IsNumber(size_t input) const {
    return readings_[input] != InputReading::kTruth && ir::IsFloatWidth(prepared_.dag().inputs()[input].width);
  }

  // Appends "a: nan -> 0" if the sides differ. If `input` is inputs().size(), sets all inputs to the special value.
  void Add(size_t input, const SpecialInput& special) {
    const std::vector<ir::Input>& inputs = prepared_.dag().inputs();
    for (const auto& ordinary : kOrdinary) {
      std::vector<uint64_t> point;
      size_t number = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!IsNumber(i)) {
          point.push_back(0);
        } else if (i == input || input == inputs.size()) {
          point.push_back(special.pattern(ir::FormatOf(inputs[i].width)));
        } else {
          point.push_back(ir::FloatToBits(ordinary[number++ % 4], inputs[i].width));
        }
      }
      evaluator_.Start(point, [](uint32_t) { return uint64_t{0}; });
      if (evaluator_.Evaluate(prepared_.assumption()) == 0) continue;
      const ir::AllowedSet before = ir::AllowedResults(prepared_.dag(), prepared_.search(), point, kMaxResults);
      const ir::AllowedSet after = ir::AllowedResults(prepared_.dag(), prepared_.replace(), point, kMaxResults);
      ++compared_;
      // Booleans are printed as true and false at every size.
      const bool truth = IsTruth(prepared_.dag(), prepared_.search().lowered.root[0]) ||
                         IsTruth(prepared_.dag(), prepared_.replace().lowered.root[0]);
      const int width = truth ? 1 : prepared_.root_bits();
      const std::string before_text = SpellResults(before, width), after_text = SpellResults(after, width);
      if (before_text == after_text) return;
      const std::string name = input == inputs.size() ? "all" : inputs[input].name;
      differences_.push_back(absl::StrCat(name, ": ", before_text, " -> ", after_text));
      return;
    }
  }

  std::string Text() const {
    if (compared_ == 0) return "not admitted";
    return differences_.empty() ? "same" : absl::StrJoin(differences_, "; ");
  }

 private:
  const PreparedCase& prepared_;
  const std::vector<InputReading>& readings_;
  ir::Evaluator evaluator_;
  std::vector<std::string> differences_;
  size_t compared_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> SpecialTable(const RuleCase& rule_case,
                                                              const std::vector<InputReading>& readings) {
  std::vector<std::pair<std::string, std::string>> table;
  for (const SpecialInput& special : kSpecials) {
    RuleCase in_mode = rule_case;
    in_mode.mode = special.mode;
    const absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(in_mode);
    if (!prepared.ok()) continue;
    SpecialRow row(**prepared, readings);
    const size_t inputs = (*prepared)->dag().inputs().size();
    size_t numbers = 0;
    for (size_t i = 0; i < inputs; ++i) {
      if (!row.IsNumber(i)) continue;
      row.Add(i, special);
      ++numbers;
    }
    if (numbers > 1) row.Add(inputs, special);
    table.emplace_back(special.name, row.Text());
  }
  return table;
}

}  // namespace rewrought::verifier

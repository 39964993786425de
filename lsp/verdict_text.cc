#include "lsp/verdict_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/dialect/reading.h"
#include "ir/text/sizes.h"
#include "machine/base/base_selection.h"
#include "proto/names.h"
#include "verifier/message/witness_text.h"

namespace rewrought::lsp {
namespace {

constexpr int kUsualWidth = 32;

const Json& Cases(const Json& answer) {
  static const Json* const none = new Json(Json::array());
  const auto found = answer.find("cases");
  return found == answer.end() ? *none : *found;
}

// Returns the widths of the cases with this verdict, in order.
std::vector<int> WidthsOf(const Json& answer, absl::string_view verdict) {
  std::vector<int> widths;
  for (const Json& one : Cases(answer)) {
    const int width = one.value("width", 0);
    if (one.value("verdict", "") == verdict && (widths.empty() || widths.back() != width)) widths.push_back(width);
  }
  return widths;
}

std::string ReasonOf(const Json& answer, absl::string_view verdict) {
  if (answer.contains("error")) return answer["error"].value("message", "");
  for (const Json& one : Cases(answer)) {
    if (one.value("verdict", "") == verdict) return one.value("reason", "");
  }
  return "";
}

// Returns a value, or a list of components.
std::string ValueText(const Json& value, verifier::ValueType type) {
  if (value.is_string()) return verifier::SpellComponents(value.get<std::string>(), type);
  if (!value.is_array()) return value.dump();
  return absl::StrJoin(value, ", ", [&](std::string* out, const Json& one) { out->append(ValueText(one, type)); });
}

// Returns the results that the search side allows.
std::string AllowedText(const Json& search, verifier::ValueType type) {
  if (!search.is_array()) return ValueText(search, type);
  return absl::StrJoin(search, " or ", [&](std::string* out, const Json& one) {
    out->append(one.is_array() ? absl::StrCat("(", ValueText(one, type), ")") : ValueText(one, type));
  });
}

}  // namespace

std::string VerdictLine(const Json& answer) {
  const v1::Verdict verdict = audit::ClassOf(answer);
  const std::string name(NameOf(verdict));
  const std::vector<int> widths = WidthsOf(answer, name);
  std::string line = name;
  if (!widths.empty())
    absl::StrAppend(&line, " at ", absl::StrJoin(widths, ", "), widths.back() == 1 ? " bit" : " bits");
  if (verdict == v1::VERDICT_INEXACT)
    absl::StrAppend(&line, ": the sides round differently, but are equal over the reals");
  if (verdict == v1::VERDICT_VACUOUS) absl::StrAppend(&line, ": no input satisfies the conditions of the search side");
  if (verdict != v1::VERDICT_PROVED && verdict != v1::VERDICT_INEXACT) {
    const std::string reason = ReasonOf(answer, name);
    if (!reason.empty()) absl::StrAppend(&line, ": ", reason);
  }
  return line;
}

std::string CounterexampleText(const Json& answer, const ir::Rule& rule) {
  const Json* shown = nullptr;
  for (const Json& one : Cases(answer)) {
    if (!one.contains("witness")) continue;
    if (shown == nullptr || (one.value("width", 0) == kUsualWidth && shown->value("width", 0) != kUsualWidth))
      shown = &one;
  }
  if (shown == nullptr) return "";
  const Json& witness = (*shown)["witness"];
  const std::map<std::string, verifier::ValueType> types = verifier::TypesByName(rule);
  const auto type_of = [&](const std::string& name) {
    const auto found = types.find(name);
    return found == types.end() ? std::nullopt : found->second;
  };
  const int width = shown->value("width", 0);
  std::string text = absl::StrCat("counterexample at ", width, width == 1 ? " bit" : " bits");
  const std::string mode = shown->value("mode", "none");
  if (mode != "none") absl::StrAppend(&text, ", mode ", mode);
  absl::StrAppend(&text, ":\n");
  const Json inputs = witness.value("vars", Json::object());
  for (const auto& [name, value] : inputs.items()) {
    const std::string bits = value.is_string() ? value.get<std::string>() : value.dump();
    if (verifier::IsUnsetFlag(name, bits)) continue;
    absl::StrAppend(&text, "  ", verifier::InputLabel(name, static_cast<uint32_t>(width)), " = ",
                    verifier::InputText(name, bits, type_of(name)), "\n");
  }
  absl::StrAppend(&text, "  search allows ", AllowedText(witness.value("search", Json()), type_of("root")), "\n");
  absl::StrAppend(&text, "  replace gives ", ValueText(witness.value("replace", Json()), type_of("root")), "\n");
  return text;
}

std::string NotesText(const FileRule& rule, const Json& answer) {
  std::string text;
  if (!rule.question->note.empty()) absl::StrAppend(&text, "note: ", rule.question->note, "\n");
  for (const Json& assumed : answer.value("assumes", Json::array())) {
    if (assumed.is_string()) absl::StrAppend(&text, "assumes that ", assumed.get<std::string>(), "\n");
  }
  if (answer.contains("inexact") && answer["inexact"].is_object()) {
    const Json& inexact = answer["inexact"];
    absl::StrAppend(&text, "over the reals: ", inexact.value("reason", ""), "\n");
    if (inexact.contains("class")) absl::StrAppend(&text, "accuracy: ", inexact["class"].get<std::string>(), "\n");
  }
  return text;
}

std::string CostText(const ir::Rule& rule, ir::Dialect dialect, const machine::Machine& machine) {
  const ir::SizeOptions options = ir::SizeOptionsIn(dialect);
  const absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(rule, options);
  if (!sizes.ok()) return "";
  const auto usual = std::find_if(sizes->begin(), sizes->end(),
                                  [](const ir::SizeAssignment& one) { return one.width == kUsualWidth; });
  const ir::SizeAssignment& shown = usual == sizes->end() ? sizes->front() : *usual;
  const absl::StatusOr<ir::Rule> sized = ir::Instantiate(rule, shown, options);
  if (!sized.ok()) return "";
  const auto search = machine::BaseCost(machine, sized->search, machine::BaseKind::kTuned);
  const auto replace = machine::BaseCost(machine, sized->replace, machine::BaseKind::kTuned);
  if (!search.ok() || !replace.ok()) return "";
  return absl::StrFormat("cycles on %s at %d bits: search %g, replace %g", machine.id(), shown.width,
                         search->issue_cycles, replace->issue_cycles);
}

}  // namespace rewrought::lsp

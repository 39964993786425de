#include "verifier/message/witness_text.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/match/matcher_model.h"
#include "ir/text/value_text.h"
#include "ir/text/value_types.h"

namespace rewrought::verifier {
namespace {

bool IsZero(const std::string& value) { return value.find_first_not_of("0x") == std::string::npos; }

}  // namespace

std::string SpellComponents(const std::string& components, ValueType type) {
  std::vector<std::string> texts = absl::StrSplit(components, ',');
  for (std::string& text : texts) {
    uint64_t value = 0;
    if (text == "nan") {
      text = "any NaN";
    } else if (text == "any") {
      text = "any value";
    } else if (absl::SimpleHexAtoi(text, &value)) {
      const int bits = text.size() == 3 ? 1 : 4 * static_cast<int>(text.size() - 2);
      absl::StrAppend(&text, " (", ir::NumberText(value, bits, type), ")");
    }
  }
  return absl::StrJoin(texts, ", ");
}

std::map<std::string, ValueType> TypesByName(const ir::Rule& rule) {
  std::map<std::string, ValueType> types;
  const ir::ValueTypes inferred = ir::InferTypes(rule);
  for (size_t i = 0; i < inferred.search.size(); ++i) {
    const ir::Node& node = rule.search.nodes[i];
    if (node.kind == ir::NodeKind::kVariable) types[node.name] = inferred.search[i];
  }
  if (!inferred.search.empty()) types["root"] = inferred.search[rule.search.root];
  return types;
}

bool IsZeroSign(const std::string& name) {
  return absl::StartsWith(name, "zero") && name.size() > 4 && absl::ascii_isdigit(static_cast<unsigned char>(name[4]));
}

std::string InputLabel(const std::string& name, uint32_t root_bits) {
  if (ir::IsRootFlagInput(name)) return absl::StrCat("root flag ", ir::RootFlagText(name, static_cast<int>(root_bits)));
  return IsZeroSign(name) ? absl::StrCat("zero literal ", name.substr(4)) : name;
}

bool IsUnsetFlag(const std::string& name, const std::string& value) {
  return ir::IsRootFlagInput(name) && IsZero(value);
}

std::string InputText(const std::string& name, const std::string& value, ValueType type) {
  if (ir::IsRootFlagInput(name)) return "set";
  if (IsZeroSign(name)) return IsZero(value) ? "matched as 0.0" : "matched as -0.0";
  return SpellComponents(value, type);
}

}  // namespace rewrought::verifier

#include "proto/names.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace rewrought::v1 {
namespace {

constexpr std::pair<absl::string_view, absl::string_view> kOtherWords[] = {
    {"DIALECT_NIR_25", "nir-25"},
    {"DIALECT_NIR_26", "nir-26"},
    {"TIER_UNINTERPRETED", "uf"},
    {"TIER_SECOND_SOLVER", "cvc5"},
};

std::string NameOfValue(const std::string& value, const std::string& prefix) {
  for (const auto& [known, word] : kOtherWords) {
    if (value == known) return std::string(word);
  }
  return absl::AsciiStrToLower(absl::string_view(value).substr(prefix.size()));
}

}  // namespace

std::vector<std::string> EnumNames(const google::protobuf::EnumDescriptor* descriptor) {
  std::string prefix;  // AccuracyClass: "ACCURACY_CLASS_"
  for (const char c : descriptor->name()) {
    if (absl::ascii_isupper(static_cast<unsigned char>(c)) && !prefix.empty()) prefix += '_';
    prefix += absl::ascii_toupper(static_cast<unsigned char>(c));
  }
  prefix += '_';
  std::vector<std::string> names;
  for (int i = 0; i < descriptor->value_count(); ++i) {
    const google::protobuf::EnumValueDescriptor& value = *descriptor->value(i);
    if (value.number() <= 0) continue;
    names.resize(std::max(names.size(), static_cast<size_t>(value.number()) + 1));
    names[static_cast<size_t>(value.number())] = NameOfValue(value.name(), prefix);
  }
  return names;
}

}  // namespace rewrought::v1

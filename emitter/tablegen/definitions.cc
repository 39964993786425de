#include "emitter/tablegen/definitions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "emitter/files/plain_text.h"

namespace rewrought::emitter {
namespace {

constexpr const char* kTitles[] = {"Registers.",
                                   "Subregisters, and the parts of an instruction with two results.",
                                   "Values of instruction fields.",
                                   "Sources: a value with its modifiers.",
                                   "Instructions with their types.",
                                   "NIR's ops.",
                                   "Leaves of patterns: conditions on values, and constants.",
                                   "Conditions on the shader and on the driver's options."};

// The machine value types of LLVM for the values of this format, from llvm/CodeGen/ValueTypes.td of LLVM 15.
constexpr absl::string_view kValueTypes[] = {"i1",    "i8",    "i16",   "i32",   "i64",   "f16",   "f32",
                                             "f64",   "v2i1",  "v4i1",  "v2i8",  "v4i8",  "v2i16", "v3i16",
                                             "v4i16", "v2i32", "v3i32", "v4i32", "v2i64", "v4i64", "v2f16",
                                             "v3f16", "v4f16", "v2f32", "v3f32", "v4f32", "v2f64", "v4f64"};

}  // namespace

absl::Status Definitions::Add(Section section, const std::string& name, const std::string& text) {
  const auto [place, is_new] = texts_.try_emplace(name, text);
  if (!is_new && place->second != text) {
    return absl::FailedPreconditionError(absl::StrCat("'", name, "' would have two meanings"));
  }
  sections_[static_cast<size_t>(section)][name] = text;
  return absl::OkStatus();
}

absl::StatusOr<std::string> Definitions::Condition(const std::string& condition) {
  if (absl::Status status = CheckPlainCondition(condition); !status.ok()) return status;
  const auto [place, is_new] = conditions_.try_emplace(condition, absl::StrCat("condition", conditions_.size()));
  if (is_new) {
    absl::Status status = Add(Section::kConditions, place->second,
                              absl::StrCat("def ", place->second, " : Predicate<\"", condition, "\">;\n"));
    if (!status.ok()) return status;
  }
  return place->second;
}

std::string Definitions::Text() const {
  std::string text;
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].empty()) continue;
    absl::StrAppend(&text, "\n// ", kTitles[i], "\n");
    for (const auto& [name, its_text] : sections_[i]) text += its_text;
  }
  return text;
}

absl::StatusOr<std::string> ValueType(bool is_float, int bits, int components) {
  std::string type = absl::StrCat(components > 1 ? absl::StrCat("v", components) : "", is_float ? "f" : "i", bits);
  if (IsValueType(type)) return type;
  return absl::FailedPreconditionError(absl::StrCat("LLVM has no type ", type));
}

bool IsValueType(const std::string& name) {
  return std::find(std::begin(kValueTypes), std::end(kValueTypes), name) != std::end(kValueTypes);
}

}  // namespace rewrought::emitter

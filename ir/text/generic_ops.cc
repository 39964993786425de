#include "ir/text/generic_ops.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace rewrought::ir {
namespace {

OpRow Conversion(absl::string_view name, BaseType result, BaseType source) {
  OpRow row;
  row.name = std::string(name);
  row.result.base = result;
  row.sources.resize(1);
  row.sources[0].base = source;
  row.properties = kIsConversion;
  return row;
}

const std::vector<OpRow>& Rows() {
  static const std::vector<OpRow>* const rows = new std::vector<OpRow>{
      Conversion("i2f", BaseType::kFloat, BaseType::kInt),   Conversion("u2f", BaseType::kFloat, BaseType::kUint),
      Conversion("f2f", BaseType::kFloat, BaseType::kFloat), Conversion("f2u", BaseType::kUint, BaseType::kFloat),
      Conversion("f2i", BaseType::kInt, BaseType::kFloat),   Conversion("u2u", BaseType::kUint, BaseType::kUint),
      Conversion("i2i", BaseType::kInt, BaseType::kInt),     Conversion("b2f", BaseType::kFloat, BaseType::kBool),
      Conversion("b2i", BaseType::kInt, BaseType::kBool),
  };
  return *rows;
}

}  // namespace

const OpRow* FindGenericConversion(absl::string_view name) {
  if (name.size() != 3) return nullptr;
  for (const OpRow& row : Rows()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool IsGenericConversion(const OpRow* row) { return row >= Rows().data() && row < Rows().data() + Rows().size(); }

const OpRow* SizedConversion(const OpRow* generic, int bits, OpResolver find) {
  const bool is_float = generic->result.base == BaseType::kFloat;
  if (bits != 16 && bits != 32 && bits != 64 && (is_float || bits != 8)) return nullptr;
  return find(absl::StrCat(generic->name, bits));
}

}  // namespace rewrought::ir

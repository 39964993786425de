#include "ir/dialect/dialect.h"

#include "absl/strings/str_cat.h"

namespace rewrought::ir {

absl::string_view NameOf(Dialect dialect) { return dialect == Dialect::kNir26 ? "nir-26" : "nir-25"; }

absl::StatusOr<Dialect> ParseDialect(absl::string_view name) {
  for (const Dialect dialect : {Dialect::kNir25, Dialect::kNir26}) {
    if (NameOf(dialect) == name) return dialect;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown dialect '", name, "'; use nir-25 or nir-26"));
}

}  // namespace rewrought::ir

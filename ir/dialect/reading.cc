#include "ir/dialect/reading.h"

#include "ir/dialect/nir26_rows.h"

namespace rewrought::ir {

SizeOptions SizeOptionsIn(Dialect dialect) {
  return {.find = ResolverOf(dialect), .literals_exact = dialect == Dialect::kNir26};
}

}  // namespace rewrought::ir

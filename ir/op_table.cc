// Joins the families of ir/ops/ into a sorted table, built on first use.
#include "ir/op_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "ir/ops/families.h"

namespace rewrought::ir {
namespace {

// Returns the rows of all families. Aborts on duplicate names, which are a bug in ir/ops.
std::vector<OpRow> BuildRows() {
  std::vector<OpRow> rows;
  for (const auto& family :
       {ops::FloatArithmetic, ops::FloatCompare, ops::FloatApproximate, ops::IntegerArithmetic, ops::IntegerCompare,
        ops::LogicAndShift, ops::Bitfield, ops::Select, ops::Conversion, ops::PackAndVector, ops::BackEnd}) {
    std::vector<OpRow> part = family();
    rows.insert(rows.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  }
  auto by_name = [](const OpRow& x, const OpRow& y) { return x.name < y.name; };
  std::sort(rows.begin(), rows.end(), by_name);
  const auto twice =
      std::adjacent_find(rows.begin(), rows.end(), [](const OpRow& x, const OpRow& y) { return x.name == y.name; });
  if (twice != rows.end()) {
    std::fprintf(stderr, "ir/ops: op %s has two rows\n", twice->name.c_str());
    std::abort();
  }
  return rows;
}

}  // namespace

const std::vector<const OpRow*>& AllOps() {
  static const auto& rows = *new std::vector<OpRow>(BuildRows());
  static const auto& pointers = *[] {
    auto* all = new std::vector<const OpRow*>;
    for (const OpRow& row : rows) all->push_back(&row);
    return all;
  }();
  return pointers;
}

bool IsFloatSelection(absl::string_view op) { return op.substr(0, 5) == "fcsel" || op == "b32fcsel_mdg"; }

BaseType TypeReadByPredicates(const OpRow& row, size_t source) {
  return source > 0 && IsFloatSelection(row.name) ? BaseType::kFloat : row.sources[source].base;
}

const OpRow* FindOp(absl::string_view name) {
  const std::vector<const OpRow*>& ops = AllOps();
  const auto found = std::lower_bound(ops.begin(), ops.end(), name, [](const OpRow* row, absl::string_view wanted) {
    return absl::string_view(row->name) < wanted;
  });
  return found != ops.end() && (*found)->name == name ? *found : nullptr;
}

}  // namespace rewrought::ir

#include "emitter/lburg/grammar_coverage.h"

#include <algorithm>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/op_table.h"
#include "machine/base/coverage.h"

namespace rewrought::emitter {
namespace {

constexpr size_t kWidth = 110;  // The width of a comment line.

bool HasFreeSize(const ir::OpRow& row) {
  return row.result.bits == 0 || std::any_of(row.sources.begin(), row.sources.end(),
                                             [](const ir::OperandType& source) { return source.bits == 0; });
}

std::string TerminalOf(const ir::OpRow& row, int size) {
  return HasFreeSize(row) ? absl::StrCat(row.name, "_", size) : row.name;
}

// Returns whether the row derives its op from arbitrary operands. If `indexed` is set, the second operand must instead
// be a literal that the row's condition checks.
bool IsPlainRow(const GrammarRow& row, bool indexed) {
  if (row.tree.operands.empty() || row.condition.empty() == indexed) return false;
  for (size_t i = 0; i < row.tree.operands.size(); ++i) {
    const GrammarTree& operand = row.tree.operands[i];
    const bool is_literal = absl::StartsWith(operand.name, "constant_");
    if (!operand.operands.empty() || is_literal != (indexed && i == 1)) return false;
  }
  return true;
}

std::string Wrapped(const std::vector<std::string>& words) {
  std::string text, line = " *";
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > kWidth) {
      absl::StrAppend(&text, line, "\n");
      line = " *";
    }
    absl::StrAppend(&line, " ", word);
  }
  return absl::StrCat(text, line, "\n");
}

}  // namespace

absl::StatusOr<std::string> CoverageComment(const machine::Machine& machine, const std::vector<GrammarRow>& rows) {
  std::set<std::string> plain, indexed;
  for (const GrammarRow& row : rows) {
    if (IsPlainRow(row, false)) plain.insert(row.tree.name);
    if (IsPlainRow(row, true)) indexed.insert(row.tree.name);
  }
  const machine::Coverage coverage = machine::CoverageOf(machine, machine::AllMachines());
  std::vector<std::string> without, missing;
  for (const machine::OpAtSize& op : coverage.covered) {
    const ir::OpRow& row = *ir::FindOp(op.first);
    if (op.first == "mov" || row.result.components > 0) continue;
    const bool across = std::any_of(row.sources.begin(), row.sources.end(),
                                    [](const ir::OperandType& source) { return source.components > 0; });
    if (across) continue;  // Operands with several components are values of a separate size.
    const std::set<std::string>& found = machine::LiteralIndices(row, op.second) > 0 ? indexed : plain;
    if (!found.contains(TerminalOf(row, op.second))) without.push_back(machine::NameOf(op));
  }
  if (!without.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "lburg: ", machine.id(), ": no row derives ops that the description lists as covered: ",
        absl::StrJoin(without, ", "), "; write base rules for them, or correct the description's coverage"));
  }
  for (const machine::OpAtSize& op : coverage.missing) {
    missing.push_back(TerminalOf(*ir::FindOp(op.first), op.second));
  }
  if (missing.empty()) return std::string(" * Every op that the driver passes to selection has a row.\n");
  return absl::StrCat(" * No row derives these ops, for which the driver (", machine.description().coverage().driver(),
                      ") has its own code:\n", Wrapped(missing));
}

}  // namespace rewrought::emitter

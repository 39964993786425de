#include "emitter/c/covered_ops.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/op_table.h"
#include "machine/base/coverage.h"

namespace rewrought::emitter {
namespace {

bool Fits(const rw_pattern& pattern, const ir::OperandType& type, int size) {
  return pattern.bits == 0 || pattern.bits == (type.bits != 0 ? type.bits : size);
}

// Returns whether the rule's pattern is the op of `row` at `size` with arbitrary sources.
bool IsPlainRule(const CTables& t, const rw_rule& rule, const ir::OpRow& row, int size) {
  if (rule.most == 1 || rule.condition != RW_NONE16) return false;
  const size_t next = static_cast<size_t>(&rule - t.rules.data()) + 1;
  const size_t end = next < t.rules.size() ? t.rules[next].first_pattern : t.patterns.size();
  if (end - rule.first_pattern != row.sources.size() + 1) return false;
  const rw_pattern& root = t.patterns[rule.first_pattern];
  if (root.fast_math != 0 || !Fits(root, row.result, size)) return false;
  for (size_t s = 0; s < row.sources.size(); ++s) {
    const rw_pattern& source = t.patterns[rule.first_pattern + 1 + s];
    const bool is_index = s == 1 && machine::LiteralIndices(row, size) > 0;
    if (source.op != (is_index ? RW_CONSTANT : RW_ANY_OP) || source.condition_count != 0) return false;
    if (!Fits(source, row.sources[s], size)) return false;
    for (size_t other = 0; other < s; ++other) {
      const rw_pattern& before = t.patterns[rule.first_pattern + 1 + other];
      if (before.variable == source.variable && source.variable != RW_NONE8) return false;
    }
  }
  return true;
}

std::string UpperCase(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string OpAndSize(const machine::OpAtSize& op) { return absl::StrCat(op.first, "_", op.second); }

std::string PrintMissing(const machine::Machine& machine, const std::vector<machine::OpAtSize>& ops) {
  const std::string& driver = machine.description().coverage().driver();
  std::string text;
  for (const machine::OpAtSize& op : ops) {
    const std::string name = absl::StrCat("RW_DRIVER_HAS_", OpAndSize(op));
    absl::StrAppend(&text, "#ifndef ", name, "\n#error \"", machine.id(), ": ", machine::NameOf(op), ": ", driver,
                    " passes it to selection, but no rule selects it; define ", name,
                    " if the driver has its own code, or add a base rule\"\n#endif\n");
  }
  return text;
}

}  // namespace

bool TablesCover(const CTables& tables, const ir::OpRow& row, int size) {
  for (const rw_op& op : tables.ops) {
    if (tables.names[op.name] != row.name) continue;
    for (size_t r = op.first_rule; r < size_t{op.first_rule} + op.rule_count; ++r) {
      if (IsPlainRule(tables, tables.rules[r], row, size)) return true;
    }
  }
  return false;
}

absl::StatusOr<std::string> PrintCoveredOps(const CTables& tables, const machine::Machine& machine) {
  const machine::Coverage coverage = machine::CoverageOf(machine, machine::AllMachines());
  std::vector<std::string> without, constants;
  for (const machine::OpAtSize& op : coverage.covered) {
    if (!TablesCover(tables, *ir::FindOp(op.first), op.second)) without.push_back(machine::NameOf(op));
    constants.push_back(absl::StrCat("  ", "rewrought_", machine.id(), "_covers_", OpAndSize(op), " = 1"));
  }
  if (!without.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "c: ", machine.id(), ": no rule in the tables selects ops that the description lists as covered: ",
        absl::StrJoin(without, ", "), "; write base rules for them, or correct the description's coverage"));
  }
  const std::string guard = "REWROUGHT_COVERED_H_", prefix = absl::StrCat("REWROUGHT_", UpperCase(machine.id()));
  return absl::StrCat(
      "/* SPDX-License-Identifier: MIT */\n"
      "// Lists the ops that the tables for ",
      machine.id(),
      " select for all sources. A driver includes this file in one of its own\n"
      "// files. Each op that the driver (",
      machine.description().coverage().driver(),
      ") passes to selection, but that no rule selects, is then a compile error that names the op.\n"
      "// The driver defines RW_DRIVER_HAS_OP_SIZE if it has its own code for the op. The size is that of the op's "
      "free\n"
      "// operands, or else of its first source. ",
      prefix, "_NEEDS(fadd, 32); is an error for an op that is not covered.\n#ifndef ", guard, "\n#define ", guard,
      "\n\nenum {\n", absl::StrJoin(constants, ",\n"), "\n};\n\n#define ", prefix,
      "_NEEDS(op, size) extern char rewrought_needs[rewrought_", machine.id(), "_covers_##op##_##size]\n\n",
      PrintMissing(machine, coverage.missing), "\n#endif  // ", guard, "\n");
}

}  // namespace rewrought::emitter

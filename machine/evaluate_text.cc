#include "machine/evaluate_text.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/dialect/choices.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/program.h"
#include "machine/program_term.h"

namespace rewrought::machine {
namespace {

// Returns `term` with the size of each variable set to that of its value, and without flags that its ops cannot carry.
absl::StatusOr<ir::Term> FixSizes(const ir::Term& term, ir::Dialect dialect, const NamedValues& values) {
  ir::Rule rule;
  rule.search = term;
  for (ir::Node& node : rule.search.nodes) {
    const auto value = values.find(node.name);
    if (node.kind != ir::NodeKind::kVariable || node.bits != 0 || value == values.end()) continue;
    node.bits = static_cast<uint8_t>(value->second.width);
  }
  ir::SizeOptions options = ir::SizeOptionsIn(dialect);
  options.literals_exact = true;
  const absl::StatusOr<std::vector<ir::SizeAssignment>> sizes = ir::EnumerateSizes(rule, options);
  if (!sizes.ok()) return sizes.status();
  if (sizes->size() > 1)
    return absl::InvalidArgumentError("the sizes are ambiguous; write a size after an op, as in 'fadd@32'");
  absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, sizes->front(), options);
  if (!concrete.ok()) return concrete.status();
  for (ir::Node& node : concrete->search.nodes) {
    if (node.kind != ir::NodeKind::kOp || dialect != ir::Dialect::kNir26) continue;
    // The verifier restates these ops as several instructions.
    if (node.op->name == "ffma_weak" || node.op->name == "fmad" || node.op->name == "fmadz") {
      return absl::InvalidArgumentError(
          absl::StrCat("'", node.op->name, "' cannot be evaluated alone; verify a rule that contains it with check"));
    }
    node.flags &= static_cast<uint8_t>(ir::FlagsOfOpIn26(*node.op) | ~ir::kPermissions);
  }
  return std::move(concrete->search);
}

}  // namespace

absl::StatusOr<HexValue> ParseHexValue(absl::string_view text) {
  HexValue value;
  const bool plain = text.size() >= 3 && text.size() <= 18 && text.substr(0, 2) == "0x" &&
                     text.find_first_not_of("0123456789abcdefABCDEF", 2) == absl::string_view::npos;
  if (!plain || !absl::SimpleHexAtoi(text, &value.bits)) {
    return absl::InvalidArgumentError("is not a hexadecimal number like 0x3f800000");
  }
  value.width = text.size() == 3 ? 1 : static_cast<int>(4 * (text.size() - 2));
  if (value.width == 1 && value.bits > 1)
    return absl::InvalidArgumentError("a single digit is a Boolean; use 0x0 or 0x1");
  return value;
}

absl::StatusOr<ir::Term> ReadTermOrProgram(absl::string_view text, const Machine* machine, ir::Dialect dialect) {
  if (machine == nullptr) return ir::ParseTerm(text, nullptr, ir::ResolverOf(dialect));
  if (dialect != ir::Dialect::kNir25)
    return absl::InvalidArgumentError("line 1, column 1: machine programs can be read only in dialect nir-25");
  const absl::StatusOr<Program> program = ParseProgram(*machine, text);
  if (!program.ok()) return program.status();
  return ProgramTerm(*machine, *program);
}

absl::StatusOr<Evaluated> EvaluateTerm(const ir::Term& term, ir::Dialect dialect, ir::DenormMode mode,
                                       const NamedValues& values) {
  const absl::StatusOr<ir::Term> sized = FixSizes(term, dialect, values);
  if (!sized.ok()) return sized.status();
  ir::Dag dag;
  const absl::StatusOr<ir::ChoiceTerm> lowered = ir::LowerWithChoicesIn(dialect, &dag, *sized, mode, 0);
  if (!lowered.ok()) return lowered.status();
  std::vector<uint64_t> inputs;
  for (const ir::Input& input : dag.inputs()) {
    const auto value = values.find(input.name);
    if (value == values.end()) return absl::InvalidArgumentError(absl::StrCat("no value for '", input.name, "'"));
    if (value->second.bits & ~ir::MaskOf(input.width)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", input.name, "' has ", input.width, " bits; the value does not fit"));
    }
    inputs.push_back(value->second.bits);
  }
  Evaluated evaluated;
  evaluated.allowed = ir::AllowedResults(dag, *lowered, inputs, kMaxListedResults + 1);
  evaluated.many = evaluated.allowed.results.size() > kMaxListedResults || !evaluated.allowed.complete;
  if (evaluated.allowed.results.size() > kMaxListedResults) evaluated.allowed.results.resize(kMaxListedResults);
  evaluated.bits = sized->root_node().bits;
  return evaluated;
}

}  // namespace rewrought::machine

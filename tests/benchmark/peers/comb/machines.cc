#include "tests/benchmark/peers/comb/machines.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/batch.h"
#include "ir/dag.h"
#include "ir/meaning.h"
#include "ir/op_table.h"

namespace rewrought::peers {
namespace {

// One row of a machine's table.
struct Line {
  const char* name;          // an op of NIR if `meaning` is empty
  double cost = 0;           // set for instructions only
  int sources = 0;           // set only if `meaning` is not empty
  const char* meaning = "";  // over the sources a, b, c
  // An alternative to `meaning`: an op of NIR whose Boolean result is converted to 0 or 1 at the operands' size.
  const char* number_of = "";
};

struct Description {
  const char* name;
  std::vector<int> constants;
  std::vector<Line> ops, counted_ops, instructions;
};

const Line kNegation = {.name = "ineg"};
const Line kNegationOfTwo = {.name = "neg", .sources = 2, .meaning = "(neg a)"};
const std::vector<Line> kUnsignedComparisons = {
    {.name = "bvult", .number_of = "ult"},
    {.name = "bvule", .sources = 2, .meaning = "(zext w (ule a b))"},
    {.name = "bvugt", .sources = 2, .meaning = "(zext w (ult b a))"},
    {.name = "bvuge", .number_of = "uge"},
};
const Line kFlagNot = {.name = "flag_not", .cost = 2, .sources = 1, .meaning = "(xor a 1)"};
const Line kZero = {.name = "cmp_Z", .cost = 4, .sources = 2, .meaning = "(zext w (eq (sub a b) 0))"};
const Line kCarry = {.name = "cmp_C", .cost = 5, .sources = 2, .meaning = "(zext w (ule b a))"};
const Line kNegative = {.name = "cmp_N", .cost = 1, .sources = 2, .meaning = "(zext w (slt (sub a b) 0))"};
const Line kOverflow = {
    .name = "cmp_V", .cost = 1, .sources = 2, .meaning = "(zext w (xor (sle 0 (sub a b)) (sle b a)))"};

std::vector<Line> operator+(std::vector<Line> a, const std::vector<Line>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::vector<Description>& Descriptions() {
  static const auto& descriptions = *new std::vector<Description>{
      {.name = "ab",
       .constants = {},
       .ops = {{"inot"}, {"iand"}, {"ior"}, {"ixor"}, kNegation, {"iadd"}, {"isub"}},
       .counted_ops = {{"inot"}, {"iand"}, {"ior"}, {"ixor"}, kNegationOfTwo, {"iadd"}, {"isub"}},
       .instructions = {{.name = "nand", .cost = 1, .sources = 2, .meaning = "(not (and a b))"}, {"isub", 5}}},
      {.name = "cisc",
       .constants = {0, 1},
       .ops = {kNegation, {"iadd"}, {"isub"}, {"imul"}},
       .counted_ops = {kNegationOfTwo, {"iadd"}, {"isub"}, {"imul"}},
       .instructions = {{"ineg", 1},
                        {"iadd", 2},
                        {"imul", 5},
                        {"iadd3", 4},
                        {.name = "mac", .cost = 7, .sources = 3, .meaning = "(add (mul a b) c)"}}},
      {.name = "cmp",
       .constants = {0, 1},
       .ops = std::vector<Line>{{.name = "bveq", .number_of = "ieq"}, {.name = "bvneq", .number_of = "ine"}} +
              kUnsignedComparisons,
       .counted_ops = {},
       .instructions = {kFlagNot, kZero, kCarry, kNegative}},
      // This is the table of Comb's first runs, with the instructions in reverse order.
      {.name = "cmp-signed",
       .constants = {0, 1},
       .ops = std::vector<Line>{{.name = "bveq", .number_of = "ieq"},
                                {.name = "bvneq", .number_of = "ine"},
                                {.name = "bvslt", .number_of = "ilt"},
                                {.name = "bvsge", .number_of = "ige"}} +
              kUnsignedComparisons,
       .counted_ops = {},
       .instructions = {kOverflow, kNegative, kCarry, kZero, kFlagNot}},
  };
  return descriptions;
}

// Aborts the process if `right` is false. The tables are part of the program, so any failure is a bug in them.
void Require(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "a machine of FMCAD 2024: %s\n", what.c_str());
  std::abort();
}

const ir::OpRow* RowOf(const Line& line) {
  static auto& rows = *new std::deque<ir::OpRow>;  // never freed, because ir::MeaningOf caches meanings by address
  const std::string name = *line.number_of != '\0' ? line.number_of : line.name;
  const ir::OpRow* of_nir = ir::FindOp(name);
  if (*line.meaning == '\0') Require(of_nir != nullptr, absl::StrCat("no op ", name));
  if (*line.meaning == '\0' && *line.number_of == '\0') return of_nir;
  ir::OpRow row;
  row.name = line.name;
  row.meaning = *line.meaning != '\0' ? std::string(line.meaning) : absl::StrCat("(zext w ", of_nir->meaning, ")");
  row.sources.resize(*line.meaning != '\0' ? static_cast<size_t>(line.sources) : of_nir->sources.size());
  row.free_sizes = {kTableBits, 8, 16, 32};
  rows.push_back(std::move(row));
  return &rows.back();
}

std::vector<CombOp> OpsOf(const std::vector<int>& constants, const std::vector<Line>& lines) {
  std::vector<CombOp> ops;
  for (const int value : constants) ops.push_back(ConstantOp(static_cast<uint8_t>(value)));
  for (const Line& line : lines) {
    const absl::StatusOr<CombOp> op = OpOf(*RowOf(line), line.cost);
    Require(op.ok(), absl::StrCat(line.name, ": ", op.status().ToString()));
    ops.push_back(*op);
  }
  return ops;
}

// Determines which sources are interchangeable.
void SetAlike(CombOp* op) {
  const auto swapped = [&](size_t index, int i, int j) {
    const int at_i = kTableBits * (op->sources - 1 - i), at_j = kTableBits * (op->sources - 1 - j);
    const size_t difference = (index >> at_i ^ index >> at_j) & ((1u << kTableBits) - 1);
    return index ^ difference << at_i ^ difference << at_j;
  };
  for (int j = 1; j < op->sources; ++j) {
    for (int i = j - 1; i >= 0; --i) {
      bool same = true;
      for (size_t index = 0; same && index < op->results.size(); ++index)
        same = op->results[index] == op->results[swapped(index, i, j)];
      if (same) op->alike[static_cast<size_t>(j)] = op->alike[static_cast<size_t>(i)];
      if (same) break;
    }
  }
}

}  // namespace

CombOp ConstantOp(uint8_t value) {
  CombOp op;
  op.constant = value;
  op.results = {value};
  return op;
}

absl::StatusOr<CombOp> OpOf(const ir::OpRow& row, double cost) {
  const absl::StatusOr<const ir::RowMeaning*> meaning = ir::MeaningOf(row);
  if (!meaning.ok()) return meaning.status();
  CombOp op;
  op.row = &row;
  op.cost = cost;
  op.sources = static_cast<int>(row.sources.size());
  if (op.sources < 1 || op.sources > kMostSources || (*meaning)->meaning.size() != 1)
    return absl::InvalidArgumentError(absl::StrCat(row.name, " must have one result and 1 to 3 sources"));
  ir::Dag dag;
  ir::MeaningScope scope = {.free_size = kTableBits, .result_size = kTableBits, .sources = {}};
  ir::BatchLeaves leaves;
  std::vector<std::vector<uint8_t>> values = AllValues(op.sources);
  for (int i = 0; i < op.sources; ++i) {
    scope.sources.push_back({dag.InputNamed(std::string(1, static_cast<char>('a' + i)), kTableBits)});
    // The first source varies slowest.
    const std::vector<uint8_t>& lanes = values[static_cast<size_t>(op.sources - 1 - i)];
    leaves.inputs.emplace_back(lanes.begin(), lanes.end());
  }
  const absl::StatusOr<ir::ValueIndex> root = ir::BuildMeaning(&dag, (*meaning)->meaning[0], scope, kTableBits);
  if (!root.ok()) return root.status();
  if (dag.at(*root).width != kTableBits)
    return absl::InvalidArgumentError(absl::StrCat(row.name, " has a result of the wrong size"));
  const std::vector<std::vector<uint64_t>> results = ir::EvaluateBatch(dag, {*root}, leaves, values[0].size());
  op.results.assign(results[0].begin(), results[0].end());
  SetAlike(&op);
  return op;
}

const CombMachine& MachineNamed(absl::string_view machine_name) {
  static auto& machines = *new std::map<std::string, CombMachine>;
  const std::string name(machine_name);
  const auto found = machines.find(name);
  if (found != machines.end()) return found->second;
  for (const Description& description : Descriptions()) {
    if (name != description.name) continue;
    CombMachine machine;
    machine.name = name;
    machine.ops = OpsOf(description.constants, description.ops);
    machine.counted_ops =
        description.counted_ops.empty() ? machine.ops : OpsOf(description.constants, description.counted_ops);
    machine.instructions = OpsOf({}, description.instructions);
    machine.counted_instructions = machine.instructions;
    for (CombOp& instruction : machine.counted_instructions) instruction.cost = 1;
    return machines[name] = std::move(machine);
  }
  Require(false, absl::StrCat("no machine ", name));
  return machines[name];
}

}  // namespace rewrought::peers

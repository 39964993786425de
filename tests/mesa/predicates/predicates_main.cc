// Compares the predicates of a Mesa tree with the meanings that Rewrought assigns to them, and prints the table of
// predicates (docs/results/predicates.tsv) for the dialect of the tree.
// usage: predicates_main RUN_HELPERS VERSION FAULTS >TABLE
// FAULTS lists the known faults of the tree's range analysis. Exits with 1 if a predicate of the tree promises less
// than its meaning, if a fault is not listed or a listed fault is not found, or if the tree has a predicate that
// Rewrought does not know.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/op_table.h"
#include "tests/mesa/predicates/constant_comparison.h"
#include "tests/mesa/predicates/helper_program.h"
#include "tests/mesa/predicates/predicate_rows.h"
#include "tests/mesa/predicates/transfer_comparison.h"

namespace rewrought {
namespace {

using ir::BaseType;
using ir::PredicateKind;

constexpr char kTarget[] = "//tests/mesa/predicates:predicates_test";

// Counts the complaints of all comparisons.
int complaints = 0;
void Complain(const std::string& text) {
  std::cerr << "predicates: " << text << "\n";
  ++complaints;
}

void CheckNames(const HelperProgram& program) {
  std::set<std::string> names(program.variables().begin(), program.variables().end());
  names.insert(program.ops().begin(), program.ops().end());
  for (const std::string& name : names) {
    // These functions only serve other predicates.
    if (name == "is_fsign" || name == "is_ult") continue;
    if (ir::FindPredicate(name) == nullptr) Complain(absl::StrCat("the tree has the unknown predicate ", name));
  }
  for (const PredicateRow& row : KnownPredicateRows()) {
    if (row.dialect == program.dialect() && !names.contains(row.name))
      Complain(absl::StrCat("the tree lacks ", row.name));
  }
}

// The verifier uses the types of the op rows to decide how a predicate's value is read.
void CheckTypes(const HelperProgram& program) {
  const std::map<std::string, std::string> types = program.Types();
  const bool is_26 = program.dialect() == ir::Dialect::kNir26;
  std::vector<const ir::OpRow*> rows = ir::AllOps();
  if (is_26) {
    for (const ir::OpRow& row : ir::NewIn26()) rows.push_back(&row);
  }
  size_t compared = 0;
  for (const ir::OpRow* row : rows) {
    const auto found = types.find(row->name);
    if (found == types.end() || (is_26 && ir::IsGoneIn26(row->name))) continue;
    const ir::OpRow& known = is_26 ? ir::RowIn26(*row) : *row;
    std::string ours;
    for (size_t k = 0; k < known.sources.size(); ++k) ours += NameOf(ir::TypeReadByPredicates(known, k))[0];
    // Mesa 26 reads these operands as bits, and we read them as floats. A float reader assumes less, because it may
    // lack the preserve bit for NaN.
    if (is_26 && absl::EndsWith(row->name, "_agx")) continue;
    ++compared;
    if (ours != found->second.substr(1))
      Complain(absl::StrCat("the sources of ", row->name, " have the types ", found->second.substr(1), ", not ", ours));
  }
  std::cerr << "predicates: " << compared << " ops have the types of the tree\n";
}

// Compares faults with a list of known faults, and complains about each difference.
void CheckFaults(const std::map<std::string, std::map<std::string, std::string>>& faults,
                 std::map<std::string, std::set<std::string>> known, absl::string_view when) {
  for (const auto& [op, predicates] : faults) {
    for (const auto& [predicate, example] : predicates) {
      if (known[op].erase(predicate) == 0)
        Complain(absl::StrCat("new fault of the range analysis: ", when, " ", op, " ", predicate, " (", example, ")"));
    }
  }
  for (const auto& [op, predicates] : known) {
    for (const std::string& predicate : predicates)
      Complain(absl::StrCat("no fault found: ", when, " ", op, " ", predicate));
  }
}

// Reads the known faults of one kind ("always" or "flushed"). Each line is "KIND OP PREDICATE...".
std::map<std::string, std::set<std::string>> KnownFaults(const char* path, absl::string_view kind) {
  std::map<std::string, std::set<std::string>> known;
  std::ifstream file(path);
  if (!file) Complain(absl::StrCat("cannot read ", path));
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string first, op, predicate;
    if (!(words >> first >> op) || first != kind) continue;
    while (words >> predicate) known[op].insert(predicate);
  }
  return known;
}

// Describes how the C code on constants relates to the meaning, for each size.
std::string ConstantsCell(const PredicateRow& row, const ConstantOutcomes& outcomes) {
  std::map<std::string, std::set<int>> sizes;
  for (const auto& [key, outcome] : outcomes) {
    const auto& [name, type, bits] = key;
    if (name != row.name || std::find(row.types.begin(), row.types.end(), type) == row.types.end()) continue;
    const char* const relation = outcome.wrong > 0    ? "wrong with a signaling NaN"
                                 : outcome.holds == 0 ? "never true"
                                 : outcome.is_equal   ? "equal"
                                                      : "implied";
    // If the types differ, the weaker relation applies.
    sizes[relation].insert(bits);
  }
  if (sizes["implied"].size() + sizes["equal"].size() > 0) {
    for (const int bits : sizes["implied"]) sizes["equal"].erase(bits);
    for (const int bits : sizes["equal"]) sizes["never true"].erase(bits);
    for (const int bits : sizes["implied"]) sizes["never true"].erase(bits);
  }
  std::vector<std::string> parts;
  for (const auto& [relation, bits] : sizes) {
    if (!bits.empty()) parts.push_back(absl::StrCat(relation, " (", absl::StrJoin(bits, " "), ")"));
  }
  return parts.empty() ? "-" : absl::StrJoin(parts, ", ");
}

// Describes the evidence for the predicate on values that are not constants.
std::string OtherValuesCell(const PredicateRow& row, const TransferOutcomes* transfers) {
  if (row.meaning.empty()) return "promises nothing";
  const bool is_26 = row.dialect == ir::Dialect::kNir26;
  const bool is_analyzed =
      row.kind == PredicateKind::kRange || (is_26 && (row.name == "is_zero_to_one" || row.name == "is_gt_0_and_lt_1" ||
                                                      absl::StrContains(row.name, "is_unsigned_multiple_of")));
  if (row.kind == PredicateKind::kExpression) return "not shown";
  if (!is_analyzed) return row.name == "is_not_const_zero" ? "promises nothing" : "never true";
  if (transfers == nullptr) return "not shown";
  // The analysis treats all integer types alike, and its faults concern only floats.
  if (std::find(row.types.begin(), row.types.end(), BaseType::kFloat) == row.types.end())
    return absl::StrCat("no fault found in ", transfers->ops, " ops");
  std::vector<std::string> parts;
  for (const bool is_flushed : {false, true}) {
    std::vector<std::string> wrong;
    for (const auto& [op, faults] : is_flushed ? transfers->flushed : transfers->faults) {
      if (faults.contains(row.name)) wrong.push_back(op);
    }
    if (!wrong.empty())
      parts.push_back(
          absl::StrCat("wrong for ", absl::StrJoin(wrong, " "), is_flushed ? " if denormals are flushed" : ""));
  }
  return parts.empty() ? absl::StrCat("no fault found in ", transfers->ops, " ops") : absl::StrJoin(parts, "; ");
}

void PrintTable(const HelperProgram& program, const ConstantOutcomes& constants, const TransferOutcomes* transfers) {
  for (const PredicateRow& row : KnownPredicateRows()) {
    if (row.dialect != program.dialect()) continue;
    const std::string on_constants = ConstantsCell(row, constants), on_others = OtherValuesCell(row, transfers);
    const bool is_shown = on_constants != "-" || absl::StartsWith(on_others, "no fault");
    std::cout << TextOf(row) << "\t" << on_constants << "\t" << on_others << "\t" << (is_shown ? kTarget : "-") << "\n";
  }
}

int Main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: predicates_main RUN_HELPERS VERSION FAULTS >TABLE\n";
    return 2;
  }
  const HelperProgram program(argv[1], argv[2]);
  CheckNames(program);
  CheckTypes(program);
  const ConstantOutcomes constants = CompareConstants(program);
  uint64_t compared = 0;
  std::set<std::string> with_nan;
  for (const auto& [key, outcome] : constants) {
    compared += outcome.compared;
    // verifier::RestsOnRangeAnalysis accounts for 64-bit vectors that contain a signaling NaN.
    if (outcome.wrong == outcome.wrong_with_nan && std::get<2>(key) == 64 && outcome.wrong > 0) {
      with_nan.insert(std::get<0>(key));
      continue;
    }
    if (outcome.wrong == 0) continue;
    Complain(absl::StrCat(std::get<0>(key), " promises too much: ", outcome.wrong, " of ", outcome.holds,
                          " constants, such as ", outcome.example));
  }
  std::cerr << "predicates: compared " << compared << " results on constants\n";
  const std::set<std::string> expected = {"is_ge_zero",      "is_gt_zero",      "is_le_zero", "is_lt_zero",
                                          "is_not_negative", "is_not_positive", "is_not_zero"};
  if (with_nan != (program.dialect() == ir::Dialect::kNir25 ? expected : std::set<std::string>{}))
    Complain(absl::StrCat("a signaling NaN affects other predicates: ", absl::StrJoin(with_nan, " ")));
  if (program.dialect() == ir::Dialect::kNir25) {
    const TransferOutcomes transfers = CompareTransfers(program);
    CheckFaults(transfers.faults, KnownFaults(argv[3], "always"), "always");
    CheckFaults(transfers.flushed, KnownFaults(argv[3], "flushed"), "flushed");
    std::cerr << "predicates: compared " << transfers.compared << " ranges of " << transfers.ops << " ops in "
              << transfers.cases << " cases\n";
    PrintTable(program, constants, &transfers);
  } else {
    PrintTable(program, constants, nullptr);
  }
  std::cerr << "predicates: " << complaints << " complaints\n";
  return complaints == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) { return rewrought::Main(argc, argv); }

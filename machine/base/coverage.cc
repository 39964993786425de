#include "machine/base/coverage.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/op_table.h"
#include "machine/base/base_rules.h"
#include "machine/base/base_selection.h"
#include "machine/program_term.h"

namespace rewrought::machine {
namespace {

using Fate = v1::OpFate::Fate;

// Returns the first operand that has a free size, or the first source if there is none.
const ir::OperandType& SizedOperand(const ir::OpRow& row) {
  for (const ir::OperandType& source : row.sources) {
    if (source.bits == 0) return source;
  }
  return row.result.bits == 0 ? row.result : row.sources[0];
}

bool IsAcrossComponents(const ir::OpRow& row) {
  return row.result.components > 0 || std::any_of(row.sources.begin(), row.sources.end(),
                                                  [](const ir::OperandType& type) { return type.components > 0; });
}

// Returns a term that applies the op to variables a, b, and so on. A nonnegative `index` becomes the second source.
ir::Term TermOf(const ir::OpRow& row, int size, int index) {
  ir::Term term;
  ir::Node op;
  op.kind = ir::NodeKind::kOp;
  op.op = &row;
  op.bits = static_cast<uint8_t>(row.result.bits == 0 ? size : row.result.bits);
  for (size_t i = 0; i < row.sources.size(); ++i) {
    ir::Node node;
    node.bits = static_cast<uint8_t>(row.sources[i].bits == 0 ? size : row.sources[i].bits);
    node.name = std::string(1, static_cast<char>('a' + i));
    if (i == 1 && index >= 0) {
      node.kind = ir::NodeKind::kConstant;
      node.values[0] = static_cast<uint64_t>(index);
    }
    op.sources.push_back({static_cast<ir::NodeIndex>(term.nodes.size()), ir::kIdentitySwizzle});
    term.nodes.push_back(std::move(node));
  }
  term.nodes.push_back(std::move(op));
  term.root = static_cast<ir::NodeIndex>(term.nodes.size() - 1);
  return term;
}

// The result of a search for a base program: none, programs for other sizes only, or a program.
enum class Found { kNothing, kOtherSizes, kProgram };

Found ProgramFor(const Machine& machine, const ir::Term& term) {
  const absl::StatusOr<Program> program = BaseProgram(machine, term, BaseKind::kNaive);
  if (!program.ok()) return Found::kNothing;
  const absl::StatusOr<ir::Term> meaning = ProgramTerm(machine, *program);
  if (!meaning.ok() || meaning->root_node().bits != term.root_node().bits) return Found::kOtherSizes;
  std::map<std::string, int> bits;
  for (const ir::Node& node : term.nodes) bits[node.name] = node.bits;
  for (const ir::Node& node : meaning->nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.bits != bits[node.name]) return Found::kOtherSizes;
  }
  return Found::kProgram;
}

// Returns true if a base rule selects exactly this cross-component op. Such ops are not scalar terms, so base selection
// requires a base rule for each of them.
bool HasRuleForOpAcrossComponents(const Machine& machine, const ir::OpRow& row, int size) {
  const absl::StatusOr<const BaseRules*> rules = BaseRulesOf(machine);
  if (!rules.ok()) return false;
  const auto found = (*rules)->by_root.find(row.name);
  if (found == (*rules)->by_root.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const BaseRule& rule) {
    int wanted = rule.pattern.bits;
    for (const BasePattern& source : rule.pattern.sources) {
      if (source.bits != 0) wanted = source.bits;
    }
    return rule.ops == 1 && (wanted == 0 || wanted == size);
  });
}

Found ProgramOf(const Machine& machine, const ir::OpRow& row, int size) {
  if (IsAcrossComponents(row))
    return HasRuleForOpAcrossComponents(machine, row, size) ? Found::kProgram : Found::kNothing;
  const int indices = LiteralIndices(row, size);
  if (indices == 0) return ProgramFor(machine, TermOf(row, size, -1));
  Found worst = Found::kProgram;
  for (int index = 0; index < indices; ++index) {
    worst = std::min(worst, ProgramFor(machine, TermOf(row, size, index)));
  }
  return worst;
}

// The ops that have base programs, and the ops that have base programs only for other sizes.
struct Programs {
  std::set<OpAtSize> fitting, others;
};

// Returns the ops of `machine` that have base programs. Caches the result, because checking a machine requires the
// programs of all other machines.
const Programs& ProgramsOf(const Machine& machine) {
  static std::mutex mutex;
  static auto& kept = *new std::map<const Machine*, std::unique_ptr<const Programs>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Programs>& programs = kept[&machine];
  if (programs != nullptr) return *programs;
  Programs all;
  for (const ir::OpRow* row : ir::AllOps()) {
    for (const int size : SizesOf(*row)) {
      const Found found = ProgramOf(machine, *row, size);
      if (found != Found::kNothing) (found == Found::kProgram ? all.fitting : all.others).insert({row->name, size});
    }
  }
  programs = std::make_unique<const Programs>(std::move(all));
  return *programs;
}

// Returns true if the op is specific to the back end of `owner`, and `machine` has a different back end.
bool IsOfAnother(const std::string& op, const Machine& machine, const Machine& owner) {
  const std::string& own = owner.description().coverage().own_ops();
  return !own.empty() && absl::EndsWith(op, own) && machine.description().coverage().own_ops() != own;
}

class Placement {
 public:
  explicit Placement(const Machine& machine) : machine_(machine) {
    for (const v1::OpFate& fate : machine.description().coverage().fates()) {
      for (const v1::OpsAtSizes& set : fate.sets()) {
        for (absl::string_view op : absl::StrSplit(set.ops(), ' ', absl::SkipEmpty())) {
          Place(std::string(op), set, fate.fate());
        }
      }
    }
  }

  const std::map<OpAtSize, Fate>& fates() const { return fates_; }
  std::vector<std::string>& errors() { return errors_; }

  void Error(const OpAtSize& op, absl::string_view what) {
    errors_.push_back(absl::StrCat(machine_.id(), ": ", NameOf(op), ": ", what));
  }

 private:
  void Place(const std::string& op, const v1::OpsAtSizes& set, Fate fate) {
    const ir::OpRow* row = ir::FindOp(op);
    if (row == nullptr) {
      errors_.push_back(absl::StrCat(machine_.id(), ": coverage names '", op, "', which is not an IR op"));
      return;
    }
    const std::vector<int> sizes = SizesOf(*row);
    std::vector<int> wanted(set.sizes().begin(), set.sizes().end());
    if (wanted.empty()) wanted = sizes;
    for (const int size : wanted) {
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
        Error({op, size}, absl::StrCat("coverage names a size that the op does not have; its sizes are ",
                                       absl::StrJoin(sizes, ", ")));
      } else if (!fates_.emplace(OpAtSize{op, size}, fate).second) {
        Error({op, size}, "appears twice in the description's coverage; keep one entry");
      }
    }
  }

  const Machine& machine_;
  std::map<OpAtSize, Fate> fates_;
  std::vector<std::string> errors_;
};

// Returns the ops that some driver passes to selection or for which some machine has a program.
std::set<OpAtSize> OpsToClassify(const Machine& machine, const std::vector<const Machine*>& others) {
  std::set<OpAtSize> ops = ProgramsOf(machine).fitting;
  const auto add = [&](const Machine& other) {
    for (const OpAtSize& op : ProgramsOf(other).fitting) {
      if (!IsOfAnother(op.first, machine, other)) ops.insert(op);
    }
    const Placement placement(other);
    for (const auto& [op, fate] : placement.fates()) {
      if (fate != v1::OpFate::LOWERED && !IsOfAnother(op.first, machine, other)) ops.insert(op);
    }
  };
  for (const Machine* other : others) add(*other);
  add(machine);
  return ops;
}

constexpr absl::string_view kUnclassifiedOp =
    "its driver may pass it to selection, but there is no base program for it; write a base rule, or state in the "
    "coverage that the driver lowers it (LOWERED), emits no ALU instruction for it (OUTSIDE) or keeps its own code "
    "(MISSING)";
constexpr absl::string_view kUnclassifiedProgram =
    "has a base program, but the coverage does not state whether the driver passes it to selection (TAKEN) or not "
    "(LOWERED)";
constexpr absl::string_view kNoProgram =
    "coverage states that the driver passes it to selection (TAKEN), but there is no base program for it; write a base "
    "rule, or state that the driver keeps its own code for it (MISSING, OUTSIDE)";
constexpr absl::string_view kOtherSizes =
    "base selection has a program with other sizes for it; write the size in the base rule's pattern (fadd@32)";
constexpr absl::string_view kStale = "coverage states MISSING, but there is a base program for it; state TAKEN";

}  // namespace

std::string NameOf(const OpAtSize& op) {
  return absl::StrCat(op.first, " of ", op.second, op.second == 1 ? " bit" : " bits");
}

std::vector<int> SizesOf(const ir::OpRow& row) {
  const ir::OperandType& sized = SizedOperand(row);
  if (sized.bits != 0) return {sized.bits};
  if (!row.free_sizes.empty()) return {row.free_sizes.begin(), row.free_sizes.end()};
  switch (sized.base) {
    case ir::BaseType::kFloat:
      return {16, 32, 64};
    case ir::BaseType::kBool:
      return {1, 8, 16, 32};
    case ir::BaseType::kInt:
    case ir::BaseType::kUint:
      return {1, 8, 16, 32, 64};
  }
  return {};
}

int LiteralIndices(const ir::OpRow& row, int size) {
  if (!absl::StartsWith(row.name, "extract_") && !absl::StartsWith(row.name, "insert_")) return 0;
  return size / (absl::EndsWith(row.name, "16") ? 16 : 8);
}

bool HasBaseProgram(const Machine& machine, const ir::OpRow& row, int size) {
  return ProgramOf(machine, row, size) == Found::kProgram;
}

Coverage CoverageOf(const Machine& machine, const std::vector<const Machine*>& others) {
  Coverage coverage;
  Placement placement(machine);
  const std::set<OpAtSize>& programs = ProgramsOf(machine).fitting;
  for (const OpAtSize& op : ProgramsOf(machine).others) placement.Error(op, kOtherSizes);
  for (const OpAtSize& op : OpsToClassify(machine, others)) {
    if (!placement.fates().contains(op))
      placement.Error(op, programs.contains(op) ? kUnclassifiedProgram : kUnclassifiedOp);
  }
  for (const auto& [op, fate] : placement.fates()) {
    const bool has_program = programs.contains(op);
    if (fate == v1::OpFate::TAKEN && !has_program) placement.Error(op, kNoProgram);
    if (fate == v1::OpFate::MISSING && has_program) placement.Error(op, kStale);
    std::vector<OpAtSize>& list = fate == v1::OpFate::TAKEN     ? coverage.covered
                                  : fate == v1::OpFate::OUTSIDE ? coverage.outside
                                  : fate == v1::OpFate::MISSING ? coverage.missing
                                                                : coverage.lowered;
    if (fate != v1::OpFate::TAKEN || has_program) list.push_back(op);
  }
  coverage.errors = std::move(placement.errors());
  return coverage;
}

absl::Status CheckCoverage(const Machine& machine, const std::vector<const Machine*>& others) {
  const Coverage coverage = CoverageOf(machine, others);
  if (coverage.errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(coverage.errors, "\n"));
}

}  // namespace rewrought::machine

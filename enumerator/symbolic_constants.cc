#include "enumerator/symbolic_constants.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "ir/facts/fact_predicates.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/term_order.h"
#include "machine/base/constants.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

// The maximum number of proofs for each candidate. A constant has about a dozen predicates and few relations; if the
// first proofs fail, the rule is probably specific to the constant.
constexpr int kMaxProofs = 48;

// The minimum number of lanes of the ordinary block that a predicate must admit to count as more general than the
// constant.
constexpr int kMinAdmittedLanes = 2;

// Returns the predicates that are true of the constant `bits`, most general first.
std::vector<std::string> PredicatesOf(uint64_t bits, int width, ir::BaseType base) {
  bool ok = false;
  const ValueSet set = PlainSet(base == ir::BaseType::kFloat ? ValueKind::kFloat : ValueKind::kInteger, width, &ok);
  if (!ok) return {};
  // A predicate that no ordinary value satisfies constrains only the bit pattern. For example, a float that satisfies
  // is_ult_32 is a denormal.
  const LaneBlock ordinary = InputLanes(set, 0, BlockKind::kOrdinary);
  const std::vector<uint64_t> samples(std::begin(ordinary.lane), std::end(ordinary.lane));
  return ir::PredicatesOfConstant(bits, width, base, samples, kMinAdmittedLanes);
}

// Returns float if any op reads the constant as a float, and integer otherwise.
ir::BaseType BaseOfConstant(const ir::Term& term, uint64_t bits, int width) {
  for (const ir::Node& user : term.nodes) {
    for (size_t k = 0; k < user.sources.size(); ++k) {
      const ir::Node& read = term.at(user.sources[k].node);
      const bool is_it = read.kind == ir::NodeKind::kConstant && read.values[0] == bits && read.bits == width;
      if (is_it && user.op->sources[k].base == ir::BaseType::kFloat) return ir::BaseType::kFloat;
    }
  }
  return ir::BaseType::kInt;
}

ir::Node Symbol(const std::string& name, int width) {
  ir::Node node;
  node.kind = ir::NodeKind::kVariable;
  node.name = name;
  node.bits = static_cast<uint8_t>(width);
  node.constant_only = true;
  return node;
}

// Returns the result of a NIR op on constants if the op exists at this size.
std::optional<uint64_t> Fold(const ir::OpRow& op, int width, uint64_t x, uint64_t y) {
  absl::StatusOr<Tape> tape = CompileRow(op, width);
  if (!tape.ok()) return std::nullopt;
  LaneBlock a, b, out;
  std::fill_n(a.lane, kLanes, static_cast<uint32_t>(x));
  std::fill_n(b.lane, kLanes, static_cast<uint32_t>(y));
  const LaneBlock* inputs[] = {&a, &b};
  TapeScratch scratch;
  tape->Run(Kernels(), inputs, &out, &scratch);
  return out.lane[0];
}

// An op on one or two constants. `other` is a fixed number or another constant of the search.
struct ConstantOp {
  const ir::OpRow* op = nullptr;
  std::optional<uint64_t> other;
  bool symbol_first = true;
};

// A function that computes a constant from a symbol: a sequence of ops, the first of which is applied to the symbol.
using Relation = std::vector<ConstantOp>;

std::optional<uint64_t> ValueOf(const Relation& relation, uint64_t symbol, int width) {
  std::optional<uint64_t> value = symbol;
  for (const ConstantOp& next : relation) {
    const uint64_t second = next.other.value_or(0);
    value = Fold(*next.op, width, next.symbol_first ? *value : second, next.symbol_first ? second : *value);
    if (!value.has_value()) break;
  }
  return value;
}

// Returns the functions that compute `wanted` from a symbol whose value is `bits`.
std::vector<Relation> RelationsTo(uint64_t wanted, uint64_t bits, int width, ir::BaseType base,
                                  const std::vector<uint64_t>& others) {
  static constexpr absl::string_view kFloatOps[] = {"fneg", "fabs"};
  static constexpr absl::string_view kIntegerOps[] = {"ineg", "inot", "find_lsb"};
  static constexpr absl::string_view kFloatPairs[] = {"fadd", "fmul"};
  static constexpr absl::string_view kIntegerPairs[] = {"iadd", "isub", "iand", "ior", "ishl"};
  const bool real = base == ir::BaseType::kFloat;
  const auto op_named = [](absl::string_view name, std::optional<uint64_t> other, bool symbol_first) {
    return ConstantOp{ir::FindOp(name), other, symbol_first};
  };
  std::vector<Relation> tried;
  for (const absl::string_view op : real ? absl::MakeConstSpan(kFloatOps) : absl::MakeConstSpan(kIntegerOps))
    tried.push_back({op_named(op, std::nullopt, true)});
  if (!real) {  // Tries 32 - #b, #b + 1, 1 << #b and (1 << #b) - 1.
    const ConstantOp power = op_named("ishl", 1, false);
    tried.push_back({op_named("isub", static_cast<uint64_t>(width), false)});
    tried.push_back({op_named("iadd", 1, true)});
    tried.push_back({power});
    tried.push_back({power, op_named("iadd", ir::MaskOf(width), true)});
  }
  for (const uint64_t other : others) {
    for (const absl::string_view op : real ? absl::MakeConstSpan(kFloatPairs) : absl::MakeConstSpan(kIntegerPairs)) {
      tried.push_back({op_named(op, other, true)});
      if (op == "isub" || op == "ishl") tried.push_back({op_named(op, other, false)});
    }
  }
  std::erase_if(tried, [&](const Relation& relation) { return ValueOf(relation, bits, width) != wanted; });
  return tried;
}

std::set<std::string> NamesIn(const ir::Term& term) {
  std::set<std::string> names;
  for (const ir::Node& node : term.nodes) {
    if (node.kind == ir::NodeKind::kVariable) names.insert(node.name);
  }
  return names;
}

// Returns the distinct non-Boolean constants of `term` and their sizes, in order.
std::vector<std::pair<uint64_t, int>> ConstantsIn(const ir::Term& term) {
  std::vector<std::pair<uint64_t, int>> found;
  for (const ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kConstant || node.bits == 1 || node.literal != ir::LiteralKind::kBits) continue;
    const std::pair<uint64_t, int> constant(node.values[0], node.bits);
    if (std::find(found.begin(), found.end(), constant) == found.end()) found.push_back(constant);
  }
  return found;
}

class SymbolSearch {
 public:
  SymbolSearch(const std::vector<ir::DenormMode>& modes, ProverInterface* prover, std::stop_token stop)
      : modes_(modes), prover_(prover), stop_(std::move(stop)) {}

  // Replaces one constant of the search side with the symbol `name` if the resulting rule is proved.
  void Try(uint64_t bits, int width, const std::string& name, machine::Candidate* rule);

 private:
  bool Holds(const machine::Candidate& rule);

  const std::vector<ir::DenormMode>& modes_;
  ProverInterface* const prover_;
  const std::stop_token stop_;
  int proofs_ = 0;
};

bool SymbolSearch::Holds(const machine::Candidate& rule) {
  if (proofs_ >= kMaxProofs || stop_.stop_requested()) return false;
  ++proofs_;
  return Ask(prover_, rule.search, rule.replace, modes_).outcome == Outcome::kProved;
}

// Returns rules in which a symbol replaces the constant on both sides, in this order: the rule in which all other
// constants of the replacement are functions of the symbol; for each such function, the rule that uses only this
// function; the rule that keeps all other constants; and the rules that also express 0, 1, or all ones as a function.
// Returns nothing if the program cannot read a variable instead of this constant.
std::vector<machine::Candidate> WithSymbol(const machine::Candidate& rule, uint64_t bits, int width,
                                           const std::string& name) {
  machine::Candidate next = rule;
  for (ir::Node& node : next.search.nodes) {
    if (node.kind == ir::NodeKind::kConstant && node.values[0] == bits && node.bits == width) {
      node = Symbol(name, width);
    }
  }
  if (next.program.has_value()) {
    next.program = machine::WithConstantAsVariable(*rule.machine, *std::move(next.program), bits, width, name);
    if (!next.program.has_value()) return {};
    absl::StatusOr<ir::Term> term = machine::ProgramTerm(*rule.machine, *next.program);
    if (!term.ok()) return {};
    next.replace = *std::move(term);
    return {next};
  }
  std::vector<uint64_t> others;
  for (const auto& [other, other_width] : ConstantsIn(next.search)) {
    if (other_width == width) others.push_back(other);
  }
  for (ir::NodeIndex i = 0; i < next.replace.nodes.size(); ++i) {
    ir::Node& node = next.replace.nodes[i];
    if (node.kind != ir::NodeKind::kConstant || node.bits != width) continue;
    if (node.values[0] == bits) node = Symbol(name, width);
  }
  const ir::BaseType base = BaseOfConstant(rule.search, bits, width);
  const auto related = [&](machine::Candidate one, uint64_t wanted, const Relation& relation) {
    for (ir::NodeIndex i = one.replace.nodes.size(); i-- > 0;) {
      const ir::Node& node = one.replace.at(i);
      const bool is_it = node.kind == ir::NodeKind::kConstant && node.bits == width && node.values[0] == wanted;
      if (!is_it) continue;
      // Start with the outermost op; the symbol that replaces the constant then becomes the next inner op.
      for (auto step = relation.rbegin(); step != relation.rend(); ++step) {
        ir::WriteAsFunction(i, *step->op, Symbol(name, width), step->other, step->symbol_first, &one.replace);
      }
    }
    return one;
  };
  std::vector<machine::Candidate> forms;
  machine::Candidate all = next;  // Uses the first function of each constant.
  int related_constants = 0;
  std::vector<std::pair<uint64_t, Relation>> of_common;  // Usually, these constants are independent of the symbol.
  for (const auto& [wanted, wanted_width] : ConstantsIn(next.replace)) {
    const bool given = std::find(others.begin(), others.end(), wanted) != others.end();
    if (wanted_width != width || given) continue;
    const std::vector<Relation> relations = RelationsTo(wanted, bits, width, base, others);
    if (relations.empty()) continue;
    if (base != ir::BaseType::kFloat && (wanted <= 1 || wanted == ir::MaskOf(width))) {
      for (const Relation& relation : relations) of_common.emplace_back(wanted, relation);
      continue;
    }
    ++related_constants;
    all = related(std::move(all), wanted, relations.front());
    for (const Relation& relation : relations) forms.push_back(related(next, wanted, relation));
  }
  std::vector<machine::Candidate> last;
  for (const auto& [wanted, relation] : of_common) last.push_back(related(all, wanted, relation));
  if (related_constants > 1) forms.insert(forms.begin(), std::move(all));
  forms.push_back(std::move(next));
  forms.insert(forms.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  return forms;
}

void SymbolSearch::Try(uint64_t bits, int width, const std::string& name, machine::Candidate* rule) {
  // Zero is special: a rule about zero applies either to all constants or only to zero.
  std::vector<std::string> conditions;
  if (bits != 0) conditions = PredicatesOf(bits, width, BaseOfConstant(rule->search, bits, width));
  conditions.insert(conditions.begin(), "");
  for (machine::Candidate& next : WithSymbol(*rule, bits, width, name)) {
    for (const std::string& condition : conditions) {
      for (ir::Node& node : next.search.nodes) {
        if (node.kind != ir::NodeKind::kVariable || node.name != name) continue;
        node.predicates.clear();
        if (!condition.empty()) node.predicates.push_back(condition);
      }
      if (!Holds(next)) continue;
      *rule = std::move(next);
      return;
    }
  }
}

}  // namespace

machine::Candidate WithSymbolicConstants(const machine::Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                         ProverInterface* prover, std::stop_token stop) {
  machine::Candidate rule = candidate;
  if (candidate.program.has_value()) {
    absl::StatusOr<ir::Term> replace = machine::ProgramTerm(*candidate.machine, *candidate.program);
    if (!replace.ok()) return candidate;
    rule.replace = *std::move(replace);
  }
  SymbolSearch search(modes, prover, std::move(stop));
  for (const auto& [bits, width] : ConstantsIn(candidate.search)) {
    const std::set<std::string> taken = NamesIn(rule.search);
    std::string name = "a";
    while (taken.contains(name)) ++name[0];
    search.Try(bits, width, name, &rule);
  }
  ir::ShareVariables(&rule.search);
  if (candidate.program.has_value()) {
    rule.replace = {};
    return rule;
  }
  for (ir::Node& node : rule.replace.nodes) {
    node.flags = 0;              // The nodes inherit flags where the rule is applied.
    node.constant_only = false;  // Only the search side states properties of variables.
    node.predicates.clear();
  }
  ir::ShareVariables(&rule.replace);
  return rule;
}

}  // namespace rewrought::enumerator

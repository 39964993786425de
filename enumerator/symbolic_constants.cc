#include "enumerator/symbolic_constants.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "enumerator/tape.h"
#include "enumerator/vector_blocks.h"
#include "ir/facts/fact_predicates.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/op_table.h"
#include "ir/text/predicates.h"
#include "machine/base/constants.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

// A constant has some dozen predicates; what the first ones do not settle is a rule about that constant.
constexpr int kMaxProofs = 24;

// Of the ordinary block's lanes; fewer are as good as the constant itself.
constexpr int kLeastAdmitted = 2;

// Predicates of constants that hold of `bits`, those that admit most values first.
std::vector<std::string> PredicatesOf(uint64_t bits, int width, ir::BaseType base) {
  bool ok = false;
  const ValueSet set = PlainSet(base == ir::BaseType::kFloat ? ValueKind::kFloat : ValueKind::kInteger, width, &ok);
  std::vector<std::pair<int, std::string>> found;
  for (const ir::PredicateInfo& info : ir::AllPredicates()) {
    // What a range analysis says of floats is no condition on bits.
    const bool range = info.kind == ir::PredicateKind::kRange && base == ir::BaseType::kFloat;
    if ((info.kind != ir::PredicateKind::kConstant && !range) || !ok) continue;
    if (!ir::PredicateAssumesSomething(info.name) || !ir::ConstantHas(info.name, bits, width, base)) continue;
    // What no ordinary value of this kind has says something of the pattern alone: a float that is_ult_32 is a
    // denormal.
    int admitted = 0;
    for (const uint32_t lane : InputLanes(set, 0, BlockKind::kOrdinary).lane) {
      admitted += ir::ConstantHas(info.name, lane, width, base);
    }
    if (admitted >= kLeastAdmitted) found.emplace_back(-admitted, std::string(info.name));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [admitted, name] : found) names.push_back(name);
  return names;
}

// As what the ops read a constant: a float if one does.
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

// The result of a NIR op on constants, if its row gives one at this size.
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

// Puts `nodes` before node `at` of the term, whose indices move up.
void InsertBefore(ir::Term* term, ir::NodeIndex at, const std::vector<ir::Node>& nodes) {
  term->nodes.insert(term->nodes.begin() + at, nodes.begin(), nodes.end());
  const auto moved = static_cast<ir::NodeIndex>(nodes.size());
  for (size_t i = at + nodes.size(); i < term->nodes.size(); ++i) {
    for (ir::Source& source : term->nodes[i].sources) {
      if (source.node >= at) source.node += moved;
    }
  }
  if (term->root >= at) term->root += moved;
}

// Writes the constant node `index` of a replacement as an op on symbols, if one gives its value: the symbol for `bits`
// alone, or with a symbol or constant that the search has. False if none does.
bool Relate(ir::Term* replace, ir::NodeIndex index, uint64_t bits, int width, const std::string& name,
            ir::BaseType base) {
  static constexpr absl::string_view kFloatOps[] = {"fneg", "fabs"};
  static constexpr absl::string_view kIntegerOps[] = {"ineg", "inot"};
  static constexpr absl::string_view kWithNumber[] = {"isub", "iadd", "ishl"};
  const uint64_t wanted = replace->at(index).values[0];
  const bool real = base == ir::BaseType::kFloat;
  const auto op_node = [&](const ir::OpRow* op, std::vector<ir::Source> sources) {
    ir::Node node;
    node.kind = ir::NodeKind::kOp;
    node.op = op;
    node.bits = static_cast<uint8_t>(width);
    node.sources = std::move(sources);
    return node;
  };
  for (const absl::string_view op_name : real ? absl::MakeConstSpan(kFloatOps) : absl::MakeConstSpan(kIntegerOps)) {
    const ir::OpRow* op = ir::FindOp(op_name);
    if (op == nullptr || Fold(*op, width, bits, 0) != wanted) continue;
    InsertBefore(replace, index, {Symbol(name, width)});
    replace->nodes[index + 1] = op_node(op, {{index}});
    return true;
  }
  if (real) return false;
  for (const absl::string_view op_name : kWithNumber) {  // 32 - #b, #b + 1, #b - 1, 1 << #b
    const ir::OpRow* op = ir::FindOp(op_name);
    if (op == nullptr) continue;
    const uint64_t number = op_name == "isub" ? static_cast<uint64_t>(width) : 1;
    const bool symbol_first = op_name == "iadd";
    const uint64_t x = symbol_first ? bits : number, y = symbol_first ? number : bits;
    if (Fold(*op, width, x, y) != wanted) continue;
    ir::Node constant;
    constant.kind = ir::NodeKind::kConstant;
    constant.bits = static_cast<uint8_t>(width);
    constant.values[0] = number;
    const ir::Source symbol{index}, literal{index + 1};
    InsertBefore(replace, index, {Symbol(name, width), constant});
    replace->nodes[index + 2] = symbol_first ? op_node(op, {symbol, literal}) : op_node(op, {literal, symbol});
    return true;
  }
  return false;
}

std::set<std::string> NamesIn(const ir::Term& term) {
  std::set<std::string> names;
  for (const ir::Node& node : term.nodes) {
    if (node.kind == ir::NodeKind::kVariable) names.insert(node.name);
  }
  return names;
}

// Constants of a term by pattern and size, in order, without Booleans.
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

  // Turns one constant of the search side into the symbol `name`, where that is proved.
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

// The rule with the constant as a symbol on both sides; `relate`: other constants of a replacement as ops on it.
// Nothing where the program cannot take a variable there.
std::optional<machine::Candidate> WithSymbol(const machine::Candidate& rule, uint64_t bits, int width,
                                             const std::string& name, bool relate) {
  machine::Candidate next = rule;
  for (ir::Node& node : next.search.nodes) {
    if (node.kind == ir::NodeKind::kConstant && node.values[0] == bits && node.bits == width) {
      node = Symbol(name, width);
    }
  }
  if (next.program.has_value()) {
    next.program = machine::WithConstantAsVariable(*rule.machine, *std::move(next.program), bits, width, name);
    if (!next.program.has_value()) return std::nullopt;
    absl::StatusOr<ir::Term> term = machine::ProgramTerm(*rule.machine, *next.program);
    if (!term.ok()) return std::nullopt;
    next.replace = *std::move(term);
    return next;
  }
  const ir::BaseType base = BaseOfConstant(rule.search, bits, width);
  for (size_t i = 0; i < next.replace.nodes.size(); ++i) {
    ir::Node& node = next.replace.nodes[i];
    if (node.kind != ir::NodeKind::kConstant || node.bits != width) continue;
    if (node.values[0] == bits) {
      node = Symbol(name, width);
    } else if (relate) {
      const size_t before = next.replace.nodes.size();
      if (Relate(&next.replace, static_cast<ir::NodeIndex>(i), bits, width, name, base)) {
        i += next.replace.nodes.size() - before;
      }
    }
  }
  return next;
}

void SymbolSearch::Try(uint64_t bits, int width, const std::string& name, machine::Candidate* rule) {
  std::vector<std::string> conditions = PredicatesOf(bits, width, BaseOfConstant(rule->search, bits, width));
  conditions.insert(conditions.begin(), "");
  for (const bool relate : {true, false}) {
    std::optional<machine::Candidate> next = WithSymbol(*rule, bits, width, name, relate);
    if (!next.has_value()) return;
    for (const std::string& condition : conditions) {
      for (ir::Node& node : next->search.nodes) {
        if (node.kind != ir::NodeKind::kVariable || node.name != name) continue;
        node.predicates.clear();
        if (!condition.empty()) node.predicates.push_back(condition);
      }
      if (!Holds(*next)) continue;
      *rule = *std::move(next);
      return;
    }
    if (rule->program.has_value()) return;
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
  if (candidate.program.has_value()) {
    rule.replace = {};
    return rule;
  }
  for (ir::Node& node : rule.replace.nodes) {
    node.flags = 0;              // inherited where the rule is applied
    node.constant_only = false;  // what a variable is, the search side says
    node.predicates.clear();
  }
  return rule;
}

}  // namespace rewrought::enumerator

#include "enumerator/reals/real_form_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "enumerator/reals/real_forms.h"
#include "ir/fold.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "machine/base/base_selection.h"
#include "machine/sample_constants.h"

namespace rewrought::enumerator {
namespace {

// The prices of modifiers relative to the price of an op. Most machines fold modifiers for free.
constexpr double kSignPrice = 0.1, kSaturatePrice = 0.3;

// The numbers that occur in identities. The values of other constants are never needed.
constexpr double kSpecialNumbers[] = {0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8};

bool IsSpecial(double number) {
  return std::find(std::begin(kSpecialNumbers), std::end(kSpecialNumbers), std::fabs(number)) !=
         std::end(kSpecialNumbers);
}

// A term in which constants of one size are replaced by symbols: all of them, or only those that are not special.
struct Symbolic {
  ir::Term term;
  std::map<std::string, uint64_t> values;
  std::map<std::string, double> numbers;
};

Symbolic WithSymbols(const ir::Term& term, int bits, bool all) {
  Symbolic symbolic{term, {}, {}};
  std::set<std::string> taken;
  for (const ir::Node& node : term.nodes) taken.insert(node.name);
  std::map<uint64_t, std::string> names;
  for (ir::Node& node : symbolic.term.nodes) {
    if (node.kind != ir::NodeKind::kConstant || node.bits != bits) continue;
    const double number = ir::BitsToFloat(node.values[0], bits);
    if (!all && IsSpecial(number)) continue;
    const auto [known, is_new] = names.try_emplace(node.values[0]);
    if (is_new) {
      std::string name = "a";
      while (!taken.insert(name).second) ++name[0];
      known->second = name;
      symbolic.values[name] = node.values[0];
      symbolic.numbers[name] = number;
    }
    ir::Node symbol;
    symbol.bits = node.bits;
    symbol.name = known->second;
    symbol.constant_only = true;
    node = std::move(symbol);
  }
  return symbolic;
}

// Drops unused nodes. Sources still precede their users.
ir::Term DropUnusedNodes(const ir::Term& term) {
  std::vector<bool> read(term.nodes.size(), false);
  read[term.root] = true;
  for (size_t i = term.nodes.size(); i-- > 0;) {
    if (!read[i]) continue;
    for (const ir::Source& source : term.at(static_cast<ir::NodeIndex>(i)).sources) read[source.node] = true;
  }
  std::vector<ir::NodeIndex> place(term.nodes.size(), 0);
  ir::Term reached;
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    if (!read[i]) continue;
    place[i] = static_cast<ir::NodeIndex>(reached.nodes.size());
    reached.nodes.push_back(term.nodes[i]);
    for (ir::Source& source : reached.nodes.back().sources) source.node = place[source.node];
  }
  reached.root = place[term.root];
  return reached;
}

// Returns whether `cost` saves cycles or instructions. Savings in bytes or latency alone do not justify different
// rounding.
bool SavesOver(const machine::Cost& cost, const machine::Cost& base) {
  return std::make_pair(cost.issue_cycles, cost.instructions) < std::make_pair(base.issue_cycles, base.instructions);
}

bool PaysAtOtherConstants(const machine::Machine& machine, const machine::Candidate& general) {
  const machine::Candidate sample = machine::WithSampleConstants(general);
  const absl::StatusOr<machine::Cost> before = machine::BaseCost(machine, sample.search, machine::BaseKind::kTuned);
  const absl::StatusOr<machine::Cost> after = machine::RightSideCost(sample);
  return before.ok() && after.ok() && SavesOver(*after, *before);
}

// Returns true if all values are finite floats of the root's size, or Booleans.
bool HasRealForm(const ir::Term& term, int bits) {
  return ir::IsFloatWidth(bits) && std::all_of(term.nodes.begin(), term.nodes.end(), [&](const ir::Node& node) {
           if (node.components != 1 || (node.bits != 1 && node.bits != bits)) return false;
           if (node.kind == ir::NodeKind::kConstant && node.bits == bits)
             return std::isfinite(ir::BitsToFloat(node.values[0], bits));
           if (node.kind != ir::NodeKind::kOp) return true;
           const auto is_real = [](const ir::OperandType& type) {
             return type.base == ir::BaseType::kFloat || type.base == ir::BaseType::kBool || type.bits == 1;
           };
           if (node.op->name == "bcsel") return true;
           return node.bits == 1
                      ? std::all_of(node.op->sources.begin(), node.op->sources.end(),
                                    [&](const ir::OperandType& type) { return is_real(type) || type.bits == 0; })
                      : is_real(node.op->result);
         });
}

// Returns the float size of `term`: the size of its root, or of the operands if the root is a comparison.
int FloatSizeOf(const ir::Term& term) {
  for (const ir::Node& node : term.nodes) {
    if (node.bits != 1) return node.bits;
  }
  return 0;
}

}  // namespace

double OpPrices::Of(const ir::OpRow& op, int bits) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = prices_.try_emplace({&op, bits}, std::numeric_limits<double>::infinity());
  if (!is_new) return found->second;
  ir::Term term;
  ir::Node root;
  root.kind = ir::NodeKind::kOp;
  root.op = &op;
  root.bits = static_cast<uint8_t>(bits);
  for (size_t s = 0; s < op.sources.size(); ++s) {
    const ir::OperandType& type = op.sources[s];
    ir::Node variable;
    variable.name = std::string(1, static_cast<char>('a' + s));
    variable.bits = type.bits != 0                     ? type.bits
                    : type.base == ir::BaseType::kBool ? 1
                                                       : static_cast<uint8_t>(bits == 1 ? 32 : bits);
    if (bits == 1 && type.base != ir::BaseType::kFloat) variable.bits = 1;
    root.sources.push_back({static_cast<ir::NodeIndex>(s)});
    term.nodes.push_back(std::move(variable));
  }
  term.root = static_cast<ir::NodeIndex>(term.nodes.size());
  term.nodes.push_back(std::move(root));
  const absl::StatusOr<machine::Cost> cost = machine::BaseCost(machine_, term, machine::BaseKind::kTuned);
  if (!cost.ok()) return found->second;
  const bool is_sign = op.name == "fneg" || op.name == "fabs";
  found->second = cost->issue_cycles * (is_sign ? kSignPrice : op.name == "fsat" ? kSaturatePrice : 1);
  return found->second;
}

std::vector<RealForm> FindCheaperRealForms(const machine::Machine& machine, const ir::Term& term,
                                           const machine::Cost& base, OpPrices* prices, size_t limit,
                                           std::stop_token stop) {
  const int bits = FloatSizeOf(term);
  if (!HasRealForm(term, bits)) return {};
  RealFormsOptions options;
  options.stop = stop;
  const double unit = prices->Of(*ir::FindOp("fadd"), bits);
  const auto price = [&](const ir::OpRow& op, int size) { return prices->Of(op, size) / unit; };
  std::vector<RealForm> candidates;
  machine::Cost least = base;
  std::vector<ir::Term> forms;
  size_t symbols = 0;  // The number of symbols in `forms`.
  for (const bool all : {true, false}) {
    const Symbolic symbolic = WithSymbols(term, bits, all);
    if (!all && symbolic.values.empty() && symbols == 0) break;
    if (all || symbolic.values.size() != symbols) {
      forms = FormsOverTheReals(symbolic.term, symbolic.numbers, price, options);
      symbols = symbolic.values.size();
    }
    std::vector<RealForm> found;
    for (const ir::Term& replace : forms) {
      RealForm form;
      form.symbol_numbers = symbolic.numbers;
      form.general = {&machine, symbolic.term, std::nullopt, replace};
      form.special = {
          &machine, term, std::nullopt,
          DropUnusedNodes(ir::FoldConstants(machine::WithConstants(form.general.replace, symbolic.values)))};
      const absl::StatusOr<machine::Cost> cost = machine::RightSideCost(form.special);
      if (!cost.ok() || !SavesOver(*cost, least)) continue;
      form.cost = *cost;
      // A form that is cheaper only with these constants becomes a rule about these constants only.
      if (!PaysAtOtherConstants(machine, form.general)) {
        if (all) continue;
        form.general = form.special;
        form.symbol_numbers.clear();
      }
      found.push_back(std::move(form));
    }
    std::stable_sort(found.begin(), found.end(), [](const RealForm& a, const RealForm& b) {
      return std::make_tuple(a.cost.issue_cycles, a.cost.instructions, a.general.replace.nodes.size()) <
             std::make_tuple(b.cost.issue_cycles, b.cost.instructions, b.general.replace.nodes.size());
    });
    if (found.size() > limit) found.resize(limit);
    if (!found.empty()) least = found[0].cost;
    candidates.insert(candidates.begin(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return candidates;
}

}  // namespace rewrought::enumerator

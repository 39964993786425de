#include "enumerator/reals/e_graph.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <map>

#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

using Numbers = std::array<double, kMaxClassSources>;

// Returns a function that computes the op on doubles, or null if the op cannot be folded. The caller checks the
// processor's flags to determine whether a result is exact.
double (*Folded(const std::string& op))(const Numbers&) {
  using Function = double (*)(const Numbers&);
  static const auto& functions = *new std::map<std::string, Function>{
      {"fadd", [](const Numbers& x) { return x[0] + x[1]; }},
      {"fsub", [](const Numbers& x) { return x[0] - x[1]; }},
      {"fmul", [](const Numbers& x) { return x[0] * x[1]; }},
      {"fdiv", [](const Numbers& x) { return x[0] / x[1]; }},
      {"frcp", [](const Numbers& x) { return 1 / x[0]; }},
      {"fsqrt", [](const Numbers& x) { return std::sqrt(x[0]); }},
      {"fneg", [](const Numbers& x) { return -x[0]; }},
      {"fabs", [](const Numbers& x) { return std::fabs(x[0]); }},
      {"fmin", [](const Numbers& x) { return std::fmin(x[0], x[1]); }},
      {"fmax", [](const Numbers& x) { return std::fmax(x[0], x[1]); }},
      {"fsat", [](const Numbers& x) { return std::fmin(std::fmax(x[0], 0), 1); }},
      {"ffloor", [](const Numbers& x) { return std::floor(x[0]); }},
  };
  const auto found = functions.find(op);
  return found == functions.end() ? nullptr : found->second;
}

std::optional<double> Evaluate(const ClassNode& node, const Numbers& numbers, bool* exact) {
  double (*const function)(const Numbers&) = Folded(node.op->name);
  if (function == nullptr) return std::nullopt;
  std::feclearexcept(FE_ALL_EXCEPT);
  const volatile double result = function(numbers);
  *exact = std::fetestexcept(FE_INEXACT | FE_UNDERFLOW | FE_OVERFLOW | FE_DIVBYZERO | FE_INVALID) == 0;
  if (!std::isfinite(result)) return std::nullopt;
  return result;
}

}  // namespace

ClassId EGraph::Find(ClassId id) const {
  while (parent_[id] != id) id = parent_[id];
  return id;
}

void EGraph::Canonicalise(ClassNode* node) const {
  for (int i = 0; i < node->sources_count; ++i) node->sources[i] = Find(node->sources[i]);
  if (node->op != nullptr && (node->op->properties & ir::kCommutative) != 0 && node->sources[0] > node->sources[1])
    std::swap(node->sources[0], node->sources[1]);
}

ClassId EGraph::Add(ClassNode node) {
  Canonicalise(&node);
  const auto [found, is_new] = index_.try_emplace(node, static_cast<uint32_t>(nodes_.size()));
  if (!is_new) return Find(class_of_[found->second]);
  const auto id = static_cast<ClassId>(parent_.size());
  parent_.push_back(id);
  bits_.push_back(node.bits);
  nodes_.push_back(node);
  class_of_.push_back(id);
  return id;
}

ClassId EGraph::AddVariable(const Variable& variable) {
  size_t place = 0;
  while (place < variables_.size() && variables_[place].name != variable.name) ++place;
  if (place == variables_.size()) variables_.push_back(variable);
  ClassNode leaf;
  leaf.bits = variable.bits;
  leaf.variable = static_cast<int32_t>(place);
  return Add(leaf);
}

ClassId EGraph::AddConstant(uint64_t value, int bits) {
  ClassNode leaf;
  leaf.bits = static_cast<uint8_t>(bits);
  leaf.value = ir::IsFloatWidth(bits) && value == ir::FormatOf(bits).sign() ? 0 : value;
  return Add(leaf);
}

bool EGraph::Union(ClassId a, ClassId b) {
  a = Find(a), b = Find(b);
  if (a == b || bits_[a] != bits_[b]) return false;
  parent_[std::max(a, b)] = std::min(a, b);
  return true;
}

// Merges the classes of nodes that became equal.
bool EGraph::Merge() {
  bool changed = false;
  index_.clear();
  std::vector<ClassNode> nodes;
  std::vector<ClassId> classes;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Canonicalise(&nodes_[i]);
    const auto [found, is_new] = index_.try_emplace(nodes_[i], static_cast<uint32_t>(nodes.size()));
    if (!is_new) {
      changed = Union(classes[found->second], class_of_[i]) || changed;
      continue;
    }
    nodes.push_back(nodes_[i]);
    classes.push_back(class_of_[i]);
  }
  nodes_ = std::move(nodes);
  class_of_ = std::move(classes);
  return changed;
}

void EGraph::Analyse() {
  members_.assign(parent_.size(), {});
  constant_.assign(parent_.size(), false);
  literal_.assign(parent_.size(), std::nullopt);
  number_.assign(parent_.size(), std::nullopt);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const ClassNode& node = nodes_[i];
    const ClassId id = class_of(i);
    members_[id].push_back(static_cast<uint32_t>(i));
    if (node.op != nullptr || node.variable >= 0) continue;
    contradiction_ = contradiction_ || literal_[id].value_or(node.value) != node.value;
    literal_[id] = node.value;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const ClassNode& node = nodes_[i];
      const ClassId id = class_of(i);
      if (constant_[id] && number_[id].has_value()) continue;
      bool constant = true, known = true, exact = false;
      std::optional<double> number;
      if (node.op == nullptr && node.variable < 0) {
        if (ir::IsFloatWidth(node.bits)) number = ir::BitsToFloat(node.value, node.bits);
      } else if (node.op == nullptr) {
        constant = variables_[node.variable].constant;
        number = variables_[node.variable].value;
      } else {
        Numbers numbers = {};
        for (int s = 0; s < node.sources_count; ++s) {
          constant = constant && constant_[node.sources[s]];
          known = known && number_[node.sources[s]].has_value();
          if (known) numbers[s] = *number_[node.sources[s]];
        }
        if (constant && known) number = Evaluate(node, numbers, &exact);
      }
      if (!constant || (constant_[id] && !number.has_value())) continue;
      constant_[id] = true;
      number_[id] = number;
      changed = true;
    }
  }
}

bool EGraph::Fold() {
  bool changed = false;
  const size_t count = nodes_.size();
  for (size_t i = 0; i < count; ++i) {
    const ClassNode node = nodes_[i];
    const ClassId id = class_of(i);
    if (node.op == nullptr || !ir::IsFloatWidth(node.bits) || literal_[id].has_value()) continue;
    Numbers numbers = {};
    bool known = true;
    for (int s = 0; s < node.sources_count && known; ++s) {
      const std::optional<uint64_t> literal = literal_[Find(node.sources[s])];
      known = literal.has_value() && bits_[Find(node.sources[s])] == node.bits;
      if (known) numbers[s] = ir::BitsToFloat(*literal, node.bits);
    }
    bool exact = false;
    const std::optional<double> result = known ? Evaluate(node, numbers, &exact) : std::nullopt;
    if (!result.has_value() || !exact) continue;
    const uint64_t pattern = ir::FloatToBits(*result, node.bits);
    if (ir::BitsToFloat(pattern, node.bits) != *result) continue;
    changed = Union(AddConstant(pattern, node.bits), id) || changed;
    literal_[id] = pattern;
  }
  return changed;
}

void EGraph::Rebuild() {
  do {
    while (Merge()) {
    }
    Analyse();
  } while (Fold());
}

std::optional<double> EGraph::Number(ClassId id) const { return number_[Find(id)]; }

}  // namespace rewrought::enumerator

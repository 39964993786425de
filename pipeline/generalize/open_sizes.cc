#include "pipeline/generalize/open_sizes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "ir/scalar.h"
#include "ir/text/generic_ops.h"
#include "ir/text/sizes.h"
#include "ir/text/value_types.h"
#include "pipeline/generalize/rule_edit.h"

namespace rewrought::pipeline {
namespace {

// Returns the conversion without its size, such as i2f for i2f32, or nullptr if the op is not a sized conversion.
const ir::OpRow* GenericOf(const ir::OpRow& op) {
  absl::string_view name = op.name;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.size() == op.name.size() ? nullptr : ir::FindGenericConversion(name);
}

// Removes all written sizes except those of Booleans, and if `conversions`, also the sizes of conversion ops.
ir::Rule WithoutSizes(ir::Rule rule, bool conversions) {
  const ir::ValueTypes types = ir::InferTypes(rule);
  for (ir::Term* term : {&rule.search, &rule.replace}) {
    for (ir::NodeIndex i = 0; i < term->nodes.size(); ++i) {
      ir::Node& node = term->nodes[i];
      if ((term == &rule.search ? types.search : types.replace)[i] != ir::BaseType::kBool) node.bits = 0;
      if (node.kind != ir::NodeKind::kOp || !conversions) continue;
      if (const ir::OpRow* generic = GenericOf(*node.op)) node.op = generic;
    }
  }
  return rule;
}

// Returns the constant at size `to` that corresponds to `value` at size `from`, or nullopt if `value` does not
// depend on the size.
std::optional<uint64_t> AtOtherSize(uint64_t value, int from, int to) {
  if (value == 0) return std::nullopt;
  const auto pairs = [&](int size) {
    const uint64_t mask = ir::MaskOf(size), low = ir::MaskOf(size / 2), sign = uint64_t{1} << (size - 1);
    const auto number = [](int n) { return static_cast<uint64_t>(n); };
    return std::vector<uint64_t>{sign,
                                 sign - 1,
                                 mask ^ low,
                                 low,
                                 number(size),
                                 number(size - 1),
                                 number(size / 2),
                                 number(size / 2 - 1),
                                 number(size - 8)};
  };
  const std::vector<uint64_t> before = pairs(from), after = pairs(to);
  const auto found = std::find(before.begin(), before.end(), value & ir::MaskOf(from));
  if (found == before.end()) return std::nullopt;
  return after[static_cast<size_t>(found - before.begin())];
}

// Returns the size on which the value of a literal may depend: the size of the first op that reads it, or of that op's
// first operand if the op is a comparison. `bits` has the sizes of the term's nodes. Returns 0 if no op reads it.
int SizeOfReader(const ir::Term& term, const std::vector<uint8_t>& bits, ir::NodeIndex literal) {
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    for (const ir::Source& source : term.at(i).sources) {
      if (source.node != literal) continue;
      return bits[i] > 1 ? bits[i] : bits[term.at(i).sources[0].node];
    }
  }
  return 0;
}

// Returns the rule with the constants that depend on the size adapted from the sizes `from` to the sizes `to`.
ir::Rule WithAdaptedConstants(ir::Rule rule, const ir::SizeAssignment& from, const ir::SizeAssignment& to) {
  const auto adapt = [](const std::vector<uint8_t>& before, const std::vector<uint8_t>& after, ir::Term* term) {
    for (ir::NodeIndex i = 0; i < term->nodes.size(); ++i) {
      ir::Node& node = term->nodes[i];
      if (node.kind != ir::NodeKind::kConstant || node.literal != ir::LiteralKind::kInt) continue;
      const int one = SizeOfReader(*term, before, i), other = SizeOfReader(*term, after, i);
      if (one > 1 && other > 1) node.values[0] = AtOtherSize(node.values[0], one, other).value_or(node.values[0]);
    }
  };
  adapt(from.search_bits, to.search_bits, &rule.search);
  adapt(from.replace_bits, to.replace_bits, &rule.replace);
  return rule;
}

// Returns the rule at the given sizes, or nullopt if it does not hold.
std::optional<ir::Rule> HeldAt(const ir::SizeAssignment& sizes, const ir::Rule& open, Judge* judge) {
  const absl::StatusOr<ir::Rule> sized = ir::Instantiate(open, sizes, judge->size_options());
  if (!sized.ok()) return std::nullopt;
  absl::StatusOr<ir::Rule> read = Normalized(*sized, judge->dialect());
  if (!read.ok() || !judge->Verify(*read).proved) return std::nullopt;
  return *std::move(read);
}

// Returns whether `sizes` are useful: every Boolean has the same size as in `own`, and every other value has 1 bit only
// if it has 1 bit in `own`.
bool IsUseful(const ir::SizeAssignment& sizes, const ir::SizeAssignment& own, const ir::Rule& open) {
  const ir::ValueTypes types = ir::InferTypes(open);
  for (size_t i = 0; i < sizes.search_bits.size(); ++i) {
    const bool same = sizes.search_bits[i] == own.search_bits[i];
    if (!same && (types.search[i] == ir::BaseType::kBool || sizes.search_bits[i] == 1)) return false;
  }
  return true;
}

// Returns the element of `all` that has the sizes of `rule`, or nullptr if there is none.
const ir::SizeAssignment* FindOwnSizes(const std::vector<ir::SizeAssignment>& all, const ir::Rule& rule,
                                       const ir::SizeOptions& options) {
  const auto own = ir::EnumerateSizes(rule, options);
  if (!own.ok()) return nullptr;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ir::SizeAssignment& one) {
    return one.search_bits == own->front().search_bits && one.replace_bits == own->front().replace_bits;
  });
  return found == all.end() ? nullptr : &*found;
}

// Returns the rule at each size at which it holds.
std::vector<ir::Rule> RulesOfSizes(const ir::Rule& rule, const ir::Rule& open, Judge* judge) {
  std::vector<ir::Rule> rules;
  const auto all = ir::EnumerateSizes(open, judge->size_options());
  const ir::SizeAssignment* own = all.ok() ? FindOwnSizes(*all, rule, judge->size_options()) : nullptr;
  if (own == nullptr) return rules;
  for (const ir::SizeAssignment& sizes : *all) {
    if (!IsUseful(sizes, *own, open)) continue;
    std::optional<ir::Rule> held = HeldAt(sizes, WithAdaptedConstants(open, *own, sizes), judge);
    if (!held.has_value()) held = HeldAt(sizes, open, judge);
    if (held.has_value()) rules.push_back(*std::move(held));
  }
  return rules;
}

}  // namespace

OpenedSizes OpenSizes(const ir::Rule& rule, Judge* judge) {
  OpenedSizes opened;
  // Unsized conversions yield the most general rule. Sized conversions may imply the sizes of all other values.
  const ir::Rule fewest = WithoutSizes(rule, true), fewer = WithoutSizes(rule, false);
  const Judgment judgment = judge->Verify(fewest);
  if (judgment.proved) return {{fewest}, ""};
  opened.reason = judgment.reason;
  opened.rules = RulesOfSizes(rule, fewest, judge);
  if (opened.rules.size() < 2 && judge->Verify(fewer).proved) opened.rules = {fewer};
  if (opened.rules.empty() && judge->Verify(rule).proved) opened.rules = {rule};
  return opened;
}

}  // namespace rewrought::pipeline

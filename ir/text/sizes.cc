#include "ir/text/sizes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/match/relation.h"
#include "ir/meaning.h"
#include "ir/scalar.h"
#include "ir/term_order.h"
#include "ir/text/literal.h"

namespace rewrought::ir {
namespace {

constexpr std::array<uint8_t, 6> kSizes = {1, 4, 8, 16, 32, 64};
constexpr uint8_t kFourBits = 1u << 1;  // allowed only if the text states it
constexpr uint8_t kAllSizes = 0x3f;
constexpr uint8_t kFloatSizes = 0x38;
constexpr size_t kMaxAssignments = 4096;
constexpr char kErrorNode[] = "rewrought/size_error_node";  // the key of the payload "SIDE NODE"

uint8_t MaskOfSize(int bits) {
  for (size_t i = 0; i < kSizes.size(); ++i) {
    if (kSizes[i] == bits) return static_cast<uint8_t>(1u << i);
  }
  return 0;
}

uint8_t FreeSizeMask(const OpRow& row) {
  uint8_t mask = 0;
  for (const int bits : FreeSizesOf(row)) mask |= MaskOfSize(bits);
  if (mask & MaskOfSize(8)) mask |= kFourBits;
  return mask;
}

std::string SizeList(uint8_t mask) {
  std::string text;
  for (size_t i = 0; i < kSizes.size(); ++i) {
    if ((mask & ~kFourBits) >> i & 1) absl::StrAppend(&text, text.empty() ? "" : ", ", static_cast<int>(kSizes[i]));
  }
  return text;
}

bool IsSizedConversionOk(const Node& node, int result_bits, int source_bits, OpResolver find) {
  const OpRow* row = SizedConversion(node.op, result_bits, find);
  return row != nullptr && (row->sources[0].bits != 0 ? row->sources[0].bits == source_bits
                                                      : FreeSizeMask(*row) & MaskOfSize(source_bits));
}

}  // namespace

// Infers the classes of values that have equal sizes, by union-find over the values of both sides: the search's nodes
// first, then the replacement's.
class SizeInference {
 public:
  SizeInference(const Rule& rule, const SizeOptions& options)
      : rule_(rule), options_(options), searched_(static_cast<uint32_t>(rule.search.nodes.size())) {
    items_.resize(searched_ + rule.replace.nodes.size());
    for (uint32_t i = 0; i < items_.size(); ++i) items_[i].parent = i;
  }

  absl::StatusOr<RuleSizes> Run();

 private:
  struct Item {
    uint32_t parent = 0;
    // The following fields are valid only for the root of a class.
    uint8_t fixed = 0;
    uint8_t allowed = kAllSizes;
    uint32_t fixed_by = 0;
    const OpRow* narrowed_by = nullptr;
  };

  const Node& NodeOf(uint32_t item) const {
    return item < searched_ ? rule_.search.nodes[item] : rule_.replace.nodes[item - searched_];
  }
  uint32_t Find(uint32_t item) {
    while (items_[item].parent != item) item = items_[item].parent = items_[items_[item].parent].parent;
    return item;
  }
  std::string Describe(uint32_t item) const {
    const Node& node = NodeOf(item);
    if (node.kind == NodeKind::kVariable) return absl::StrCat("'", node.name, "'");
    if (node.kind == NodeKind::kConstant)
      return absl::StrCat("literal ", LiteralText(node, kIdentitySwizzle, node.components));
    return absl::StrCat("the result of ", node.op->name);
  }

  absl::Status Fix(uint32_t item, int bits, absl::string_view why);
  absl::Status Narrow(uint32_t item, uint8_t allowed, const OpRow* by);
  absl::Status Unify(uint32_t a, uint32_t b, absl::string_view why);
  absl::Status CheckAllowed(uint32_t root, absl::string_view why);

  absl::Status At(uint32_t item, absl::Status status) const;
  absl::Status AddSide(const Term& term, uint32_t base);
  absl::Status AddOp(const Node& node, uint32_t item, uint32_t base);
  absl::Status AddLeaf(const Node& node, uint32_t item);
  absl::Status JoinVariables();
  absl::Status CheckNotNarrowed(const std::vector<Item>& before);
  absl::StatusOr<RuleSizes> Collect();

  const Rule& rule_;
  const SizeOptions& options_;
  const uint32_t searched_;
  std::vector<Item> items_;
};

absl::Status SizeInference::CheckAllowed(uint32_t root, absl::string_view why) {
  const Item& item = items_[root];
  if (item.fixed != 0 && !(item.allowed & MaskOfSize(item.fixed))) {
    return absl::InvalidArgumentError(absl::StrCat(
        Describe(item.fixed_by), " has ", static_cast<int>(item.fixed), " bits, but ",
        item.narrowed_by != nullptr ? absl::StrCat(item.narrowed_by->name, " takes ", SizeList(item.allowed))
                                    : absl::StrCat("only ", SizeList(item.allowed), " are possible"),
        why));
  }
  if ((item.allowed & ~(item.fixed != 0 ? 0 : kFourBits)) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no size is possible", why,
        item.narrowed_by != nullptr ? absl::StrCat("; ", item.narrowed_by->name, " excludes the last remaining size")
                                    : ""));
  }
  return absl::OkStatus();
}

absl::Status SizeInference::Fix(uint32_t item, int bits, absl::string_view why) {
  const uint32_t root = Find(item);
  Item& found = items_[root];
  if (found.fixed != 0 && found.fixed != bits) {
    return absl::InvalidArgumentError(absl::StrCat(Describe(item), " must have ", bits, " bits", why, ", but ",
                                                   Describe(found.fixed_by), " has ", static_cast<int>(found.fixed),
                                                   " and shares its size"));
  }
  if (found.fixed == 0) {
    found.fixed = static_cast<uint8_t>(bits);
    found.fixed_by = item;
  }
  return CheckAllowed(root, why);
}

absl::Status SizeInference::Narrow(uint32_t item, uint8_t allowed, const OpRow* by) {
  const uint32_t root = Find(item);
  if (items_[root].allowed & ~allowed) items_[root].narrowed_by = by;
  items_[root].allowed &= allowed;
  return CheckAllowed(root, "");
}

absl::Status SizeInference::Unify(uint32_t a, uint32_t b, absl::string_view why) {
  const uint32_t x = Find(a), y = Find(b);
  if (x == y) return absl::OkStatus();
  Item& kept = items_[x];
  const Item& gone = items_[y];
  if (kept.fixed != 0 && gone.fixed != 0 && kept.fixed != gone.fixed) {
    return absl::InvalidArgumentError(absl::StrCat(Describe(a), " has ", static_cast<int>(kept.fixed), " bits and ",
                                                   Describe(b), " has ", static_cast<int>(gone.fixed), ", but ", why));
  }
  if (kept.fixed == 0 && gone.fixed != 0) {
    kept.fixed = gone.fixed;
    kept.fixed_by = gone.fixed_by;
  }
  if (kept.allowed & ~gone.allowed) kept.narrowed_by = gone.narrowed_by;
  kept.allowed &= gone.allowed;
  items_[y].parent = x;
  return CheckAllowed(x, absl::StrCat(": ", why));
}

absl::Status SizeInference::AddLeaf(const Node& node, uint32_t item) {
  if (node.bits != 0) {
    absl::Status status = Fix(item, node.bits, "");
    if (!status.ok()) return status;
  }
  const bool is_float = node.kind == NodeKind::kConstant ? node.literal == LiteralKind::kFloat
                                                         : node.typed && node.type == BaseType::kFloat;
  return is_float ? Narrow(item, kFloatSizes, nullptr) : absl::OkStatus();
}

absl::Status SizeInference::AddOp(const Node& node, uint32_t item, uint32_t base) {
  const OpRow& row = *node.op;
  absl::Status status;
  if (node.bits != 0) status = Fix(item, node.bits, "");
  if (IsGenericConversion(&row)) {
    const BaseType from = row.sources[0].base;
    const uint8_t source_sizes = from == BaseType::kFloat  ? kFloatSizes
                                 : from == BaseType::kBool ? kAllSizes & ~0x20
                                                           : kAllSizes;
    const uint8_t result_sizes = row.result.base == BaseType::kFloat ? kFloatSizes : 0x3c;
    if (status.ok()) status = Narrow(item, result_sizes, &row);
    if (status.ok()) status = Narrow(base + node.sources[0].node, source_sizes, &row);
    return status;
  }
  uint32_t first_free = 0;
  bool has_free = false;
  size_t first_source = 0;
  for (size_t k = 0; k < node.sources.size() && status.ok(); ++k) {
    const uint32_t source = base + node.sources[k].node;
    const Node& from = NodeOf(source);
    const bool wide_bool = row.sources[k].base == BaseType::kBool && row.sources[k].bits > 1;
    if (from.kind == NodeKind::kConstant && from.literal == LiteralKind::kBool && from.bits == 0 && !wide_bool) {
      status = Fix(source, 1, "");  // as in Mesa, True and False have 1 bit
      if (!status.ok()) break;
    }
    if (row.sources[k].bits != 0) {
      status = Fix(source, row.sources[k].bits, absl::StrCat(" as source ", k + 1, " of ", row.name));
    } else if (has_free) {
      status = Unify(first_free, source,
                     absl::StrCat("sources ", first_source + 1, " and ", k + 1, " of ", row.name, " share one size"));
    } else {
      has_free = true;
      first_free = source;
      first_source = k;
    }
  }
  if (!status.ok()) return status;
  if (row.result.bits != 0) {
    status = Fix(item, row.result.bits, absl::StrCat(" as the result of ", row.name));
    return status.ok() && has_free ? Narrow(first_free, FreeSizeMask(row), &row) : status;
  }
  if (has_free) {
    status = Unify(item, first_free,
                   absl::StrCat("the result of ", row.name, " must have the size of its source ", first_source + 1));
  }
  return status.ok() ? Narrow(item, FreeSizeMask(row), &row) : status;
}

// Records the node of `item` as the location of the error `status`.
absl::Status SizeInference::At(uint32_t item, absl::Status status) const {
  if (status.ok()) return status;
  const bool in_replacement = item >= searched_;
  status.SetPayload(
      kErrorNode, absl::Cord(absl::StrCat(in_replacement ? "1" : "0", " ", in_replacement ? item - searched_ : item)));
  return status;
}

absl::Status SizeInference::AddSide(const Term& term, uint32_t base) {
  for (uint32_t i = 0; i < term.nodes.size(); ++i) {
    const Node& node = term.nodes[i];
    absl::Status status = node.kind == NodeKind::kOp ? AddOp(node, base + i, base) : AddLeaf(node, base + i);
    if (!status.ok()) return At(base + i, std::move(status));
  }
  return absl::OkStatus();
}

absl::Status SizeInference::JoinVariables() {
  absl::flat_hash_map<absl::string_view, uint32_t> first;
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const Node& node = NodeOf(i);
    if (node.kind != NodeKind::kVariable) continue;
    const auto [found, is_new] = first.emplace(node.name, i);
    if (is_new) continue;
    absl::Status status = Unify(found->second, i, "a variable has one size");
    if (!status.ok()) return At(i, std::move(status));
  }
  return absl::OkStatus();
}

// Fails if the replacement constrains the search's sizes further. `before` contains the classes that follow from the
// search alone.
absl::Status SizeInference::CheckNotNarrowed(const std::vector<Item>& before) {
  const auto old_root = [&](uint32_t i) {
    while (before[i].parent != i) i = before[i].parent;
    return i;
  };
  absl::flat_hash_map<uint32_t, uint32_t> merged_from;  // keyed by new root
  for (uint32_t i = 0; i < searched_; ++i) {
    if (NodeOf(i).kind != NodeKind::kVariable && i != rule_.search.root) continue;
    const uint32_t old = old_root(i), now = Find(i);
    const auto [found, is_new] = merged_from.emplace(now, i);
    if (before[old].fixed != items_[now].fixed) {
      return At(i, absl::InvalidArgumentError(absl::StrCat("the replacement fixes ", Describe(i), " to ",
                                                           static_cast<int>(items_[now].fixed),
                                                           " bits; write the size on the search side")));
    }
    if (!is_new && old_root(found->second) != old && before[old].fixed == 0) {
      return At(i, absl::InvalidArgumentError(absl::StrCat("only the replacement makes the sizes of ",
                                                           Describe(found->second), " and ", Describe(i),
                                                           " equal; write sizes on the search side")));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RuleSizes> SizeInference::Run() {
  absl::Status status = CheckRelation(rule_.search);
  if (status.ok()) status = CheckNoRelation(rule_.replace);
  if (status.ok()) status = AddSide(rule_.search, 0);
  if (status.ok()) status = JoinVariables();
  if (!status.ok()) return status;
  if (!rule_.replace.nodes.empty()) {
    const std::vector<Item> before = items_;
    status = AddSide(rule_.replace, searched_);
    if (status.ok()) status = JoinVariables();
    if (status.ok()) {
      status = At(searched_ + rule_.replace.root, Unify(rule_.search.root, searched_ + rule_.replace.root,
                                                        "both are roots, which must have the same size"));
    }
    if (status.ok() && !options_.replacement_may_narrow) status = CheckNotNarrowed(before);
    if (!status.ok()) return status;
  }
  return Collect();
}

absl::StatusOr<RuleSizes> SizeInference::Collect() {
  RuleSizes sizes;
  sizes.rule_ = &rule_;
  sizes.find_ = options_.find;
  absl::flat_hash_map<uint32_t, uint32_t> index_of;
  for (uint32_t i = 0; i < items_.size(); ++i) {
    const uint32_t root = Find(i);
    const auto [found, is_new] = index_of.emplace(root, static_cast<uint32_t>(sizes.classes_.size()));
    if (is_new) sizes.classes_.push_back({items_[root].fixed, items_[root].allowed, false, 0});
    RuleSizes::Class& c = sizes.classes_[found->second];
    (i < searched_ ? sizes.search_class_ : sizes.replace_class_).push_back(found->second);
    if (i < searched_ && NodeOf(i).kind == NodeKind::kVariable && !c.has_variable) {
      c.has_variable = true;
      c.variable = i;
    }
  }
  // Reject a size in the replacement that neither a variable nor the root determines, because a match does not
  // determine it either.
  for (uint32_t i = 0; i < sizes.replace_class_.size(); ++i) {
    const RuleSizes::Class& c = sizes.classes_[sizes.replace_class_[i]];
    const bool is_root = sizes.replace_class_[i] == sizes.search_class_[rule_.search.root];
    if (c.fixed != 0 || c.has_variable || is_root || std::has_single_bit(sizes.ClassSizes(c))) continue;
    return At(searched_ + i,
              absl::InvalidArgumentError(absl::StrCat(
                  "the size of ", Describe(searched_ + i), " in the replacement is undetermined: it follows neither ",
                  "from a variable nor from a written size nor from the root; write it, as in 'fadd@32'")));
  }
  const std::vector<bool> related = NodesOfRelation(rule_.search);
  for (uint32_t i = 0; i < searched_; ++i) {
    const RuleSizes::Class& c = sizes.classes_[sizes.search_class_[i]];
    if (!related[i] || c.fixed != 0 || c.has_variable || std::has_single_bit(sizes.ClassSizes(c))) continue;
    return At(i, absl::InvalidArgumentError(
                     absl::StrCat("the size of ", Describe(i), " in the relation is undetermined: it follows from ",
                                  "no variable and no written size; write it, as in 'iadd@32'")));
  }
  return sizes;
}

uint8_t RuleSizes::ClassSizes(const Class& c) const {
  return c.fixed != 0 ? MaskOfSize(c.fixed) : static_cast<uint8_t>(c.allowed & ~kFourBits);
}

std::optional<SizeErrorNode> NodeOfSizeError(const absl::Status& status) {
  const auto payload = status.GetPayload(kErrorNode);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  SizeErrorNode found;
  found.in_replacement = text[0] == '1';
  if (!absl::SimpleAtoi(text.substr(2), &found.node)) return std::nullopt;
  return found;
}

absl::StatusOr<RuleSizes> RuleSizes::Infer(const Rule& rule, const SizeOptions& options) {
  return SizeInference(rule, options).Run();
}

std::vector<SizeOrigin> RuleSizes::OriginsOf(const std::vector<uint32_t>& classes) const {
  std::vector<SizeOrigin> origins;
  for (const uint32_t index : classes) {
    const Class& c = classes_[index];
    SizeOrigin origin;
    const uint8_t sizes = ClassSizes(c);
    if (std::has_single_bit(sizes)) {
      origin.bits = kSizes[static_cast<size_t>(std::countr_zero(sizes))];
    } else if (c.has_variable) {
      origin.kind = SizeOrigin::kVariable;
      origin.variable = c.variable;
    } else {
      origin.kind = SizeOrigin::kRoot;
    }
    origins.push_back(origin);
  }
  return origins;
}

std::vector<std::pair<std::string, uint32_t>> RuleSizes::NamedClasses() const {
  std::vector<std::pair<std::string, uint32_t>> named;
  std::vector<bool> has_name(classes_.size(), false);
  const std::vector<NodeIndex> order = ValuesInPrefixOrder(rule_->search);
  const auto add = [&](std::string name, NodeIndex node) {
    has_name[search_class_[node]] = true;
    for (const auto& [other, unused] : named) {
      if (other == name) return;
    }
    named.emplace_back(std::move(name), search_class_[node]);
  };
  for (const NodeIndex node : order) {
    if (rule_->search.nodes[node].kind == NodeKind::kVariable) add(rule_->search.nodes[node].name, node);
  }
  has_name[search_class_[rule_->search.root]] = true;
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t index = search_class_[order[i]];
    if (!has_name[index] && classes_[index].fixed == 0) add(absl::StrCat("n", i), order[i]);
  }
  named.emplace_back("root", search_class_[rule_->search.root]);
  return named;
}

absl::StatusOr<std::vector<SizeAssignment>> RuleSizes::Enumerate() const {
  const std::vector<std::pair<std::string, uint32_t>> named = NamedClasses();
  // Collect the classes that need a choice, in the order of their names. A class with a single size needs none.
  std::vector<uint32_t> open;
  size_t free_classes = 0;
  uint32_t width_class = search_class_[rule_->search.root];
  for (const auto& [name, index] : named) {
    if (std::find(open.begin(), open.end(), index) != open.end()) continue;
    open.push_back(index);
    if (classes_[index].fixed == 0 && ++free_classes == 1 && classes_[index].has_variable) width_class = index;
  }
  if (free_classes == 1) {
    for (const uint32_t index : open) {
      if (classes_[index].fixed == 0) width_class = index;
    }
  }
  size_t count = 1;
  for (const uint32_t index : open) {
    count *= static_cast<size_t>(std::popcount(ClassSizes(classes_[index])));
    if (count > kMaxAssignments) {
      return absl::ResourceExhaustedError(
          absl::StrCat("more than ", kMaxAssignments, " size assignments; fix some sizes, as in @32"));
    }
  }
  std::vector<uint8_t> bits(classes_.size());
  for (size_t i = 0; i < classes_.size(); ++i) {
    bits[i] = kSizes[static_cast<size_t>(std::countr_zero(ClassSizes(classes_[i])))];
  }
  std::vector<SizeAssignment> assignments;
  for (size_t number = 0; number < count; ++number) {
    size_t rest = number;
    for (const uint32_t index : open) {
      uint8_t sizes = ClassSizes(classes_[index]);
      size_t choice = rest % static_cast<size_t>(std::popcount(sizes));
      rest /= static_cast<size_t>(std::popcount(sizes));
      for (; choice > 0; --choice) sizes &= static_cast<uint8_t>(sizes - 1);
      bits[index] = kSizes[static_cast<size_t>(std::countr_zero(sizes))];
    }
    if (!ConversionsExist(bits)) continue;
    SizeAssignment assignment;
    assignment.width = bits[width_class];
    for (const auto& [name, index] : named) assignment.names.emplace_back(name, bits[index]);
    for (const uint32_t index : search_class_) assignment.search_bits.push_back(bits[index]);
    for (const uint32_t index : replace_class_) assignment.replace_bits.push_back(bits[index]);
    assignments.push_back(std::move(assignment));
  }
  if (assignments.empty()) return absl::InvalidArgumentError("no size is valid for all conversions of the rule");
  std::stable_sort(assignments.begin(), assignments.end(), [](const SizeAssignment& a, const SizeAssignment& b) {
    return std::tie(a.width, a.names) < std::tie(b.width, b.names);
  });
  return assignments;
}

// Returns whether every unsized conversion exists at the sizes `bits`, which are indexed by class.
bool RuleSizes::ConversionsExist(const std::vector<uint8_t>& bits) const {
  const auto exist = [&](const Term& term, const std::vector<uint32_t>& class_of) {
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const Node& node = term.nodes[i];
      if (node.kind != NodeKind::kOp || !IsGenericConversion(node.op)) continue;
      if (!IsSizedConversionOk(node, bits[class_of[i]], bits[class_of[node.sources[0].node]], find_)) return false;
    }
    return true;
  };
  return exist(rule_->search, search_class_) && exist(rule_->replace, replace_class_);
}

absl::StatusOr<std::vector<SizeAssignment>> EnumerateSizes(const Rule& rule, const SizeOptions& options) {
  absl::StatusOr<RuleSizes> sizes = RuleSizes::Infer(rule, options);
  if (!sizes.ok()) return sizes.status();
  return sizes->Enumerate();
}

}  // namespace rewrought::ir

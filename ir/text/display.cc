#include "ir/text/display.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/scalar.h"
#include "ir/text/annotated_name.h"
#include "ir/text/literal.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_lexer.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "ir/text/value_text.h"
#include "ir/text/value_types.h"

namespace rewrought::ir {
namespace {

// Rules beyond these limits are shown in PrintRule's form, because testing which sizes can be omitted would take too
// long.
constexpr size_t kMaxShownBytes = 1u << 12;
constexpr size_t kMaxShownSizes = 64;

using Flags = std::vector<bool>;  // indexed by node

std::string PlainTerm(const Term& term) { return term.nodes.empty() ? "" : PrintTerm(term); }

bool IsEitherZero(const Node& node) {
  return std::find(node.predicates.begin(), node.predicates.end(), kEitherZeroMark) != node.predicates.end();
}

// Returns the literal without its size, or "" if PrintTerm's text is the only form. If `0.0` matches both zeros
// (ir/text/sizes.h), a zero that matches one sign only is written as an integer.
std::string OpenText(const Node& node, std::optional<BaseType> type, bool zeros_match, bool is_mask) {
  const uint64_t value = node.values[0];
  if (IsEitherZero(node)) return "0.0";
  if (node.literal == LiteralKind::kBool) return value != 0 ? "True" : "False";
  // An integer in a float operand denotes its bits, so write such a value, or one without a decimal form, in hex.
  const std::string pattern = value == 0 ? "0" : absl::StrCat("0x", absl::Hex(value));
  if (node.literal == LiteralKind::kInt) return type == BaseType::kFloat ? pattern : IntegerText(value, 64, is_mask);
  if (node.literal == LiteralKind::kFloat) {
    return std::isfinite(std::bit_cast<double>(value)) ? DecimalText(value, 64) : "";
  }
  for (int c = 1; c < node.components; ++c) {
    if (node.values[c] != value) return "";
  }
  if (node.bits == 1) return value != 0 ? "True" : "False";
  if (type != BaseType::kFloat || !IsFloatWidth(node.bits)) return IntegerText(value, node.bits, is_mask);
  const double number = BitsToFloat(value, node.bits);
  if (std::isinf(number)) return number < 0 ? "'-inf'" : "'inf'";
  if (std::isnan(number) || (number == 0 && zeros_match)) return pattern;
  return DecimalText(value, node.bits);
}

Flags MasksOf(const Term& term) {
  Flags masks(term.nodes.size(), false);
  for (const Node& node : term.nodes) {
    const bool bitwise =
        node.kind == NodeKind::kOp && (node.op->name == "iand" || node.op->name == "ior" || node.op->name == "ixor" ||
                                       absl::StartsWith(node.op->name, "bf"));
    if (!bitwise) continue;
    for (const Source& source : node.sources) masks[source.node] = true;
  }
  return masks;
}

// One side of a rule and the set of sizes omitted from its text.
class Side {
 public:
  Side(const Term& term, bool zeros_match, const std::vector<std::optional<BaseType>>& types) : term_(term) {
    const Flags masks = MasksOf(term);
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const Node& node = term.nodes[i];
      open_.push_back(node.kind == NodeKind::kConstant ? OpenText(node, types[i], zeros_match, masks[i]) : "");
    }
    omitted_.resize(term.nodes.size(), false);
  }

  bool HasSize(size_t i) const { return term_.nodes[i].bits != 0; }
  NodeKind KindOf(size_t i) const { return term_.nodes[i].kind; }
  size_t size() const { return term_.nodes.size(); }
  void Omit(size_t i, bool omit) { omitted_[i] = omit; }

  std::string Text() const {
    Term shown = term_;
    for (size_t i = 0; i < shown.nodes.size(); ++i) {
      Node& node = shown.nodes[i];
      const bool quoted = !open_[i].empty() && open_[i][0] == '\'';  // a quoted literal has no size suffix
      if (!open_[i].empty() && (omitted_[i] || !quoted)) {
        node.name = absl::StrCat(open_[i], omitted_[i] ? "" : ShapeText(node));
      }
      if (omitted_[i] && node.kind != NodeKind::kConstant) node.bits = 0;
    }
    return PlainTerm(shown);
  }

 private:
  const Term& term_;
  std::vector<std::string> open_;  // indexed by node: the literal without a size
  Flags omitted_;
};

// The terms of a rule at one size assignment, as text.
struct Meaning {
  std::vector<std::pair<std::string, int>> names;
  std::string search, replace;

  friend bool operator==(const Meaning&, const Meaning&) = default;
};

// Returns the texts for each size assignment, or an empty list if there are no assignments or more than kMaxShownSizes.
std::vector<Meaning> MeaningsOf(const Rule& rule, const SizeOptions& options) {
  std::vector<Meaning> meanings;
  const absl::StatusOr<std::vector<SizeAssignment>> sizes = EnumerateSizes(rule, options);
  if (!sizes.ok() || sizes->size() > kMaxShownSizes) return meanings;
  for (const SizeAssignment& one : *sizes) {
    const absl::StatusOr<Rule> sized = Instantiate(rule, one, options);
    if (!sized.ok()) return {};
    meanings.push_back({one.names, PlainTerm(sized->search), PlainTerm(sized->replace)});
  }
  return meanings;
}

class Display {
 public:
  Display(const Rule& rule, const SizeOptions& options) : Display(rule, options, InferTypes(rule)) {}

  DisplayedSides Run() {
    const DisplayedSides plain = {PlainTerm(rule_.search), PlainTerm(rule_.replace)};
    if (plain.search.size() + plain.replace.size() > kMaxShownBytes) return plain;
    if (!HasSizes()) return Text();
    // Mesa infers the sizes of a search without its replacement. If the given rule allows this, the displayed text must
    // allow it too.
    options_.replacement_may_narrow = false;
    options_.replacement_may_narrow = !EnumerateSizes(rule_, options_).ok();
    wanted_ = MeaningsOf(rule_, options_);
    if (wanted_.empty()) return plain;
    OmitAll(true, true);
    if (HasSameMeaning()) return Text();
    OmitAll(true, false);
    if (!HasSameMeaning()) {
      OmitAll(false, false);
      if (!HasSameMeaning()) return plain;
      TryToOmitAll(&search_, NodeKind::kConstant);
      for (const NodeKind kind : {NodeKind::kConstant, NodeKind::kOp, NodeKind::kVariable})
        TryToOmitAll(&replace_, kind);
      TryToOmitAll(&search_, NodeKind::kOp);
    }
    TryToOmitAll(&search_, NodeKind::kVariable);
    return Text();
  }

 private:
  Display(const Rule& rule, const SizeOptions& options, const ValueTypes& types)
      : rule_(rule),
        search_(rule.search, !options.literals_exact, types.search),
        replace_(rule.replace, false, types.replace),
        options_(options) {}

  DisplayedSides Text() const { return {search_.Text(), replace_.Text()}; }

  bool HasSizes() const {
    for (const Side* side : {&search_, &replace_}) {
      for (size_t i = 0; i < side->size(); ++i) {
        if (side->HasSize(i)) return true;
      }
    }
    return false;
  }

  // Omits all sizes if `omit` is set, and otherwise restores them. For the search's variables, whose sizes usually
  // imply the others, `variables` decides instead.
  void OmitAll(bool omit, bool variables) {
    for (Side* side : {&search_, &replace_}) {
      for (size_t i = 0; i < side->size(); ++i) {
        side->Omit(i, side == &search_ && side->KindOf(i) == NodeKind::kVariable ? variables : omit);
      }
    }
  }

  // Tries to omit sizes: those of ops from the leaves up, so that the root's size is dropped last, and those of
  // variables from the last variable to the first.
  void TryToOmitAll(Side* side, NodeKind kind) {
    for (size_t n = 0; n < side->size(); ++n) {
      const size_t i = kind == NodeKind::kVariable ? side->size() - 1 - n : n;
      if (side->KindOf(i) != kind || !side->HasSize(i)) continue;
      side->Omit(i, true);
      if (!HasSameMeaning()) side->Omit(i, false);
    }
  }

  bool HasSameMeaning() const {
    const DisplayedSides text = Text();
    Rule read;
    if (rule_.replace.nodes.empty()) {
      absl::StatusOr<Term> term = ParseSearch(text.search, nullptr, options_.find);
      if (!term.ok()) return false;
      read.search = *std::move(term);
    } else {
      const std::string tuple = absl::StrCat("(", text.search, ", ", text.replace, ")");
      absl::StatusOr<Rule> rule = ParseRule(tuple, 1, nullptr, options_.find);
      if (!rule.ok()) return false;
      read = *std::move(rule);
    }
    return MeaningsOf(read, options_) == wanted_;
  }

  const Rule& rule_;
  Side search_, replace_;
  SizeOptions options_;
  std::vector<Meaning> wanted_;
};

}  // namespace

DisplayedSides DisplaySides(const Rule& rule, const SizeOptions& options) { return Display(rule, options).Run(); }

std::string DisplayRule(const Rule& rule, const SizeOptions& options) {
  const DisplayedSides sides = DisplaySides(rule, options);
  return absl::StrCat("(", sides.search, ", ", sides.replace,
                      rule.condition.empty() ? "" : absl::StrCat(", ", QuoteString(rule.condition)), ")");
}

std::string DisplayTerm(const Term& term) {
  Rule rule;
  rule.search = term;
  return DisplaySides(rule).search;
}

DisplayedSides DisplayTexts(const std::string& search, const std::string& replace) {
  if (replace.empty()) {
    const absl::StatusOr<Term> term = ParseSearch(search);
    return {term.ok() ? DisplayTerm(*term) : search, ""};
  }
  const absl::StatusOr<Rule> rule = ParseRule(absl::StrCat("(", search, ", ", replace, ")"));
  return rule.ok() ? DisplaySides(*rule) : DisplayedSides{search, replace};
}

std::string DisplayRuleText(const std::string& text) {
  const absl::StatusOr<Rule> rule = ParseRule(text);
  return rule.ok() ? DisplayRule(*rule) : text;
}

}  // namespace rewrought::ir

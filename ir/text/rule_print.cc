// Implements the printing functions of ir/text/rule_text.h.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/match/relation.h"
#include "ir/text/annotated_name.h"
#include "ir/text/literal.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_lexer.h"
#include "ir/text/rule_text.h"
#include "proto/parse_limits.h"

namespace rewrought::ir {
namespace {

absl::string_view TypeName(BaseType type) {
  switch (type) {
    case BaseType::kUint:
      return "uint";
    case BaseType::kInt:
      return "int";
    case BaseType::kFloat:
      return "float";
    case BaseType::kBool:
      return "bool";
  }
  return "";
}

class Printer {
 public:
  Printer(const Term& term, std::string* out) : term_(term), out_(out), seen_(term.nodes.size(), false) {}

  void Print(const Source& use, int lanes, uint64_t depth) {
    const Node& node = term_.nodes[use.node];
    if (out_->size() > proto::kRuleLimits.bytes || depth > proto::kRuleLimits.depth) {
      truncated_ = true;
      return;
    }
    switch (node.kind) {
      case NodeKind::kVariable:
        return PrintVariable(node, use, lanes);
      case NodeKind::kConstant:
        *out_ += LiteralText(node, use.swizzle, lanes);
        return;
      case NodeKind::kOp:
        return PrintOp(node, use, lanes, depth);
    }
  }

  bool truncated() const { return truncated_; }

 private:
  void PrintVariable(const Node& node, const Source& use, int lanes) {
    *out_ += '\'';
    const bool first = !seen_[use.node];
    seen_[use.node] = true;
    if (first && node.constant_only) *out_ += '#';
    *out_ += node.name;
    if (first) {
      const std::string shape = ShapeText(node);
      if (node.typed) {
        // `@bool` alone implies 1 bit.
        const bool implied = node.type == BaseType::kBool && shape == "@1";
        absl::StrAppend(out_, "@", TypeName(node.type), shape.empty() || implied ? "" : shape.substr(1));
      } else {
        *out_ += shape;
      }
      if (!node.predicates.empty()) absl::StrAppend(out_, "(", absl::StrJoin(node.predicates, ","), ")");
    }
    const std::string swizzle = SwizzleText(use.swizzle, lanes);
    if (!swizzle.empty()) absl::StrAppend(out_, ".", swizzle);
    *out_ += '\'';
  }

  void PrintOp(const Node& node, const Source& use, int lanes, uint64_t depth) {
    const bool ignore_exact =
        std::find(node.predicates.begin(), node.predicates.end(), kIgnoreExact) != node.predicates.end();
    absl::StrAppend(out_, ignore_exact ? "ignore_exact('" : "('", node.flags & kInexact ? "~" : "",
                    node.flags & kExact ? "!" : "", node.op->name,
                    IsWhere(node) ? "" : ShapeText(node));  // `where` has the shape of its search
    PrintConditions(node);
    const std::string swizzle = SwizzleText(use.swizzle, lanes);
    if (!swizzle.empty()) absl::StrAppend(out_, ".", swizzle);
    *out_ += '\'';
    for (size_t k = 0; k < node.sources.size(); ++k) {
      *out_ += ", ";
      const int fixed = k < node.op->sources.size() ? node.op->sources[k].components : 0;
      Print(node.sources[k], fixed != 0 ? fixed : node.components, depth + 1);
    }
    *out_ += ')';
  }

  void PrintConditions(const Node& node) {
    std::vector<absl::string_view> conditions;
    if (node.flags & kNoSignedZero) conditions.push_back("nsz");
    if (node.flags & kNoNan) conditions.push_back("nnan");
    if (node.flags & kNoInf) conditions.push_back("ninf");
    for (const std::string& predicate : node.predicates) {
      if (predicate != kIgnoreExact) conditions.push_back(predicate);
    }
    if (!conditions.empty()) absl::StrAppend(out_, "(", absl::StrJoin(conditions, ","), ")");
  }

  const Term& term_;
  std::string* out_;
  std::vector<bool> seen_;
  bool truncated_ = false;
};

bool AppendTerm(const Term& term, std::string* out) {
  if (term.nodes.empty()) return true;
  Printer printer(term, out);
  printer.Print({term.root, kIdentitySwizzle}, kMaxComponents, 0);
  return !printer.truncated();
}

}  // namespace

std::string PrintTerm(const Term& term) {
  std::string text;
  if (!AppendTerm(term, &text)) text += "...";
  return text;
}

std::string PrintRule(const Rule& rule) {
  std::string text = "(";
  bool whole = AppendTerm(rule.search, &text);
  text += ", ";
  whole = AppendTerm(rule.replace, &text) && whole;
  if (!rule.condition.empty()) absl::StrAppend(&text, ", ", QuoteString(rule.condition));
  text += ')';
  if (!whole) text += "...";
  return text;
}

}  // namespace rewrought::ir

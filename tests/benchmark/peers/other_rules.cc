#include "tests/benchmark/peers/other_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"

namespace rewrought::peers {
namespace {

constexpr int kMostNodes = 64;

class SideReader {
 public:
  SideReader(absl::string_view text, int width) : rest_(text), width_(width) {}

  absl::StatusOr<ir::Term> Read() {
    const absl::StatusOr<ir::NodeIndex> root = ReadNode();
    if (!root.ok()) return root.status();
    if (!absl::StripAsciiWhitespace(rest_).empty()) return absl::InvalidArgumentError("there is text after the term");
    term_.root = *root;
    if (term_.root + 1 != term_.nodes.size()) return absl::InvalidArgumentError("the root is not the last node");
    return std::move(term_);
  }

 private:
  absl::string_view Word() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    const bool is_parenthesis = !rest_.empty() && (rest_[0] == '(' || rest_[0] == ')');
    const size_t length = is_parenthesis ? 1 : std::min(rest_.find_first_of("() \t\r"), rest_.size());
    const absl::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

  absl::StatusOr<ir::NodeIndex> ReadNode() {
    if (term_.nodes.size() >= kMostNodes) return absl::InvalidArgumentError("too long");
    const absl::string_view word = Word();
    ir::Node node;
    node.bits = static_cast<uint8_t>(width_);
    if (word.size() == 2 && word[0] == '?' && word[1] >= 'a' && word[1] <= 'd') {
      node.kind = ir::NodeKind::kVariable;
      node.name = std::string(word.substr(1));
      for (size_t i = 0; i < term_.nodes.size(); ++i) {
        if (term_.nodes[i].name == node.name) return static_cast<ir::NodeIndex>(i);
      }
    } else if (word == "(") {
      if (absl::Status status = ReadOperation(&node); !status.ok()) return status;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("'", std::string(word), "' is not a term"));
    }
    term_.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(term_.nodes.size() - 1);
  }

  absl::Status ReadOperation(ir::Node* node) {
    static const auto& names = *new std::map<std::string, std::string>{
        {"+", "iadd"}, {"*", "imul"}, {"--", "isub"}, {"-", "ineg"},  {"~", "inot"},
        {"&", "iand"}, {"|", "ior"},  {"^", "ixor"},  {"<<", "ishl"}, {">>", "ushr"}};
    const auto name = names.find(std::string(Word()));
    if (name == names.end()) return absl::InvalidArgumentError("not an op of Ruler");
    node->kind = ir::NodeKind::kOp;
    node->op = ir::FindOp(name->second);
    for (size_t i = 0; i < node->op->sources.size(); ++i) {
      const absl::StatusOr<ir::NodeIndex> source = ReadNode();
      if (!source.ok()) return source.status();
      node->sources.push_back({*source});
    }
    return Word() == ")" ? absl::OkStatus() : absl::InvalidArgumentError("')' is missing");
  }

  absl::string_view rest_;
  const int width_;
  ir::Term term_;
};

}  // namespace

absl::StatusOr<std::vector<std::pair<ir::Term, ir::Term>>> ReadOtherRules(absl::string_view text, int width) {
  std::vector<std::pair<ir::Term, ir::Term>> rules;
  std::set<std::pair<std::string, std::string>> known;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const size_t arrow = line.find("=>");
    if (arrow == absl::string_view::npos)
      return absl::InvalidArgumentError(absl::StrCat("no arrow: ", std::string(line)));
    size_t start = arrow;  // the start of <=>, ==> or =>
    while (start > 0 && (line[start - 1] == '=' || line[start - 1] == '<')) --start;
    const absl::StatusOr<ir::Term> left = SideReader(line.substr(0, start), width).Read();
    const absl::StatusOr<ir::Term> right = SideReader(line.substr(arrow + 2), width).Read();
    for (const absl::Status& status : {left.status(), right.status()}) {
      if (!status.ok())
        return absl::InvalidArgumentError(absl::StrCat(std::string(status.message()), ": ", std::string(line)));
    }
    const std::string x = ir::PrintTerm(*left), y = ir::PrintTerm(*right);
    if (known.contains({y, x}) || !known.insert({x, y}).second) continue;
    // Reverse a rule whose left side is a lone variable.
    const bool turned = left->nodes.size() == 1;
    rules.emplace_back(turned ? *right : *left, turned ? *left : *right);
  }
  return rules;
}

}  // namespace rewrought::peers

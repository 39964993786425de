#include "emitter/lburg/grammar_row.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace rewrought::emitter {
namespace {

constexpr int kMaxDepth = 200;

absl::Status Expected(absl::string_view what, absl::string_view rest) {
  return absl::InvalidArgumentError(absl::StrCat(what, " is expected before '", rest.substr(0, 20), "'"));
}

std::string TakeWord(absl::string_view* text) {
  size_t end = 0;
  while (end < text->size() && (absl::ascii_isalnum(static_cast<unsigned char>((*text)[end])) || (*text)[end] == '_')) {
    ++end;
  }
  std::string word(text->substr(0, end));
  text->remove_prefix(end);
  return word;
}

absl::StatusOr<GrammarTree> TakeTree(absl::string_view* text, int depth) {
  if (depth > kMaxDepth) return absl::InvalidArgumentError("a pattern is nested too deeply");
  GrammarTree tree{TakeWord(text), {}};
  if (tree.name.empty()) return Expected("a name", *text);
  if (!absl::ConsumePrefix(text, "(")) return tree;
  do {
    absl::StatusOr<GrammarTree> operand = TakeTree(text, depth + 1);
    if (!operand.ok()) return operand;
    tree.operands.push_back(*std::move(operand));
  } while (absl::ConsumePrefix(text, ","));
  if (!absl::ConsumePrefix(text, ")")) return Expected("')'", *text);
  return tree;
}

}  // namespace

std::string PrintTree(const GrammarTree& tree) {
  std::string text = tree.name;
  for (size_t i = 0; i < tree.operands.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "(" : ",", PrintTree(tree.operands[i]));
  }
  return tree.operands.empty() ? text : absl::StrCat(text, ")");
}

std::string PrintRow(const GrammarRow& row) {
  const std::string cost =
      row.condition.empty() ? absl::StrCat(row.cost) : absl::StrCat("WHERE(", row.condition, ", ", row.cost, ")");
  return absl::StrCat(row.nonterminal, ": ", PrintTree(row.tree), " = ", row.number, " (", cost, ");\n");
}

absl::StatusOr<GrammarRow> ParseRow(absl::string_view line) {
  GrammarRow row;
  row.nonterminal = TakeWord(&line);
  if (row.nonterminal.empty() || !absl::ConsumePrefix(&line, ": ")) return Expected("'nonterminal: '", line);
  absl::StatusOr<GrammarTree> tree = TakeTree(&line, 0);
  if (!tree.ok()) return tree.status();
  row.tree = *std::move(tree);
  if (!absl::ConsumePrefix(&line, " = ") || !absl::SimpleAtoi(TakeWord(&line), &row.number)) {
    return Expected("' = number'", line);
  }
  if (!absl::ConsumePrefix(&line, " (") || !absl::ConsumeSuffix(&line, ");")) return Expected("' (cost);'", line);
  if (absl::ConsumePrefix(&line, "WHERE(")) {
    const size_t comma = line.rfind(", ");
    if (comma == absl::string_view::npos || !absl::ConsumeSuffix(&line, ")")) return Expected("', cost)'", line);
    row.condition = std::string(line.substr(0, comma));
    line.remove_prefix(comma + 2);
  }
  if (!absl::SimpleAtoi(line, &row.cost)) return Expected("a cost", line);
  return row;
}

}  // namespace rewrought::emitter

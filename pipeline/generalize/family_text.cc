#include "pipeline/generalize/family_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rewrought::pipeline {
namespace {

// Splits the text of a rule into words (quoted strings and numbers) and the text between them. Words have odd indices.
std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    if (text[i] == '\'') {
      const size_t closing = text.find('\'', i + 1);
      end = closing == std::string::npos ? text.size() : closing + 1;
    } else {
      while (end < text.size() && (absl::ascii_isalnum(text[end]) || absl::StrContains(".+-_", text[end]))) ++end;
    }
    if (end == i) {
      parts.back() += text[i++];
      continue;
    }
    parts.push_back(text.substr(i, end - i));
    parts.emplace_back();
    i = end;
  }
  return parts;
}

std::string ShapeOfParts(const std::vector<std::string>& parts) {
  std::string shape;
  for (size_t i = 0; i < parts.size(); i += 2) absl::StrAppend(&shape, parts[i], "\n");
  return shape;
}

constexpr size_t kMaxListBytes = 90;

// The largest number of loop variables. A loop with more of them is harder to read than its rules.
constexpr size_t kMaxVariables = 4;

// Returns the loop for rules with the same shape, or nullopt if it has too many variables.
std::optional<FamilyLoop> LoopOf(const std::vector<std::vector<std::string>>& rules) {
  constexpr char kVariables[] = "xyzu";
  std::map<std::vector<std::string>, std::string> variables;  // keyed by the words of all rules at one place
  std::vector<std::vector<std::string>> columns;
  std::string body;
  for (size_t i = 0; i < rules[0].size(); ++i) {
    std::vector<std::string> column;
    for (const std::vector<std::string>& rule : rules) column.push_back(rule[i]);
    const bool same = std::equal(column.begin() + 1, column.end(), column.begin());
    if (same) {
      body += column[0];
      continue;
    }
    const auto [found, is_new] = variables.emplace(column, "");
    if (is_new) {
      if (columns.size() == kMaxVariables) return std::nullopt;
      found->second = std::string(1, kVariables[columns.size()]);
      columns.push_back(column);
    }
    body += found->second;
  }
  std::vector<std::string> names;
  for (const std::vector<std::string>& column : columns) names.push_back(variables.at(column));
  std::vector<std::string> values;
  for (size_t r = 0; r < rules.size(); ++r) {
    const std::string value =
        absl::StrJoin(columns, ", ", [&](std::string* out, const auto& column) { *out += column[r]; });
    values.push_back(columns.size() == 1 ? value : absl::StrCat("(", value, ")"));
  }
  // A long list has one line for each rule.
  const bool is_long = absl::StrJoin(values, ", ").size() > kMaxListBytes;
  const std::string list = absl::StrJoin(values, is_long ? ",\n    " : ", ");
  return FamilyLoop{
      absl::StrCat("for ", absl::StrJoin(names, ", "), " in [", is_long ? "\n    " : "", list, is_long ? "\n]:" : "]:"),
      body};
}

}  // namespace

std::vector<FamilyLoop> FamilyLoops(const std::vector<std::string>& rules) {
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> groups;  // by shape, in order
  for (const std::string& rule : rules) {
    std::vector<std::string> parts = Split(rule);
    const std::string shape = ShapeOfParts(parts);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == shape; });
    if (group == groups.end()) group = groups.insert(groups.end(), {shape, {}});
    group->second.push_back(std::move(parts));
  }
  std::vector<FamilyLoop> loops;
  for (const auto& [shape, members] : groups) {
    std::optional<FamilyLoop> loop;
    if (members.size() > 1) loop = LoopOf(members);
    if (loop.has_value()) {
      loops.push_back(*std::move(loop));
      continue;
    }
    for (const std::vector<std::string>& rule : members) loops.push_back({"", absl::StrJoin(rule, "")});
  }
  return loops;
}

std::string FamilyText(const std::vector<std::string>& rules) {
  std::string text;
  for (const FamilyLoop& loop : FamilyLoops(rules)) {
    if (loop.header.empty()) {
      absl::StrAppend(&text, loop.rule, "\n");
    } else {
      absl::StrAppend(&text, loop.header, "\n   ", loop.rule, "\n");
    }
  }
  return text;
}

}  // namespace rewrought::pipeline

// Checks every op against known answers that were not computed from its row (ir/ops/known_answers/README.md). The set
// of allowed results must be exactly the stated set. An op without known answers fails the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

constexpr const char* kFamilies[] = {"backend",          "bitfield",        "conversion",      "float_approximate",
                                     "float_arithmetic", "float_compare",   "integer_compare", "integer_arithmetic",
                                     "logic_and_shift",  "pack_and_vector", "select"};

struct Answer {
  std::string op;
  int size = 0;  // 0 if the op has no free size
  DenormMode mode = DenormMode::kNone;
  std::vector<std::vector<uint64_t>> sources;
  std::string allowed;
};

std::vector<uint64_t> ReadNumbers(absl::string_view text) {
  std::vector<uint64_t> numbers;
  for (absl::string_view part : absl::StrSplit(text, absl::ByAnyChar("<>{}, "), absl::SkipEmpty())) {
    uint64_t value = 0;
    EXPECT_TRUE(absl::SimpleHexAtoi(part, &value)) << part;
    numbers.push_back(value);
  }
  return numbers;
}

// Splits `text` at spaces outside braces.
std::vector<std::string> SplitSources(absl::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == ' ' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  parts.erase(std::remove(parts.begin(), parts.end(), std::string()), parts.end());
  return parts;
}

Answer ReadAnswer(absl::string_view line) {
  Answer answer;
  const size_t equals = line.find(" = ");
  EXPECT_NE(equals, absl::string_view::npos) << line;
  std::vector<std::string> left = SplitSources(line.substr(0, equals));
  const std::vector<std::string> name = absl::StrSplit(left[0], '@');
  answer.op = name[0];
  if (name.size() > 1) {
    EXPECT_TRUE(absl::SimpleAtoi(name[1], &answer.size));
  }
  static const auto& modes = *new std::map<std::string, DenormMode>{{"none", DenormMode::kNone},
                                                                    {"any", DenormMode::kAny},
                                                                    {"flush", DenormMode::kFlush},
                                                                    {"preserve", DenormMode::kPreserve}};
  EXPECT_TRUE(modes.contains(left[1])) << line;
  answer.mode = modes.at(left[1]);
  for (size_t i = 2; i < left.size(); ++i) answer.sources.push_back(ReadNumbers(left[i]));
  answer.allowed = std::string(absl::StripAsciiWhitespace(line.substr(equals + 3)));
  return answer;
}

// Formats the allowed set like the known answers, but with decimal numbers so that zero padding does not matter.
std::string Spell(const AllowedSet& set) {
  std::set<std::string> results;
  for (const AllowedResult& result : set.results) {
    std::vector<std::string> components;
    for (const AllowedComponent& c : result) {
      components.push_back(c.kind == AllowedKind::kAnyNan     ? "nan"
                           : c.kind == AllowedKind::kAnyValue ? "any"
                                                              : absl::StrCat(c.value));
    }
    results.insert(absl::StrJoin(components, ","));
  }
  if (results.contains("any")) return "any";
  return absl::StrCat(absl::StrJoin(results, " "), set.complete ? "" : " …");
}

std::vector<std::string> SpellValues(absl::string_view allowed) {
  std::vector<std::string> values;
  for (absl::string_view part : absl::StrSplit(allowed, absl::ByAnyChar("{}, "), absl::SkipEmpty())) {
    values.push_back(part == "nan" || part == "any" ? std::string(part) : absl::StrCat(ReadNumbers(part)[0]));
  }
  return values;
}

// Splits `text` at commas outside braces.
std::vector<std::string> SplitComponents(absl::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

std::string SpellExpected(absl::string_view allowed) {
  if (allowed == "nan" || allowed == "any") return std::string(allowed);
  std::set<std::string> results;
  if (allowed[0] == '<') {
    // Each component may be a set, so expand the product of the sets.
    std::vector<std::string> tuples = {""};
    for (const std::string& component : SplitComponents(allowed.substr(1, allowed.size() - 2))) {
      std::vector<std::string> longer;
      for (const std::string& tuple : tuples) {
        for (const std::string& value : SpellValues(component))
          longer.push_back(tuple.empty() ? value : absl::StrCat(tuple, ",", value));
      }
      tuples = std::move(longer);
    }
    results.insert(tuples.begin(), tuples.end());
  } else {
    for (const std::string& value : SpellValues(allowed)) results.insert(value);
  }
  return absl::StrJoin(results, " ");
}

std::string Evaluate(const Answer& answer) {
  const OpRow* row = FindOp(answer.op);
  if (row == nullptr) return "no such op";
  if (row->sources.size() != answer.sources.size()) return "wrong number of sources";
  Term term;
  Node node;
  node.kind = NodeKind::kOp;
  node.op = row;
  node.bits = static_cast<uint8_t>(row->result.bits ? row->result.bits : answer.size);
  node.components = std::max<uint8_t>(1, row->result.components);
  for (size_t k = 0; k < answer.sources.size(); ++k) {
    Node constant;
    constant.kind = NodeKind::kVariable;  // not a constant, which would be folded away
    constant.name = std::string(1, static_cast<char>('a' + k));
    constant.bits = static_cast<uint8_t>(row->sources[k].bits ? row->sources[k].bits : answer.size);
    constant.components = static_cast<uint8_t>(answer.sources[k].size());
    term.nodes.push_back(constant);
    node.sources.push_back({static_cast<NodeIndex>(k), kIdentitySwizzle});
  }
  term.nodes.push_back(node);
  term.root = static_cast<NodeIndex>(term.nodes.size() - 1);
  Dag dag;
  const absl::StatusOr<ChoiceTerm> lowered = LowerWithChoices(&dag, term, answer.mode, 0);
  if (!lowered.ok()) return std::string(lowered.status().message());
  std::vector<uint64_t> inputs(dag.inputs().size());
  for (size_t k = 0; k < answer.sources.size(); ++k) {
    for (size_t c = 0; c < answer.sources[k].size(); ++c) {
      const std::string base(1, static_cast<char>('a' + k));
      const ValueIndex input =
          dag.InputNamed(answer.sources[k].size() == 1 ? base : absl::StrCat(base, ".", c), term.nodes[k].bits);
      inputs.resize(dag.inputs().size());
      inputs[dag.at(input).immediate] = answer.sources[k][c];
    }
  }
  return Spell(AllowedResults(dag, *lowered, inputs, 64));
}

TEST(KnownAnswers, AreTheAllowedSetsAndEveryOpHasSome) {
  std::set<std::string> answered;
  std::map<std::string, int> failures;
  int lines = 0, failed = 0;
  for (const char* family : kFamilies) {
    std::ifstream file(absl::StrCat("ir/ops/known_answers/", family, ".txt"));
    ASSERT_TRUE(file.good()) << family;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      const absl::string_view text = absl::StripAsciiWhitespace(absl::string_view(line).substr(0, line.find('#')));
      if (text.empty()) continue;
      EXPECT_NE(line.find('#'), std::string::npos) << family << ".txt:" << number << ": no source is given";
      const Answer answer = ReadAnswer(text);
      ++lines;
      answered.insert(answer.op);
      const std::string got = Evaluate(answer), expected = SpellExpected(answer.allowed);
      if (got == expected) continue;
      ++failed;
      if (++failures[answer.op] <= 3)
        ADD_FAILURE() << family << ".txt:" << number << ": " << line << "\n  allowed: " << got;
    }
  }
  EXPECT_GT(lines, 5000);
  EXPECT_EQ(failed, 0);
  for (const OpRow* row : AllOps()) EXPECT_TRUE(answered.contains(row->name)) << row->name << " has no known answers";
}

}  // namespace
}  // namespace rewrought::ir

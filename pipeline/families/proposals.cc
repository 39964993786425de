#include "pipeline/families/proposals.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "pipeline/generalize/family_text.h"

namespace rewrought::pipeline {
namespace {

constexpr size_t kColumns = 100;        // of a tuple on one line
constexpr size_t kSubjectColumns = 56;  // of a pattern in a subject; "nir/opt_algebraic: optimize " precedes it
constexpr size_t kMostSources = 4;      // that a reason names
constexpr char kIndent[] = "   ";

std::string CallText(const ir::Term& term, ir::NodeIndex at) {
  const ir::Node& node = term.at(at);
  switch (node.kind) {
    case ir::NodeKind::kVariable:
      return absl::StrCat(node.constant_only ? "#" : "", node.name);
    case ir::NodeKind::kConstant:
      return ir::DisplayTerm({{node}, 0});
    case ir::NodeKind::kOp:
      break;
  }
  std::vector<std::string> operands;
  for (const ir::Source& source : node.sources) operands.push_back(CallText(term, source.node));
  return absl::StrCat(node.op->name, "(", absl::StrJoin(operands, ", "), ")");
}

// Returns the text of a tuple without the quotes of the variables a to d.
std::string WithoutQuotes(const std::string& tuple) {
  return absl::StrReplaceAll(tuple, {{"'a'", "a"}, {"'b'", "b"}, {"'c'", "c"}, {"'d'", "d"}});
}

// Returns the position after the last comma before column `columns` that is not deeper than `depth` parentheses, or 0.
size_t LastComma(const std::string& text, int depth, size_t columns) {
  int at = 0;
  size_t last = 0;
  for (size_t i = 0; i + 1 < text.size() && i < columns; ++i) {
    if (text[i] == '(') ++at;
    if (text[i] == ')') --at;
    if (text[i] == ',' && text[i + 1] == ' ' && at <= depth) last = i + 1;
  }
  return last;
}

// Returns the text on one or more lines, broken after operands.
std::string Broken(std::string text, std::string indent) {
  std::string lines;
  for (int depth = 2; indent.size() + text.size() > kColumns && depth < 8;) {
    const size_t comma = LastComma(text, depth, kColumns - indent.size());
    if (comma == 0) {
      ++depth;
      continue;
    }
    if (lines.empty()) indent += kIndent;
    absl::StrAppend(&lines, lines.empty() ? indent.substr(sizeof(kIndent) - 1) : indent, text.substr(0, comma), "\n");
    text.erase(0, comma + 1);
    depth = 2;
  }
  return absl::StrCat(lines, indent, text, "\n");
}

// Returns the tuple, with the replacement on a line of its own if the tuple is long.
std::string TupleLines(const std::string& tuple, const std::string& indent) {
  if (tuple.size() <= kColumns) return absl::StrCat(indent, tuple, ",\n");
  int depth = 0;
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i] == '(') ++depth;
    if (tuple[i] == ')') --depth;
    if (tuple[i] == ',' && depth == 1)  // the end of the search side
      return Broken(tuple.substr(0, i + 1), indent) + Broken(absl::StrCat(tuple.substr(i + 2), ","), indent + " ");
  }
  return Broken(absl::StrCat(tuple, ","), indent);
}

std::string SourcesText(const std::set<std::string>& sources) {
  std::vector<std::string> names;
  for (const std::string& source : sources) {
    if (names.size() < kMostSources) names.push_back(source);
  }
  if (sources.size() > kMostSources) names.push_back(CountText(sources.size() - kMostSources, "other source"));
  if (names.size() <= 2) return absl::StrJoin(names, " and ");
  names.back() = absl::StrCat("and ", names.back());
  return absl::StrJoin(names, ", ");
}

std::string ReasonOf(const RuleFamily& family) {
  const DiscoveredRule& first = family.instances[0];
  std::string reason = absl::StrCat("The pattern occurs ", CountText(static_cast<size_t>(family.support.sites), "time"),
                                    " in ", CountText(family.support.shaders.size(), "shader"), " of ",
                                    SourcesText(family.support.sources), ".");
  if (family.instances.size() == 1) return reason;
  absl::StrAppend(&reason, " A search of these shaders found ", family.instances.size(),
                  " special cases. The most frequent one is\n", first.text, ".");
  return reason;
}

std::string TomlString(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

}  // namespace

std::string ListOf(const RuleFamily& family) { return family.late ? "late_optimizations" : "optimizations"; }

std::string PatternText(const ir::Term& search) { return CallText(search, search.root); }

std::string FamilyStatements(const RuleFamily& family, ir::Dialect dialect) {
  const std::string list = ListOf(family);
  std::vector<std::string> tuples;
  for (const ir::Rule& member : family.members)
    tuples.push_back(WithoutQuotes(ir::DisplayRule(member, ir::SizeOptionsIn(dialect))));
  std::string text, together;
  for (const FamilyLoop& loop : FamilyLoops(tuples)) {
    if (loop.header.empty()) {
      absl::StrAppend(&together, TupleLines(loop.rule, kIndent));
      continue;
    }
    absl::StrAppend(&text, loop.header, "\n", kIndent, list, " += [\n",
                    TupleLines(loop.rule, absl::StrCat(kIndent, kIndent)), kIndent, "]\n");
  }
  if (!together.empty()) text = absl::StrCat(list, " += [\n", together, "]\n", text);
  return text;
}

std::string ProposalsToml(const std::vector<RuleFamily>& families, ir::Dialect dialect) {
  std::string toml = "# Proposals for `rewrought propose --add`, written by `rewrought families`.\n";
  std::set<std::string> subjects;
  for (const RuleFamily& family : families) {
    const ir::Term& search = family.members[0].search;
    std::string pattern = PatternText(search);
    if (pattern.size() > kSubjectColumns) pattern = absl::StrCat(pattern.substr(0, kSubjectColumns - 4), " ...");
    std::string subject = absl::StrCat("optimize ", pattern);
    for (int number = 2; !subjects.insert(subject).second; ++number)
      subject = absl::StrCat("optimize ", pattern, " (", number, ")");
    absl::StrAppend(&toml, "\n[[proposal]]\nsubject = ", TomlString(subject), "\nreason = \"\"\"\n", ReasonOf(family),
                    "\"\"\"\n[[proposal.insert]]\nlist = ", TomlString(ListOf(family)), "\nrules = \"\"\"\n",
                    FamilyStatements(family, dialect), "\"\"\"\n");
  }
  return toml;
}

}  // namespace rewrought::pipeline

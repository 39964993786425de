#include "emitter/entry_rule.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/term_order.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_lexer.h"
#include "ir/text/rule_text.h"
#include "machine/legality.h"

namespace rewrought::emitter {
namespace {

constexpr absl::string_view kUsedOnce = "is_used_once";

uint8_t FlagOf(absl::string_view name) {
  return name == "nsz" ? ir::kNoSignedZero : name == "nnan" ? ir::kNoNan : name == "ninf" ? ir::kNoInf : 0;
}

bool Has(const ir::Node& node, absl::string_view predicate) {
  return std::find(node.predicates.begin(), node.predicates.end(), predicate) != node.predicates.end();
}

// Returns the node that a precondition names, or null.
ir::Node* FindNode(ir::Term* search, const std::string& name) {
  const std::vector<ir::NodeIndex> order = ir::ValuesInPrefixOrder(*search);
  uint32_t number;
  if (name.size() > 1 && name[0] == 'n' && absl::SimpleAtoi(name.substr(1), &number)) {
    return number < order.size() ? &search->nodes[order[number]] : nullptr;
  }
  for (const ir::NodeIndex index : order) {
    ir::Node& node = search->nodes[index];
    if (node.kind == ir::NodeKind::kVariable && node.name == name) return &node;
  }
  return nullptr;
}

int UsesOf(const ir::Term& term, const ir::Node* node) {
  int uses = 0;
  for (const ir::Node& user : term.nodes) {
    for (const ir::Source& source : user.sources) uses += &term.nodes[source.node] == node ? 1 : 0;
  }
  return uses;
}

void AddPredicate(absl::string_view predicate, ir::Node* node) {
  node->predicates.emplace_back(predicate);
  std::sort(node->predicates.begin(), node->predicates.end());
}

absl::Status ApplyPrecondition(const v1::Generalisation::Precondition& wanted, ir::Term* search) {
  const std::string name = absl::CHexEscape(absl::StrCat(wanted.node(), ":", wanted.predicate()));
  ir::Node* const node = FindNode(search, wanted.node());
  if (node == nullptr)
    return absl::FailedPreconditionError(absl::StrCat("precondition ", name, " does not name a value"));
  if (const uint8_t flag = FlagOf(wanted.predicate()); flag != 0) {
    if (node->flags & flag) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("precondition ", name, " is not in the rule's text"));
  }
  if (Has(*node, wanted.predicate())) return absl::OkStatus();
  const bool is_root = node == &search->nodes[search->root];
  if (wanted.predicate() == ir::kNotOnlyUsedByFadd && is_root) {
    AddPredicate(wanted.predicate(), node);
    return absl::OkStatus();
  }
  if (wanted.predicate() != kUsedOnce) {
    const bool exists = ir::FindPredicate(wanted.predicate()) != nullptr;
    return absl::FailedPreconditionError(absl::StrCat(
        "precondition ", name, exists ? " is not in the rule's text" : " has no equivalent predicate in Mesa"));
  }
  if (node->kind != ir::NodeKind::kOp || is_root) {
    return absl::FailedPreconditionError(absl::StrCat("precondition ", name, " requires an inner op"));
  }
  if (UsesOf(*search, node) != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("precondition ", name, ": the search itself uses that value more than once"));
  }
  AddPredicate(wanted.predicate(), node);
  return absl::OkStatus();
}

// Parses the entry's texts, without the preconditions that its sites require.
absl::StatusOr<EntryRule> ParseTexts(const v1::RewriteRule& rule) {
  EntryRule entry;
  if (rule.replace().empty() == rule.program().empty()) {
    return absl::InvalidArgumentError("a rule must have either a replacement or a program");
  }
  // The program is parsed separately, so a literal takes its place.
  std::string text = absl::StrCat("(", rule.search(), ", ", rule.program().empty() ? rule.replace() : "0");
  if (!rule.condition().empty()) absl::StrAppend(&text, ", ", ir::QuoteString(rule.condition()));
  absl::StatusOr<ir::Rule> parsed = ir::ParseRule(absl::StrCat(text, ")"));
  if (!parsed.ok()) return parsed.status();
  entry.rule = *std::move(parsed);
  if (rule.program().empty()) return entry;
  entry.rule.replace = ir::Term();
  const auto machine = machine::FindMachine(rule.machine());
  if (!machine.ok()) return machine.status();
  entry.machine = *machine;
  absl::StatusOr<machine::Program> program = machine::ParseProgram(**machine, rule.program());
  if (!program.ok()) return program.status();
  if (absl::Status legal = machine::CheckLegal(**machine, *program); !legal.ok()) return legal;
  entry.program = *std::move(program);
  return entry;
}

}  // namespace

absl::StatusOr<EntryRule> ParseEntry(const v1::RewriteRule& rule) {
  absl::StatusOr<EntryRule> entry = ParseTexts(rule);
  if (!entry.ok()) return entry;
  for (const auto& precondition : rule.generalisation().preconditions()) {
    absl::Status status = ApplyPrecondition(precondition, &entry->rule.search);
    if (!status.ok()) return status;
  }
  return entry;
}

absl::StatusOr<std::string> CanonicalText(const v1::RewriteRule& rule) {
  const absl::StatusOr<EntryRule> entry = ParseTexts(rule);
  if (!entry.ok()) return entry.status();
  if (!entry->program.has_value()) return ir::PrintRule(entry->rule);
  std::string text = absl::StrCat("(", ir::PrintTerm(entry->rule.search), ", ",
                                  machine::PrintProgram(*entry->machine, *entry->program));
  if (!rule.condition().empty()) absl::StrAppend(&text, ", ", ir::QuoteString(rule.condition()));
  return absl::StrCat(text, ")");
}

std::vector<std::string> Wishes(const v1::RewriteRule& rule) {
  std::vector<std::string> wishes;
  for (const auto& precondition : rule.generalisation().preconditions()) {
    if (FlagOf(precondition.predicate()) != 0 || ir::FindPredicate(precondition.predicate()) != nullptr) continue;
    wishes.push_back(precondition.predicate());
  }
  return wishes;
}

}  // namespace rewrought::emitter

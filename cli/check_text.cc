#include "cli/check_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/match/matcher_model.h"
#include "ir/op_table.h"
#include "ir/term_order.h"
#include "proto/names.h"
#include "verifier/message/witness_text.h"

namespace rewrought::cli {
namespace {

using v1::NameOf;
using Type = verifier::ValueType;

constexpr uint32_t kUsualWidth = 32;  // a counterexample at this width is preferred

struct Group {
  std::vector<uint32_t> widths;
  int cases = 0;
};
using GroupKey = std::tuple<v1::Verdict, v1::DenormMode, std::string>;  // the string is the verdict's reason

void AppendGroups(const v1::RuleVerdict& verdict, std::string* text) {
  std::map<GroupKey, Group> groups;
  std::map<std::pair<v1::DenormMode, uint32_t>, int> cases_at;
  std::vector<GroupKey> order;
  for (const v1::CaseVerdict& one : verdict.cases()) {
    const GroupKey key(one.verdict(), one.mode(), one.reason());
    Group& group = groups[key];
    if (group.cases++ == 0) order.push_back(key);
    if (group.widths.empty() || group.widths.back() != one.width()) group.widths.push_back(one.width());
    ++cases_at[{one.mode(), one.width()}];
  }
  for (const GroupKey& key : order) {
    const auto& [word, mode, reason] = key;
    const Group& group = groups[key];
    int all = 0;
    for (const uint32_t width : group.widths) all += cases_at[{mode, width}];
    const bool differs = verdict.verdict() == v1::VERDICT_INEXACT && word == v1::VERDICT_REFUTED;
    absl::StrAppend(text, "  ", differs ? "not equal bit for bit" : NameOf(word), " at ",
                    absl::StrJoin(group.widths, ", "), group.widths == std::vector<uint32_t>{1} ? " bit" : " bits");
    if (mode != v1::DENORM_MODE_NONE) absl::StrAppend(text, " in mode ", NameOf(mode));
    if (group.cases < all) absl::StrAppend(text, ", ", group.cases, " of ", all, " combinations of sizes");
    absl::StrAppend(text, reason.empty() ? "" : ": ", reason, "\n");
  }
}

// Returns the result type of the op if `node` is text such as "n1 = fadd n0, a", or the type of the variable if `node`
// is a variable name.
Type TypeOfNode(const std::string& node, const std::map<std::string, Type>& types) {
  const std::vector<std::string> words = absl::StrSplit(node, ' ');
  if (words.size() > 2) {
    const ir::OpRow* op = ir::FindOp(words[2]);
    return op == nullptr ? std::nullopt : Type(op->result.base);
  }
  const auto found = types.find(node);
  return found == types.end() ? std::nullopt : found->second;
}

// Explains the inputs of a counterexample that the rule does not name.
void AppendHiddenInputs(const v1::Witness& witness, std::string* text) {
  bool zeros = false, flags = false;
  for (const auto& [name, value] : witness.vars()) {
    zeros = zeros || verifier::IsZeroSign(name);
    flags = flags || (ir::IsRootFlagInput(name) && !verifier::IsUnsetFlag(name, value));
  }
  if (zeros) {
    absl::StrAppend(
        text,
        "    note: zero literal N is number N of the search's literals 0.0 and -0.0, counting from 0. Mesa's matcher "
        "lets it match either zero;\n          with --literals exact, it matches only itself\n");
  }
  if (flags) {
    absl::StrAppend(text,
                    "    note: a root flag is a flag of the matched instruction that the rule does not name. The "
                    "replacement inherits it\n");
  }
}

void AppendWitness(const v1::CaseVerdict& one, const ir::Rule& rule, std::string* text) {
  const v1::Witness& witness = one.witness();
  const std::map<std::string, Type> types = verifier::TypesByName(rule);
  const auto type_of = [&](const std::string& name) {
    const auto found = types.find(name);
    return found == types.end() ? std::nullopt : found->second;
  };
  absl::StrAppend(text, "  counterexample at ", one.width(), one.width() == 1 ? " bit" : " bits");
  if (one.mode() != v1::DENORM_MODE_NONE) absl::StrAppend(text, ", mode ", NameOf(one.mode()));
  absl::StrAppend(text, ":\n");
  for (const auto& [name, value] : std::map<std::string, std::string>(witness.vars().begin(), witness.vars().end())) {
    if (verifier::IsUnsetFlag(name, value)) continue;
    absl::StrAppendFormat(text, "    %-13s = %s\n", verifier::InputLabel(name, one.width()),
                          verifier::InputText(name, value, type_of(name)));
  }
  std::vector<std::string> allowed(witness.search().begin(), witness.search().end());
  for (std::string& result : allowed) result = verifier::SpellComponents(result, type_of("root"));
  absl::StrAppendFormat(text, "    %-13s = %s%s\n", allowed.size() > 1 ? "search may be" : "search",
                        absl::StrJoin(allowed, " or "), witness.search_incomplete() ? " or more" : "");
  absl::StrAppendFormat(text, "    %-13s = %s\n", "replace",
                        verifier::SpellComponents(witness.replace(), type_of("root")));
  AppendHiddenInputs(witness, text);
  for (const v1::ExplainedNode& node : one.explain()) {
    absl::StrAppendFormat(text, "      %-7s  %-40s %s\n", node.side(), node.node(),
                          verifier::SpellComponents(absl::StrJoin(node.values(), ","), TypeOfNode(node.node(), types)));
  }
}

void AppendAccuracy(const v1::InexactStatement& inexact, std::string* text) {
  absl::StrAppend(text, "  accuracy: ", absl::StrReplaceAll(v1::NameOf(inexact.accuracy_class()), {{"_", " "}}), "\n");
  bool explained = inexact.growth_unknown().empty();
  const auto growth = [&](const char* reading, bool shown, double factor) {
    absl::StrAppend(text, "    ", reading,
                    shown       ? absl::StrFormat(", the error bound grows at most %.3g times", factor)
                    : explained ? ", no bound was proved"
                                : absl::StrCat(", no bound was proved: ", inexact.growth_unknown()),
                    "\n");
    explained = explained || !shown;
  };
  growth("as written", inexact.has_growth_as_written(), inexact.growth_as_written());
  growth("fused by the driver", inexact.has_growth_fused(), inexact.growth_fused());
  if (!inexact.hardest_input().empty()) absl::StrAppend(text, "    worst input found: ", inexact.hardest_input(), "\n");
}

void AppendInexact(const v1::InexactStatement& inexact, std::string* text) {
  absl::StrAppend(text, "  over the reals ", inexact.reason(), "\n");
  if (!inexact.has_ulp_worst_before() || !inexact.has_ulp_worst_after()) return;
  absl::StrAppendFormat(text, "  error before and after, in ULP: worst %g and %g, typical %g and %g\n",
                        inexact.ulp_worst_before(), inexact.ulp_worst_after(), inexact.ulp_typical_before(),
                        inexact.ulp_typical_after());
  AppendAccuracy(inexact, text);
}

// Formats an assumption. For "n1:nsz", returns "'fsub(nsz)'", followed by the op's number if the search side contains
// this op several times. For "a:is_finite", returns "'a(is_finite)'".
std::string AssumptionText(const std::string& assumption, const ir::Rule& rule) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(assumption, absl::MaxSplits(':', 1));
  const auto& [name, mark] = parts;
  const std::vector<ir::NodeIndex> ops =
      rule.search.nodes.empty() ? std::vector<ir::NodeIndex>() : ir::OpsInPrefixOrder(rule.search);
  size_t number = 0;
  if (name[0] != 'n' || !absl::SimpleAtoi(name.substr(1), &number) || number >= ops.size()) {
    return absl::StrCat("'", name, "(", mark, ")'");
  }
  const auto op_at = [&](ir::NodeIndex node) { return rule.search.at(node).op; };
  const bool alone =
      std::count_if(ops.begin(), ops.end(), [&](ir::NodeIndex node) { return op_at(node) == op_at(ops[number]); }) == 1;
  return absl::StrCat("'", op_at(ops[number])->name, "(", mark, ")'",
                      alone ? "" : absl::StrCat(" at op ", number + 1, " of the search"));
}

}  // namespace

std::string CheckText(const v1::RuleVerdict& verdict, const ir::Rule& rule, const std::string& place,
                      std::set<v1::DenormMode>* modes) {
  std::string text =
      absl::StrCat(place, place.empty() ? "" : ": ", NameOf(verdict.verdict()), "  ", verdict.rule(), "\n");
  for (const v1::CaseVerdict& one : verdict.cases()) modes->insert(one.mode());
  AppendGroups(verdict, &text);
  if (verdict.verdict() == v1::VERDICT_UNSUPPORTED && verdict.cases().empty()) {
    absl::StrAppend(&text, "  no combination of sizes has a width that --widths lists\n");
  }
  const v1::CaseVerdict* shown = nullptr;
  for (const v1::CaseVerdict& one : verdict.cases()) {
    if (one.has_witness() && (shown == nullptr || (one.width() == kUsualWidth && shown->width() != kUsualWidth))) {
      shown = &one;
    }
  }
  if (shown != nullptr) AppendWitness(*shown, rule, &text);
  for (const std::string& assumed : verdict.assumes()) absl::StrAppend(&text, "  assumes that ", assumed, "\n");
  if (verdict.has_inexact()) AppendInexact(verdict.inexact(), &text);
  for (const v1::AssumptionSet& alternative : verdict.weakest()) {
    absl::StrAppend(&text, "  holds with ",
                    absl::StrJoin(alternative.assumptions(), " and ",
                                  [&](std::string* out, const std::string& one) {
                                    absl::StrAppend(out, AssumptionText(one, rule));
                                  }),
                    "\n");
  }
  return text;
}

std::string ErrorText(const v1::RuleVerdict& verdict, const std::string& name) {
  return absl::StrCat(name, ":", verdict.line(), ":", verdict.error().column(), ": error: ", verdict.error().message(),
                      "\n    ", verdict.rule(), "\n");
}

std::string ModeNotes(const std::set<v1::DenormMode>& modes) {
  std::string text;
  for (const auto& [mode, note] : {std::pair(v1::DENORM_MODE_ANY, "denormals may or may not be flushed to zero"),
                                   std::pair(v1::DENORM_MODE_PRESERVE, "denormals are preserved"),
                                   std::pair(v1::DENORM_MODE_FLUSH, "denormals are flushed to zero")}) {
    if (modes.contains(mode)) absl::StrAppend(&text, "mode ", NameOf(mode), ": ", note, "\n");
  }
  return text;
}

}  // namespace rewrought::cli

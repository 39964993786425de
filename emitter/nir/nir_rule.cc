#include "emitter/nir/nir_rule.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "emitter/entry_rule.h"
#include "emitter/nir/nir_text.h"
#include "emitter/proved_cases.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/match/matcher_model.h"
#include "ir/match/relation.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "ir/text/generic_ops.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_lexer.h"
#include "ir/text/rule_text.h"
#include "rules/positions.h"

namespace rewrought::emitter {
namespace {

absl::Status Blocked(absl::string_view what) { return absl::FailedPreconditionError(what); }

int FreeBits(const ir::Term& term, const ir::Node& node) {
  if (node.op->result.bits == 0) return node.bits;
  for (size_t i = 0; i < node.sources.size(); ++i) {
    if (node.op->sources[i].bits == 0) return term.nodes[node.sources[i].node].bits;
  }
  return 0;
}

// Returns the condition under which a rule may create a 64-bit op. If a driver lowers 64-bit arithmetic, rules that run
// after the lowering must not create 64-bit ops other than packing, moves, and selects.
std::string WideGuard(const ir::Node& node, int bits) {
  if (bits != 64 || (node.op->properties & ir::kIsSelection) || node.op->name == "mov") return "";
  const bool is_float = node.op->contract != ir::Contract::kBits;
  return is_float ? "!options->lower_doubles_options" : "!options->lower_int64_options";
}

// C conditions for the stages of rules::ComputesPositions and for all other stages.
constexpr char kPositions[] = "info->stage == MESA_SHADER_VERTEX || info->stage == MESA_SHADER_GEOMETRY";
constexpr char kNoPositions[] = "info->stage != MESA_SHADER_VERTEX && info->stage != MESA_SHADER_GEOMETRY";

// Adds a predicate to the root. Returns nullopt if the root has a predicate, because Mesa allows only one, or if the
// target lacks the predicate.
std::optional<ir::Rule> WithRootPredicate(const ir::Rule& rule, absl::string_view predicate, const NirTarget& target) {
  const std::vector<std::string>& present = rule.search.nodes[rule.search.root].predicates;
  if (!target.HasPredicate(predicate) || std::any_of(present.begin(), present.end(), &ir::FindPredicate))
    return std::nullopt;
  ir::Rule with = rule;
  with.search.nodes[with.search.root].predicates.emplace_back(predicate);
  return with;
}

// Returns the tuple of `rule` for `target`. Sizes are open if `sizes` is null; otherwise, `written` determines which of
// them are written.
absl::StatusOr<NirRule> Spell(const ir::Rule& rule, const ir::SizeAssignment* sizes, const NirTarget& target,
                              NirSizes written = NirSizes::kComplete) {
  NirRule spelled;
  auto search =
      NirText(rule.search, NirSide::kSearch, target, sizes == nullptr ? nullptr : &sizes->search_bits, written);
  if (!search.ok()) return search.status();
  auto replace =
      NirText(rule.replace, NirSide::kReplace, target, sizes == nullptr ? nullptr : &sizes->replace_bits, written);
  if (!replace.ok()) return replace.status();
  spelled.search = *std::move(search);
  spelled.replace = *std::move(replace);
  return spelled;
}

// Returns the text of both sides at `sizes`, without the marks that depend on how a zero is written.
std::string AtSizes(const ir::Rule& rule, const ir::SizeAssignment& sizes) {
  const auto at = ir::Instantiate(rule, sizes);
  if (!at.ok()) return std::string(at.status().message());
  return absl::StrCat(ir::PrintTerm(at->search), ", ", ir::PrintTerm(at->replace));
}

// Checks that `spelled`, parsed again, equals `rule` at `cases` and matches at no other sizes.
absl::Status CheckSpelling(const ir::Rule& rule, const std::vector<const ir::SizeAssignment*>& cases, bool open,
                           const NirRule& spelled) {
  const auto read = ir::ParseRule(PythonTuple(spelled));
  if (!read.ok())
    return absl::InternalError(absl::StrCat("the written tuple does not parse: ", read.status().message()));
  if (const absl::Status vectors = ir::CheckVectorRoot(*read); !vectors.ok()) return Blocked(vectors.message());
  // Mesa infers sizes without using the replacement.
  const auto sizes = ir::EnumerateSizes(*read, {.replacement_may_narrow = false});
  if (!sizes.ok()) return Blocked(absl::StrCat("Mesa rejects its sizes: ", sizes.status().message()));
  if (!open && sizes->size() != cases.size()) {
    return Blocked(absl::StrCat("the pinned sizes still allow ", sizes->size(), " cases"));
  }
  for (const ir::SizeAssignment* wanted : cases) {
    const std::string text = AtSizes(rule, *wanted);
    const bool found = std::any_of(sizes->begin(), sizes->end(), [&](const ir::SizeAssignment& other) {
      return other.names == wanted->names && AtSizes(*read, other) == text;
    });
    if (!found) return Blocked(absl::StrCat("the written tuple parses as a different rule at ", SizesText(*wanted)));
  }
  return absl::OkStatus();
}

// Returns whether the target uses a different row for an op of `term`. That row may accept more sizes than the proofs
// cover.
bool HasOtherRow(const ir::Term& term, const NirTarget& target) {
  return target.dialect() == ir::Dialect::kNir26 &&
         std::any_of(term.nodes.begin(), term.nodes.end(), [](const ir::Node& node) {
           return node.kind == ir::NodeKind::kOp && &ir::RowIn26(*node.op) != node.op;
         });
}

// The sizes at which the rule is proved and drivers accept its ops, each with its condition.
struct Cases {
  std::vector<const ir::SizeAssignment*> sizes;
  std::vector<std::string> conditions;
  bool open = true;  // The rule holds at all sizes that typing allows, under one condition.
};

absl::StatusOr<Cases> CasesFor(const ir::Rule& rule, const ProvedCases& proved, const NirTarget& target,
                               absl::string_view machine, std::vector<std::string>* notes) {
  Cases cases;
  for (const ProvedCase& one : proved.cases) {
    const auto at_sizes = ir::Instantiate(rule, one.sizes);
    if (!at_sizes.ok()) return at_sizes.status();
    const absl::StatusOr<std::string> guards = ConditionOfNewOps(*at_sizes, target, machine, /*after_lowering=*/true);
    if (!guards.ok()) {
      notes->push_back(absl::StrCat("not at ", SizesText(one.sizes), ": ", guards.status().message()));
      continue;
    }
    cases.sizes.push_back(&one.sizes);
    cases.conditions.push_back(BothConditions(BothConditions(rule.condition, one.condition), *guards));
    cases.open = cases.open && LiteralsFit(rule.search, one.sizes.search_bits) &&
                 cases.conditions.back() == cases.conditions.front();
  }
  if (cases.sizes.empty()) return Blocked(absl::StrJoin(*notes, "; "));
  cases.open = cases.open && proved.all && cases.sizes.size() == proved.cases.size() &&
               !HasOtherRow(rule.search, target) && !HasOtherRow(rule.replace, target);
  return cases;
}

std::set<std::string> HelpersOf(const ir::Term& search, const NirTarget& target) {
  std::set<std::string> helpers;
  for (const ir::Node& node : search.nodes) {
    for (const std::string& predicate : node.predicates) {
      const ir::PredicateInfo* const info = ir::FindPredicate(predicate);
      if (info == nullptr || info->brought_by.empty() || target.Defines(predicate)) continue;
      helpers.insert({target.c_names(), std::string(info->brought_by)});
    }
  }
  return helpers;
}

// Returns the only size assignment of a rule whose search side implies all sizes, or nullopt.
std::optional<ir::SizeAssignment> OnlySizes(const absl::StatusOr<ir::Rule>& rule, ir::SizeOptions options = {}) {
  if (!rule.ok()) return std::nullopt;
  options.replacement_may_narrow = false;
  auto sizes = ir::EnumerateSizes(*rule, options);
  if (!sizes.ok() || sizes->size() != 1) return std::nullopt;
  return std::move(sizes->front());
}

// Returns the tuple of `rule` at `sizes` as people write it: variables are named in order, literals are numbers, and a
// size is written only if the rest does not imply it. Returns nullopt if Mesa would read the tuple differently. The
// ops of the target may accept other sizes.
std::optional<NirRule> NaturalTuple(const ir::Rule& rule, const ir::SizeAssignment& sizes, const NirTarget& target) {
  absl::StatusOr<ir::Rule> sized = ir::Instantiate(rule, sizes);
  if (!sized.ok()) return std::nullopt;
  ir::RenameInOrder(&*sized);
  const absl::StatusOr<ir::Rule> natural = ir::ParseRule(ir::DisplayRule(*sized));
  const std::optional<ir::SizeAssignment> own = OnlySizes(sized), implied = OnlySizes(natural);
  if (!own.has_value() || !implied.has_value()) return std::nullopt;
  absl::StatusOr<NirRule> spelled = Spell(*natural, &*implied, target, NirSizes::kStated);
  if (!spelled.ok() || !CheckSpelling(*sized, {&*own}, false, *spelled).ok()) return std::nullopt;
  const std::optional<ir::SizeAssignment> in_target =
      OnlySizes(ir::ParseRule(PythonTuple(*spelled), 1, nullptr, ir::ResolverOf(target.dialect())),
                ir::SizeOptionsIn(target.dialect()));
  if (!in_target.has_value() || in_target->names != own->names) return std::nullopt;
  return *std::move(spelled);
}

// Adds `rule` to `rules`, once with open sizes if that is equivalent, or else once per case. `form` contains the common
// fields; its condition is added to each case's condition.
absl::Status AddForm(const ir::Rule& rule, const Cases& cases, const NirRule& form, const NirTarget& target,
                     std::vector<NirRule>* rules) {
  const auto complete = [&](NirRule* spelled, const std::string& condition) {
    spelled->condition = BothConditions(condition, form.condition);
    spelled->late = form.late;
    spelled->makes_late = form.makes_late;
    spelled->second = form.second;
    spelled->positions = form.positions;
    spelled->helpers = HelpersOf(rule.search, target);
  };
  if (cases.open && cases.sizes.size() > 1) {
    absl::StatusOr<NirRule> open = Spell(rule, nullptr, target);
    if (!open.ok()) return open.status();
    // Otherwise, the sizes are pinned below.
    if (CheckSpelling(rule, cases.sizes, true, *open).ok()) {
      complete(&*open, cases.conditions[0]);
      rules->push_back(*std::move(open));
      return absl::OkStatus();
    }
  }
  for (size_t i = 0; i < cases.sizes.size(); ++i) {
    absl::StatusOr<NirRule> pinned = Spell(rule, cases.sizes[i], target);
    if (!pinned.ok()) return pinned.status();
    if (absl::Status status = CheckSpelling(rule, {cases.sizes[i]}, false, *pinned); !status.ok()) return status;
    NirRule spelled = NaturalTuple(rule, *cases.sizes[i], target).value_or(*std::move(pinned));
    complete(&spelled, cases.conditions[i]);
    rules->push_back(std::move(spelled));
  }
  return absl::OkStatus();
}

}  // namespace

bool AvoidsPositions(const v1::PackEntry& entry, const ir::Rule& rule) {
  return entry.rule().rule_class() == v1::RULE_CLASS_INEXACT && !entry.all_stages() &&
         rules::DependsOnOtherUsers(rule.search);
}

bool MatchesLate(const ir::Rule& rule, const NirTarget& target) {
  const std::set<std::string> matched = ir::OpNames(rule.search);
  return std::any_of(matched.begin(), matched.end(),
                     [&](const std::string& op) { return target.IsLate(op) && op != "ffma"; });
}

bool MakesLate(const ir::Rule& rule, const NirTarget& target) {
  const std::set<std::string> made = ir::OpNames(rule.replace), matched = ir::OpNames(rule.search);
  return std::any_of(made.begin(), made.end(),
                     [&](const std::string& op) { return target.IsLate(op) && !matched.contains(op); });
}

absl::StatusOr<std::string> ConditionOfNewOps(const ir::Rule& at_sizes, const NirTarget& target,
                                              absl::string_view machine, bool after_lowering) {
  std::set<std::pair<std::string, int>> present;
  for (const ir::Node& node : at_sizes.search.nodes) {
    if (node.kind == ir::NodeKind::kOp) present.insert({node.op->name, FreeBits(at_sizes.search, node)});
  }
  std::string condition;
  for (const ir::Node& node : at_sizes.replace.nodes) {
    if (node.kind != ir::NodeKind::kOp) continue;
    const int bits = FreeBits(at_sizes.replace, node);
    if (present.contains({node.op->name, bits})) continue;
    const OpGuard guard = target.GuardOf(node.op->name, bits, machine);
    if (!guard.known) return Blocked(guard.condition);
    for (const std::string& text : {guard.condition, after_lowering ? WideGuard(node, bits) : ""}) {
      if (condition.find(text) == std::string::npos) condition = BothConditions(condition, text);
    }
  }
  return condition;
}

std::string PythonTuple(const NirRule& rule) {
  return absl::StrCat("(", rule.search, ", ", rule.replace,
                      rule.condition.empty() ? "" : absl::StrCat(", ", ir::QuoteString(rule.condition)), ")");
}

absl::Status CheckCondition(absl::string_view condition, const NirTarget& target) {
  constexpr absl::string_view kAllowed = "_ ()!&|<>=-+*/%?:,~^";
  for (const char c : condition) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || kAllowed.find(c) != absl::string_view::npos) continue;
    return Blocked(
        absl::StrCat("the condition contains the character '", absl::CHexEscape(absl::string_view(&c, 1)), "'"));
  }
  if (condition.find("/*") != absl::string_view::npos || condition.find("//") != absl::string_view::npos) {
    return Blocked("the condition contains a comment");
  }
  for (const std::string& field : OptionFields(condition)) {
    if (!target.HasOption(field)) return Blocked(absl::StrCat(target.name(), " has no option ", field));
  }
  return absl::OkStatus();
}

absl::StatusOr<NirRules> ExpandForNir(const v1::PackEntry& entry, const NirTarget& target, absl::string_view machine) {
  const absl::StatusOr<EntryRule> parsed = ParseEntry(entry.rule());
  if (!parsed.ok()) return parsed.status();
  if (parsed->program.has_value()) return Blocked("its right side is a program, not NIR");
  const ir::Rule& rule = parsed->rule;
  if (ir::HasRelation(rule.search)) {
    return Blocked(
        "Mesa's tuples cannot relate two constants (`where`); use a program for the right side, or export without "
        "nir");
  }
  absl::Status status = CheckNirSearch(rule.search, entry.rule().rule_class() == v1::RULE_CLASS_INEXACT);
  if (status.ok()) status = CheckCondition(rule.condition, target);
  if (!status.ok()) return status;
  const absl::StatusOr<ProvedCases> proved = FindProvedCases(rule, entry);
  if (!proved.ok()) return proved.status();

  NirRules result;
  for (const std::string& sizes : proved->left_out) result.notes.push_back(absl::StrCat("not proved at ", sizes));
  absl::StatusOr<Cases> cases = CasesFor(rule, *proved, target, machine, &result.notes);
  if (!cases.ok()) return cases.status();
  NirRule form;
  form.late = entry.late() || MatchesLate(rule, target);
  form.makes_late = MakesLate(rule, target);
  form.second = entry.second_pass();
  std::optional<ir::Rule> other;
  if (AvoidsPositions(entry, rule)) {
    other = WithRootPredicate(rule, ir::kNotUsedForPosition, target);
    if (!other.has_value()) form.condition = kNoPositions;
  }
  const bool alone = entry.places().empty() && !entry.position_places().empty();
  if (!alone) status = AddForm(other.value_or(rule), *cases, form, target, &result.rules);
  if (!status.ok()) return status;
  if (!entry.for_positions()) return result;
  form.second = form.positions = true;
  form.condition = kPositions;
  const ir::Rule for_positions = rules::FormForPositions(rule);
  const std::optional<ir::Rule> asked = WithRootPredicate(for_positions, ir::kUsedForPosition, target);
  status = AddForm(asked.value_or(for_positions), *cases, form, target, &result.rules);
  if (!status.ok()) return status;
  return result;
}

}  // namespace rewrought::emitter

#include "audit/question.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "audit/rule_reading.h"
#include "audit/suggested_fix.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/digest.h"
#include "ir/float_contract.h"
#include "ir/semantics.h"
#include "proto/names.h"
#include "verifier/budget.h"
#include "verifier/cache/unsat_digests.h"
#include "verifier/entry_check.h"
#include "verifier/inexact/inexact.h"
#include "verifier/message/verdict_json.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// Increment this version when the meaning of verdicts changes, to invalidate cached verdicts.
constexpr char kAuditVersion[] = "audit-4";

std::string ModesText(const verifier::RuleCheckOptions& check) {
  std::vector<std::string> modes;
  for (const ir::DenormMode mode : check.modes) modes.emplace_back(ir::NameOf(mode));
  for (const auto& [bits, mode] : check.certain_modes) modes.push_back(absl::StrCat(ir::NameOf(mode), " at ", bits));
  return absl::StrCat(absl::StrJoin(modes, ","), " ", absl::StrJoin(check.widths, ","),
                      check.literals_exact ? " exact" : "", check.inherit_flags ? "" : " flags not inherited");
}

// Returns the rule as a tuple with current op names. Removes syntax that Mesa ignores but our grammar rejects.
std::string ReadableText(const MesaRule& rule, std::vector<std::string>* notes) {
  // Mesa accepts `~` on the right side but ignores it (nir_search.c checks only the search side).
  const std::string replace = absl::StrReplaceAll(rule.replace, {{"('~", "('"}});
  if (replace != rule.replace) notes->push_back("~ on the replacement has no effect");
  const std::string text = absl::StrCat("(", rule.search, ", ", replace, ")");
  const std::string today = WithTodaysOps(text);
  if (today != text) notes->push_back("old op names are replaced with current ones");
  return today;
}

// Parses question->text into question->entry.
void ParseText(Question* question) {
  std::vector<ir::RuleEntry> entries = ir::ParseRules(question->text, ir::ResolverOf(question->check.dialect));
  if (entries.size() == 1) question->entry = std::move(entries[0]);
  if (entries.size() != 1) question->entry.rule = absl::InvalidArgumentError("expected exactly one rule");
}

// `version` identifies how the rule is interpreted.
std::string KeyOf(const Question& question, absl::string_view version, const std::string& limits) {
  // PrintRule truncates a rule that exceeds its limit.
  const bool is_whole = !question.verified_as.empty() && !absl::EndsWith(question.verified_as, "...");
  return ir::Sha256Hex(absl::StrCat(version, "\n", ir::SemanticsDigestIn(question.check.dialect), "\n",
                                    question.entry.error.message, "\n", question.verified_as,
                                    is_whole ? "" : question.text, "\n", ModesText(question.check), "\n", limits,
                                    IsInexact(question.entry) ? verifier::kInexactVersion : ""));
}

bool HoldsWithoutMediumPrecision(const Question& question, const verifier::Prover& prover) {
  const std::optional<verifier::CheckedEntry> checked = CheckWithoutMediumPrecision(question, prover);
  return checked.has_value() && checked->error.empty() &&
         (checked->verdict.verdict == v1::VERDICT_PROVED || checked->IsInexact());
}

// Returns the JSON object of AnswerOf without "unsat".
Json AnswerWithoutQueries(const Question& question, const verifier::Prover& prover) {
  const verifier::CheckedEntry checked = verifier::CheckEntry(question.entry, prover, question.check, nullptr);
  Json answer = verifier::ToJson(verifier::RuleProto(checked, "", {.explain = true}));
  if (!checked.error.empty() && MatchesNothing(WithTodaysOps(question.search))) answer["matches_nothing"] = true;
  if (checked.error.empty() && checked.verdict.verdict == v1::VERDICT_REFUTED && !checked.IsInexact() &&
      HoldsWithoutMediumPrecision(question, prover)) {
    answer["verdict"] = "inexact";
    answer["medium_precision"] = true;
  }
  return answer;
}

}  // namespace

std::optional<verifier::CheckedEntry> CheckWithoutMediumPrecision(const Question& question,
                                                                  const verifier::Prover& prover) {
  std::optional<ir::Rule> plain = WithoutMediumPrecision(*question.entry.rule);
  if (!plain.has_value()) return std::nullopt;
  ir::RuleEntry entry = question.entry;
  entry.rule = *std::move(plain);
  return verifier::CheckEntry(entry, prover, question.check, nullptr);
}

bool IsInexact(const ir::RuleEntry& entry) { return entry.rule.ok() && verifier::IsMarkedInexact(entry.rule->search); }

std::unique_ptr<Question> MakeQuestion(const MesaRule& rule, const SourceSizes& sizes,
                                       const verifier::RuleCheckOptions& options, const std::string& limits) {
  auto question = std::make_unique<Question>();
  question->check = options;
  question->check.index_in_range = true;
  question->check.spare_after_refuted = true;
  question->search = rule.search;
  std::vector<std::string> notes, dropped, later;
  question->text = ReadableText(rule, &notes);
  question->text = WithoutUnknownPredicates(std::move(question->text), &dropped);
  for (const std::string& name : dropped) notes.push_back(absl::StrCat("ignores the unknown predicate ", name));
  const bool is_26 = options.dialect == ir::Dialect::kNir26;
  if (!is_26) question->text = WithoutLaterPredicates(std::move(question->text), &later);
  for (const std::string& name : later) {
    notes.push_back(absl::StrCat("the predicate of ", name, " is at a later use, where the matcher ignores it"));
  }
  ParseText(question.get());
  const ConditionReading reading = ReadCondition(rule.condition);
  if (question->entry.rule.ok() && reading.only_toward_zero) {
    question->entry.rule =
        absl::UnimplementedError("the condition holds only if the shader rounds toward zero, which is not modeled");
  }
  if (!question->entry.rule.ok()) {
    if (question->entry.error.message.empty())
      question->entry.error.message = std::string(question->entry.rule.status().message());
    if (absl::StrContains(question->text, "'fddx") || absl::StrContains(question->text, "'fddy"))
      notes.push_back("a derivative is not a function of one invocation's values");
  } else {
    if (FixSourceSizes(sizes, &*question->entry.rule)) notes.push_back("source sizes are fixed by this tree's opcodes");
    if (LoosenFloats(reading.loose_sizes, &*question->entry.rule)) {
      question->check.inherit_flags = false;
      notes.push_back("the condition permits nsz, nnan and ninf");
    }
    question->check.certain_modes = reading.modes;
    for (const auto& [bits, mode] : reading.modes)
      notes.push_back(absl::StrCat("the condition holds in mode ", ir::NameOf(mode), " only, at ", bits, " bits"));
    question->verified_as = ir::PrintRule(*question->entry.rule);
    for (const std::string& mark : question->entry.rule->search.root_node().predicates) {
      if (mark == "is_only_used_as_float") notes.push_back("is_only_used_as_float: both sides are read by fneg");
      if (mark == "only_lower_8_bits_used") notes.push_back("only the low 8 bits of the results are compared");
      if (mark == "only_lower_16_bits_used") notes.push_back("only the low 16 bits of the results are compared");
    }
  }
  question->note = absl::StrJoin(notes, "; ");
  question->key = KeyOf(*question, kAuditVersion, limits);
  return question;
}

std::unique_ptr<Question> MakeQuestionAsWritten(std::string text, const verifier::RuleCheckOptions& options,
                                                const std::string& limits) {
  auto question = std::make_unique<Question>();
  question->check = options;
  question->text = std::move(text);
  ParseText(question.get());
  // A machine program is not part of the rule's canonical text.
  if (question->entry.rule.ok() && question->entry.program.empty())
    question->verified_as = ir::PrintRule(*question->entry.rule);
  question->key = KeyOf(*question, absl::StrCat(kAuditVersion, " as written"), limits);
  return question;
}

Json AnswerOf(const Question& question, const verifier::Prover& prover) {
  std::mutex mutex;
  std::set<std::string> unsat;
  const verifier::Solvers& solvers = prover.solvers();
  verifier::UnsatRecorder first(solvers.first(), &mutex, &unsat), confirming(solvers.confirming(), &mutex, &unsat);
  const verifier::Prover recorded(
      {solvers.first() == nullptr ? nullptr : &first, solvers.confirming() == nullptr ? nullptr : &confirming},
      prover.options());
  Json answer = AnswerWithoutQueries(question, recorded);
  answer["unsat"] = unsat;
  return answer;
}

std::string InferenceKey(const Question& question) { return question.key + "+infer-2"; }

Json Infer(const Question& question, const Json& answer, const verifier::Prover& prover) {
  return ClassOf(answer) == v1::VERDICT_PROVED ? WeakerConditions(question.entry, prover, question.check)
                                               : SuggestedFixesOf(question.entry, prover, question.check, answer);
}

v1::Verdict ClassOf(const Json& answer) {
  const std::string verdict = answer.value("verdict", "unsupported");
  if (answer.value("matches_nothing", false)) return v1::VERDICT_VACUOUS;
  if (verdict == "refuted" && answer.contains("inexact")) {
    // A rule that may round differently counts as refuted only if it is also refuted over the reals.
    return answer["inexact"].value("reals", "") == "refuted" ? v1::VERDICT_REFUTED : v1::VERDICT_UNKNOWN;
  }
  const v1::Verdict named = v1::Named<v1::Verdict>(verdict);
  return std::count(std::begin(kAuditClasses), std::end(kAuditClasses), named) > 0 ? named : v1::VERDICT_UNSUPPORTED;
}

bool IsRetryable(const Json& answer) {
  const Json cases = answer.value("cases", Json::array());
  return std::any_of(cases.begin(), cases.end(),
                     [](const Json& one) { return verifier::IsRetryable(one.value("reason", "")); });
}

}  // namespace rewrought::audit

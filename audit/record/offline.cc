#include "audit/record/offline.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "proto/names.h"
#include "verifier/cache/unsat_digests.h"
#include "verifier/deadline.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// The maximum number of bits that are enumerated in place of a solver. An online audit enumerates 20 bits, which can
// exceed the time limit of a rule.
constexpr int kOfflineBits = 16;

std::string VerdictOf(const Json& one) { return one.value("verdict", ""); }

// Returns whether the widest undecided or refuted cases include a refuted one. The class of a rule with `~` depends on
// the reading over the reals at the widest width that is not proved. With a solver, more cases are proved, so this
// width could be smaller if all its cases were undecided.
bool IsRefutedAtWidest(const Json& answer) {
  int widest = 0;
  bool refuted = false;
  for (const Json& one : answer.value("cases", Json::array())) {
    const int width = one.value("width", 0);
    if ((VerdictOf(one) != "refuted" && VerdictOf(one) != "unknown") || width < widest) continue;
    refuted = (width == widest && refuted) || VerdictOf(one) == "refuted";
    widest = width;
  }
  return refuted;
}

// Returns whether the rule is refuted even without medium precision, so that AnswerOf with a solver refutes it, too.
bool IsRefutedWithoutMediumPrecision(const Question& question, const verifier::Prover& prover) {
  const std::optional<verifier::CheckedEntry> checked = CheckWithoutMediumPrecision(question, prover);
  return !checked.has_value() ||
         (checked->error.empty() && checked->verdict.verdict == v1::VERDICT_REFUTED && !checked->IsInexact());
}

// Returns the answer of the prover without solvers. Its field "offline" is "verified" or "missing".
Json VerifyOffline(const Question& question, const TreeVerdicts& verdicts, const verifier::Prover& prover,
                   std::chrono::milliseconds time) {
  verifier::RecordedSolver solver([&](const std::string& digest) { return verdicts.HasQuery(digest); });
  const verifier::Deadline deadline(time, prover.options().cancel);
  verifier::ProverOptions options = prover.options();
  options.cancel = deadline.token();
  options.last_resort_bits = std::min(options.last_resort_bits, kOfflineBits);
  const verifier::Prover limited(&solver, options);
  Json answer = AnswerOf(question, limited);
  v1::Verdict verdict = ClassOf(answer);
  if (verdict == v1::VERDICT_REFUTED && IsInexact(question.entry) &&
      (deadline.token().stop_requested() || !IsRefutedAtWidest(answer))) {
    verdict = v1::VERDICT_UNKNOWN;
  }
  if (verdict == v1::VERDICT_REFUTED && !IsRefutedWithoutMediumPrecision(question, limited))
    verdict = v1::VERDICT_UNKNOWN;
  answer["offline"] = verdict == v1::VERDICT_UNKNOWN ? "missing" : "verified";
  if (verdict == v1::VERDICT_UNKNOWN) answer["verdict"] = NameOf(verdict);
  return answer;
}

}  // namespace

Json AnswerOffline(const Question& question, const TreeVerdicts& verdicts, const verifier::Prover& prover,
                   bool wants_witness, std::chrono::milliseconds time) {
  const v1::Verdict recorded = verdicts.ClassOf(ShortKey(question.key));
  if (recorded == v1::VERDICT_UNSPECIFIED) return VerifyOffline(question, verdicts, prover, time);
  Json answer{{"verdict", NameOf(recorded)}, {"offline", "recorded"}};
  if (recorded != v1::VERDICT_REFUTED || !wants_witness) return answer;
  Json again = VerifyOffline(question, verdicts, prover, time);
  if (ClassOf(again) != v1::VERDICT_REFUTED) return answer;
  again["offline"] = "recorded";
  return again;
}

}  // namespace rewrought::audit

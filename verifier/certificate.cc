#include "verifier/certificate.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "ir/op_table.h"
#include "ir/semantics.h"
#include "ir/smt/smt.h"
#include "proto/names.h"
#include "verifier/budget.h"
#include "verifier/case_split.h"
#include "verifier/mesa/coincidence.h"
#include "verifier/message/copy_text.h"
#include "verifier/vectors.h"

namespace rewrought::verifier {
namespace {

// The maximum total number of bits of the inputs and choices in an exhaustive certificate.
constexpr int kExhaustiveBits = 20;
constexpr int kMostEvaluatedBits = 32;  // for TryAllInputs; takes most of a minute on one core

bool UsesSolver(v1::Tier tier) {
  return tier == v1::TIER_UNINTERPRETED || tier == v1::TIER_NATIVE || tier == v1::TIER_SECOND_SOLVER ||
         tier == v1::TIER_INTEGERS;
}

absl::StatusOr<std::vector<CopyRoots>> MakeCopies(PreparedCase* prepared, const std::vector<std::string>& copies) {
  const ChoiceLiterals known = prepared->LiteralsOf(std::vector<uint64_t>(prepared->search().choices.size()));
  std::vector<CopyRoots> roots;
  for (const std::string& text : copies) {
    absl::StatusOr<SearchCopyText> copy = ParseCopy(text);
    if (!copy.ok()) return copy.status();
    for (const auto& [name, value] : copy->literals) {
      if (!known.contains(name))
        return absl::InvalidArgumentError(absl::StrCat("the search side makes no choice ", name));
    }
    absl::StatusOr<CopyRoots> root = prepared->SearchCopy(copy->literals, copy->policy);
    if (!root.ok()) return root.status();
    roots.push_back(*std::move(root));
  }
  return roots;
}

Query StateCopies(const PreparedCase& prepared, const std::vector<CopyRoots>& copies, v1::Tier tier) {
  if (tier == v1::TIER_INTEGERS) return StateIntegerQuery(prepared, copies);
  const bool native = tier == v1::TIER_SECOND_SOLVER || (tier == v1::TIER_NATIVE && NeedsFloatTheory(prepared.dag()));
  return StateQuery(prepared, copies, native ? ir::FloatEncoding::kNative : ir::FloatEncoding::kUninterpreted);
}

SolverAnswer Ask(Solver* solver, const Query& query, v1::Tier tier, uint32_t work_ms, std::stop_token cancel) {
  SolverQuery ask;
  ask.tactic = tier == v1::TIER_UNINTERPRETED ? Tactic::kUninterpreted
               : tier == v1::TIER_INTEGERS    ? Tactic::kInteger
                                              : Tactic::kNative;
  ask.text = query.text;
  ask.wanted = query.wanted;
  ask.work_ms = work_ms;
  ask.cancel = std::move(cancel);
  return solver->Solve(ask);
}

absl::Status CheckUnsat(const SolverAnswer& answer) {
  if (answer.answer == Answer::kUnsat) return absl::OkStatus();
  if (answer.answer == Answer::kSat) {
    return absl::FailedPreconditionError(absl::StrCat("the query is not a proof: ", answer.solver, " found a model"));
  }
  return absl::UnavailableError(absl::StrCat("not decided: ", answer.reason));
}

absl::Status CheckAdmission(const RuleCase& rule_case, Solver* solver, uint32_t work_ms, std::stop_token cancel) {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  const ir::Value& assumption = (*prepared)->dag().at((*prepared)->assumption());
  if (assumption.primitive == ir::Primitive::kLiteral && assumption.immediate == 1) return absl::OkStatus();
  absl::StatusOr<VectorOutcome> vectors = TryVectors(prepared->get(), VectorOptions{});
  if (!vectors.ok()) return vectors.status();
  if (vectors->admitted) return absl::OkStatus();
  if (solver == nullptr) return absl::UnavailableError("found no input that meets the preconditions");
  const Query query = StateAdmission(**prepared);
  const SolverAnswer answer = Ask(solver, query, v1::TIER_NATIVE, work_ms, std::move(cancel));
  if (answer.answer == Answer::kUnsat) return absl::FailedPreconditionError("no input meets the preconditions");
  const std::optional<Point> point = answer.answer == Answer::kSat ? ReadPoint(**prepared, answer) : std::nullopt;
  if (point.has_value() && VerifyPoint(**prepared, point->inputs, point->choices).admitted) return absl::OkStatus();
  return absl::UnavailableError("found no input that meets the preconditions");
}

absl::Status VerifyCanonical(const RuleCase& rule_case, const Certificate& certificate) {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  absl::StatusOr<std::vector<CopyRoots>> copies = MakeCopies(prepared->get(), certificate.copies);
  if (!copies.ok()) return copies.status();
  if (HasSameValues(**prepared, *copies)) return absl::OkStatus();
  if (AreEqualByConstruction(**prepared, *copies)) {
    // As in the prover, the vectors guard against errors in the comparison of polynomials.
    const absl::StatusOr<VectorOutcome> vectors = TryVectors(prepared->get(), VectorOptions());
    if (!vectors.ok()) return vectors.status();
    if (!vectors->witness.has_value()) return absl::OkStatus();
  }
  return absl::FailedPreconditionError("no copy of the search side equals the replacement by construction");
}

absl::Status VerifyExhaustive(const RuleCase& rule_case) {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  const CaseResult result = TryExhaustive(prepared->get(), kExhaustiveBits);
  if (result.verdict == v1::VERDICT_PROVED) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the result of trying all inputs is ", std::string(NameOf(result.verdict))));
}

absl::Status CheckVacuous(const RuleCase& rule_case, Solver* solver, uint32_t work_ms, std::stop_token cancel) {
  if (solver == nullptr) return absl::UnavailableError("no solver");
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  return CheckUnsat(Ask(solver, StateAdmission(**prepared), v1::TIER_NATIVE, work_ms, std::move(cancel)));
}

absl::Status CheckStored(const Certificate& claim, const Query& query) {
  if (ir::Sha256Hex(query.text) != claim.query_digest)
    return absl::FailedPreconditionError("the digest does not match the rule's query");
  if (!claim.query.empty() && claim.query != query.text)
    return absl::FailedPreconditionError("the stored query does not match the rule's query");
  if (claim.lemmas != query.lemmas) return absl::FailedPreconditionError("the lemmas do not match the query");
  return absl::OkStatus();
}

// Checks that `claim` was created under the current semantics and has only the fields of its kind.
absl::Status CheckShape(const Certificate& claim, const RuleCase& rule_case) {
  if (claim.semantics_digest != CaseSemanticsDigest(rule_case))
    return absl::FailedPreconditionError("the certificate was created under different semantics");
  if (!UsesSolver(claim.kind) && !(claim.query.empty() && claim.query_digest.empty() && claim.lemmas.empty()))
    return absl::InvalidArgumentError("this kind of certificate has no query and no lemmas");
  if (claim.kind != v1::TIER_CASE_SPLIT && !claim.parts.empty())
    return absl::InvalidArgumentError("only a split case has parts");
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> ArguedLemmas(const Certificate& certificate) {
  std::set<std::string> names;
  for (const auto& [name, instances] : certificate.lemmas) {
    int width = 0;
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    if (!absl::SimpleAtoi(name.substr(digits), &width)) continue;
    if (!ir::ArgumentFor(absl::string_view(name).substr(0, digits), width).empty()) names.insert(name);
  }
  for (const CertificatePart& part : certificate.parts) {
    for (std::string& name : ArguedLemmas(part.certificate)) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

std::string CaseSemanticsDigest(const RuleCase& rule_case) {
  std::string text;
  for (const ir::Term* side : {&rule_case.search, &rule_case.replace}) {
    for (const ir::Node& node : side->nodes) {
      if (node.kind == ir::NodeKind::kOp && ir::FindOp(node.op->name) != node.op)
        absl::StrAppend(&text, ir::DigestOfRow(*node.op));
    }
  }
  return text.empty() ? ir::SemanticsDigest() : ir::Sha256Hex(absl::StrCat(ir::SemanticsDigest(), text));
}

absl::StatusOr<Query> RestateQuery(const RuleCase& rule_case, const std::vector<std::string>& copies, v1::Tier tier) {
  if (!UsesSolver(tier)) return absl::InvalidArgumentError("this kind of certificate has no query");
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  absl::StatusOr<std::vector<CopyRoots>> roots = MakeCopies(prepared->get(), copies);
  if (!roots.ok()) return roots.status();
  return StateCopies(**prepared, *roots, tier);
}

namespace {

// Repeats proofs with the same work budget for every query.
class Again {
 public:
  // `stored` is true if the query data in the claims must match the rules.
  Again(const Solvers& solvers, uint32_t work_ms, std::stop_token cancel, bool stored)
      : solvers_(solvers), work_ms_(work_ms), cancel_(std::move(cancel)), stored_(stored) {}

  absl::StatusOr<CaseResult> Prove(const RuleCase& rule_case, const Certificate& claim) const {
    absl::StatusOr<CaseResult> result = ProveOne(rule_case, claim);
    if (!result.ok()) return result;
    const absl::Status status = ProveCoincidences(rule_case, claim, &*result);
    if (!status.ok()) return status;
    return result;
  }

 private:
  // Proves the case as if all nodes of the search were distinct instructions.
  absl::StatusOr<CaseResult> ProveOne(const RuleCase& rule_case, const Certificate& claim) const {
    if (absl::Status shape = stored_ ? CheckShape(claim, rule_case) : absl::OkStatus(); !shape.ok()) return shape;
    CaseResult result;
    result.verdict = v1::VERDICT_PROVED;
    result.tier = claim.kind;
    Certificate& shown = result.certificate.emplace();
    shown.kind = claim.kind;
    shown.copies = claim.copies;
    shown.semantics_digest = CaseSemanticsDigest(rule_case);
    const absl::Status status = claim.kind == v1::TIER_CASE_SPLIT ? ProveParts(rule_case, claim, &result)
                                : UsesSolver(claim.kind)          ? ProveQuery(rule_case, claim, &result)
                                                                  : ProveDirectly(rule_case, &result);
    if (cancel_.stop_requested()) return absl::CancelledError("cancelled while repeating a proof");
    if (!status.ok()) return status;
    return result;
  }

  // Proves the case for each way in which nodes of the search can match the same instruction. The list of ways is
  // computed from the case, so a claim cannot omit any.
  absl::Status ProveCoincidences(const RuleCase& rule_case, const Certificate& claim, CaseResult* result) const {
    const absl::StatusOr<std::vector<CoincidingCase>> cases = CoincidingCases(rule_case);
    if (!cases.ok()) return cases.status();
    if (cases->size() != claim.coinciding.size()) {
      return absl::FailedPreconditionError(absl::StrCat("nodes of the search can match the same instruction in ",
                                                        cases->size(), " ways, but the claim has ",
                                                        claim.coinciding.size(), " proofs of such cases"));
    }
    for (size_t i = 0; i < cases->size(); ++i) {
      const CoincidingCase& one = (*cases)[i];
      Certificate& shown = result->certificate->coinciding.emplace_back();
      if (claim.coinciding[i].kind == v1::TIER_UNSPECIFIED) {
        if (absl::Status status = CheckVacuous(one.rule_case, solvers_.first(), work_ms_, cancel_); !status.ok())
          return status;
        continue;
      }
      if (claim.coinciding[i].kind == v1::TIER_CASE_SPLIT || !claim.coinciding[i].coinciding.empty())
        return absl::InvalidArgumentError("the proof of a coincidence must neither be split nor have coincidences");
      absl::StatusOr<CaseResult> proved = ProveOne(one.rule_case, claim.coinciding[i]);
      if (!proved.ok()) return proved.status();
      const bool asked = UsesSolver(claim.coinciding[i].kind);
      if (asked && !UsesSolver(result->tier)) result->confirmed_by = proved->confirmed_by;
      if (asked && proved->confirmed_by.empty()) result->confirmed_by.clear();
      result->tier = std::max(result->tier, proved->tier);
      if (result->reason.empty()) result->reason = std::move(proved->reason);
      shown = *std::move(proved->certificate);
    }
    return absl::OkStatus();
  }

  absl::Status ProveDirectly(const RuleCase& rule_case, CaseResult* result) const {
    const Certificate& shown = *result->certificate;
    const absl::Status status = shown.kind == v1::TIER_CANONICAL    ? VerifyCanonical(rule_case, shown)
                                : shown.kind == v1::TIER_EXHAUSTIVE ? VerifyExhaustive(rule_case)
                                                                    : absl::InvalidArgumentError("not a kind of proof");
    return status.ok() ? CheckAdmission(rule_case, solvers_.first(), work_ms_, cancel_) : status;
  }

  absl::Status ProveQuery(const RuleCase& rule_case, const Certificate& claim, CaseResult* result) const {
    Certificate& shown = *result->certificate;
    const bool by_second = shown.kind == v1::TIER_SECOND_SOLVER;
    Solver* const prover = by_second ? solvers_.confirming() : solvers_.first();
    if (prover == nullptr) return absl::UnavailableError("no solver");
    absl::StatusOr<Query> query = RestateQuery(rule_case, shown.copies, shown.kind);
    if (!query.ok()) return query.status();
    if (absl::Status stored = stored_ ? CheckStored(claim, *query) : absl::OkStatus(); !stored.ok()) return stored;
    const SolverAnswer answer = Ask(prover, *query, shown.kind, work_ms_, cancel_);
    if (absl::Status status = CheckUnsat(answer); !status.ok()) return status;
    if (absl::Status status = CheckAdmission(rule_case, solvers_.first(), work_ms_, cancel_); !status.ok())
      return status;
    if (!by_second) {
      if (absl::Status status = Confirm(rule_case, *query, result); !status.ok()) return status;
    }
    shown.solver = answer.solver;
    shown.timeout_ms = work_ms_;
    shown.milliseconds = answer.milliseconds;
    shown.query_digest = ir::Sha256Hex(query->text);
    shown.query = std::move(query->text);
    shown.lemmas = std::move(query->lemmas);
    return absl::OkStatus();
  }

  // Queries the confirming solver. If the budget is large, first tries a small budget and then evaluates all inputs,
  // because no budget lets the confirming solver prove a rule about a product of two variables.
  absl::Status Confirm(const RuleCase& rule_case, const Query& query, CaseResult* result) const {
    Solver* const confirming = solvers_.confirming();
    const bool may_take_long = work_ms_ >= kConfirmAgainWork;
    SolverAnswer answer;
    if (confirming != nullptr)
      answer = Ask(confirming, query, v1::TIER_NATIVE, may_take_long ? kStoreWork : work_ms_, cancel_);
    if (answer.answer == Answer::kUnknown && may_take_long) {
      const absl::StatusOr<bool> everywhere = HoldsEverywhere(rule_case);
      if (!everywhere.ok()) return everywhere.status();
      if (*everywhere) {
        result->confirmed_by = {"exhaustion"};
        return absl::OkStatus();
      }
      if (confirming != nullptr) answer = Ask(confirming, query, v1::TIER_NATIVE, work_ms_, cancel_);
    }
    if (answer.answer == Answer::kSat) return CheckUnsat(answer);
    if (answer.answer == Answer::kUnsat) result->confirmed_by = {answer.solver};
    if (answer.answer == Answer::kUnknown && confirming != nullptr)
      result->reason = absl::StrCat("not confirmed: ", answer.reason);
    return absl::OkStatus();
  }

  // Returns whether evaluating all inputs proves the case; returns false if there are too many inputs. Fails with
  // FailedPrecondition if the evaluation refutes it.
  absl::StatusOr<bool> HoldsEverywhere(const RuleCase& rule_case) const {
    const absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
    if (!prepared.ok()) return prepared.status();
    const v1::Verdict verdict = TryAllInputs(prepared->get(), kMostEvaluatedBits, cancel_).verdict;
    if (verdict == v1::VERDICT_REFUTED)
      return absl::FailedPreconditionError("evaluating all inputs shows that the rule does not hold");
    return verdict == v1::VERDICT_PROVED;
  }

  // Recreates the parts from the case, so that none can be missing, duplicated or swapped.
  absl::Status ProveParts(const RuleCase& rule_case, const Certificate& claim, CaseResult* result) const {
    const std::vector<CasePart> parts = PartsOf(rule_case);
    if (parts.size() != claim.parts.size() || parts.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the case has ", parts.size(), " parts, but the claim has ", claim.parts.size()));
    }
    std::set<std::string> confirmed;
    bool all_confirmed = true;
    result->tier = v1::TIER_UNSPECIFIED;
    result->certificate->timeout_ms = work_ms_;
    for (size_t i = 0; i < parts.size(); ++i) {
      const CertificatePart& part = claim.parts[i];
      if (part.values != parts[i].values) return absl::FailedPreconditionError("a part has different values");
      if (part.certificate.kind == v1::TIER_CASE_SPLIT)
        return absl::InvalidArgumentError("a part must not be split again");
      CertificatePart& shown = result->certificate->parts.emplace_back();
      shown.values = parts[i].values;
      if (part.certificate.kind == v1::TIER_UNSPECIFIED) {
        if (absl::Status status = CheckVacuous(parts[i].rule_case, solvers_.first(), work_ms_, cancel_); !status.ok())
          return status;
        continue;
      }
      absl::StatusOr<CaseResult> proved = Prove(parts[i].rule_case, part.certificate);
      if (!proved.ok()) return proved.status();
      const bool asked = UsesSolver(part.certificate.kind);
      all_confirmed = all_confirmed && (!asked || !proved->confirmed_by.empty());
      confirmed.insert(proved->confirmed_by.begin(), proved->confirmed_by.end());
      result->tier = std::max(result->tier, proved->tier);
      if (result->reason.empty()) result->reason = std::move(proved->reason);
      shown.certificate = *std::move(proved->certificate);
      for (Certificate& coinciding : shown.certificate.coinciding) coinciding.query.clear();
      shown.certificate.query.clear();  // verification restates it, and hundreds of queries would take megabytes
    }
    if (result->tier == v1::TIER_UNSPECIFIED) return absl::FailedPreconditionError("no part proves anything");
    if (all_confirmed) result->confirmed_by.assign(confirmed.begin(), confirmed.end());
    return absl::OkStatus();
  }

  const Solvers& solvers_;
  const uint32_t work_ms_;
  const std::stop_token cancel_;
  const bool stored_;
};

}  // namespace

absl::StatusOr<CaseResult> ProveAgain(const RuleCase& rule_case, const Certificate& claim, const Solvers& solvers,
                                      uint32_t work_ms, std::stop_token cancel) {
  const auto start = std::chrono::steady_clock::now();
  absl::StatusOr<CaseResult> result = Again(solvers, work_ms, std::move(cancel), false).Prove(rule_case, claim);
  if (result.ok()) {
    result->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  return result;
}

absl::Status VerifyCertificate(const RuleCase& rule_case, const Certificate& certificate, const Solvers& solvers,
                               uint32_t work_ms) {
  return Again(solvers, work_ms, {}, true).Prove(rule_case, certificate).status();
}

}  // namespace rewrought::verifier

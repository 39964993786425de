#include "verifier/prover.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/match/matcher_model.h"
#include "verifier/mesa/coincidence.h"
#include "verifier/message/copy_text.h"
#include "verifier/query.h"

namespace rewrought::verifier {
namespace {

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

uint32_t Scaled(const ProverOptions& options, uint32_t work_ms) {
  return std::max<uint32_t>(1, static_cast<uint32_t>(work_ms * options.budget_scale));
}

// Verifies a case, and stores the state that its tiers share.
class CaseVerifier {
 public:
  CaseVerifier(const ProverOptions& options, const Solvers& solvers, PreparedCase* prepared)
      : options_(options), solvers_(solvers), prepared_(prepared) {}

  CaseResult Verify();

 private:
  // Queries a solver in one encoding, learns copies of the search side from its models, and repeats the query with
  // them.
  CaseResult AskSolver(Solver* solver, ir::FloatEncoding encoding, Tactic tactic, v1::Tier tier, uint32_t work_ms);
  // Replays a model. Returns true if the query should be repeated with another copy.
  bool LearnFromModel(Solver* solver, const SolverAnswer& answer, CaseResult* result);
  bool AddCopy(const ChoiceLiterals& literals, const CopyPolicy& policy);
  // Adds the next standard copy that is not present yet; returns false if there is none.
  bool AddStandardCopy();
  // On the first call, adds copies with each combination of flushes of the root's sources. Returns false if no copy is
  // new. There are many such copies. If they do not lead to a proof over uninterpreted functions, queries in the
  // floating-point theory are faster without them.
  bool AddRootFlushes();
  void DropRootFlushes();
  // Adds a standard copy that returns `target` at the point. Unlike a copy of literals, it is not specific to this
  // point.
  bool AddStandardCopyThatProduces(const Point& point, const std::vector<uint64_t>& target);
  // Returns whether some copy already returns `target` at the point. In that case the model does not follow IEEE
  // arithmetic.
  bool SomeCopyProduces(const Point& point, const std::vector<uint64_t>& target) const;
  bool Gives(const CopyRoots& copy, const Point& point, const std::vector<uint64_t>& target) const;
  bool QueryMembership(Solver* solver, const Point& point, const PointOutcome& outcome, CaseResult* result);
  bool OtherSolverAgrees(Solver* first, const SolverQuery& ask) const;
  CaseResult CheckAdmission();
  Certificate MakeCertificate(v1::Tier tier, const Query& query, const SolverAnswer& answer, uint32_t work_ms) const;

  uint32_t Scaled(uint32_t work_ms) const { return verifier::Scaled(options_, work_ms); }
  // Returns the work that queries of this case may still use.
  uint32_t RemainingCaseWork() const {
    if (options_.budgets.whole_case == 0) return std::numeric_limits<uint32_t>::max();
    const double left = Scaled(options_.budgets.whole_case) - spent_ms_;
    return left < 1 ? 0 : static_cast<uint32_t>(left);
  }
  uint32_t NativeWork() const { return Scaled(options_.budgets.native[WidthClass()]); }
  int WidthClass() const {
    int widest = 1;
    for (const ir::Input& input : prepared_->dag().inputs()) widest = std::max<int>(widest, input.width);
    widest = std::max(widest, prepared_->root_bits());
    return widest <= 16 ? 0 : widest <= 32 ? 1 : 2;
  }

  const ProverOptions& options_;
  const Solvers& solvers_;
  PreparedCase* const prepared_;
  std::vector<CopyRoots> copies_;
  std::vector<std::string> copy_texts_;
  size_t next_standard_copy_ = 0;
  bool root_flushes_tried_ = false;
  size_t root_flushes_ = 0, root_flushes_end_ = 0;  // the range of the root flushes in copies_
  double spent_ms_ = 0;                             // work used by queries
};

// The copies that suffice for most rules, most likely first.
constexpr CopyPolicy kStandardCopies[] = {{0, false, false, false}, {0, true, false, false}, {0, true, true, false},
                                          {1, true, false, false},  {0, false, true, false}, {0, true, false, true},
                                          {0, true, true, true}};

CaseResult ProvedWithoutQuery(v1::Tier tier, std::vector<std::string> copies) {
  CaseResult result;
  result.verdict = v1::VERDICT_PROVED;
  result.tier = tier;
  result.certificate.emplace();
  result.certificate->kind = tier;
  result.certificate->copies = std::move(copies);
  return result;
}

bool CaseVerifier::AddStandardCopy() {
  while (next_standard_copy_ < std::size(kStandardCopies)) {
    if (AddCopy({}, kStandardCopies[next_standard_copy_++])) return true;
  }
  return AddRootFlushes();
}

// Adds a copy for each combination of flushes of the root's sources (PreparedCase::RootFlushes). These copies are
// needed, for example, if a comparison in the replacement flushes a source that a minimum in the search must not flush
// to return the same result.
bool CaseVerifier::AddRootFlushes() {
  if (std::exchange(root_flushes_tried_, true)) return false;
  root_flushes_ = copies_.size();
  for (const ChoiceLiterals& flushes : prepared_->RootFlushes()) {
    for (const uint64_t otherwise : {0, 1}) AddCopy(flushes, CopyPolicy{otherwise, true, false, false});
  }
  root_flushes_end_ = copies_.size();
  return root_flushes_ != root_flushes_end_;
}

void CaseVerifier::DropRootFlushes() {
  const auto erase = [&](auto* list) {
    list->erase(list->begin() + static_cast<ptrdiff_t>(root_flushes_),
                list->begin() + static_cast<ptrdiff_t>(root_flushes_end_));
  };
  erase(&copies_);
  erase(&copy_texts_);
  root_flushes_end_ = root_flushes_;
}

bool CaseVerifier::AddCopy(const ChoiceLiterals& literals, const CopyPolicy& policy) {
  absl::StatusOr<CopyRoots> roots = prepared_->SearchCopy(literals, policy);
  if (!roots.ok() || std::find(copies_.begin(), copies_.end(), *roots) != copies_.end()) return false;
  copies_.push_back(*std::move(roots));
  copy_texts_.push_back(FormatCopy({policy, literals}));
  return true;
}

bool CaseVerifier::Gives(const CopyRoots& copy, const Point& point, const std::vector<uint64_t>& target) const {
  ir::Evaluator evaluator(&prepared_->dag());
  evaluator.Start(point.inputs,
                  [&](uint32_t choice) { return choice < point.choices.size() ? point.choices[choice] : 0; });
  for (size_t c = 0; c < copy.size(); ++c) {
    if (evaluator.Evaluate(copy[c]) != target[c]) return false;
  }
  return true;
}

bool CaseVerifier::SomeCopyProduces(const Point& point, const std::vector<uint64_t>& target) const {
  return std::any_of(copies_.begin(), copies_.end(), [&](const CopyRoots& copy) { return Gives(copy, point, target); });
}

bool CaseVerifier::AddStandardCopyThatProduces(const Point& point, const std::vector<uint64_t>& target) {
  for (const CopyPolicy& policy : kStandardCopies) {
    const absl::StatusOr<CopyRoots> roots = prepared_->SearchCopy({}, policy);
    if (roots.ok() && Gives(*roots, point, target) && AddCopy({}, policy)) return true;
  }
  return false;
}

// Returns whether the other solver also finds `ask` unsatisfiable. This check is necessary because evaluation cannot
// replay an unsat answer.
bool CaseVerifier::OtherSolverAgrees(Solver* first, const SolverQuery& ask) const {
  Solver* const other = first == solvers_.confirming() ? solvers_.first() : solvers_.confirming();
  return other != nullptr && other != first && other->Solve(ask).answer == Answer::kUnsat;
}

bool CaseVerifier::QueryMembership(Solver* solver, const Point& point, const PointOutcome& outcome,
                                   CaseResult* result) {
  const Query query = StateMembership(*prepared_, point.inputs, outcome.replace);
  SolverQuery ask{Tactic::kNative, query.text, NativeWork(), query.wanted, options_.cancel, options_.timeout_ms};
  const SolverAnswer answer = solver->Solve(ask);
  if (answer.answer == Answer::kSat) {
    const auto choices = ReadSearchChoices(*prepared_, answer);
    if (choices.has_value() && AddCopy(prepared_->LiteralsOf(*choices), CopyPolicy{})) return true;
    result->reason = "choices";
  } else if (answer.answer == Answer::kUnsat && !OtherSolverAgrees(solver, ask)) {
    result->reason = "membership: only one solver reports that the search side does not allow the result";
  } else if (answer.answer == Answer::kUnsat) {
    // Evaluation could not try every inner NaN or poison value, but two solvers agree that none of them produces the
    // replacement's result.
    result->verdict = v1::VERDICT_REFUTED;
    Witness witness;
    for (size_t i = 0; i < point.inputs.size(); ++i) {
      const ir::Input& input = prepared_->dag().inputs()[i];
      witness.variables.push_back({input.name, input.width, point.inputs[i]});
    }
    witness.replace = outcome.replace;
    witness.root_bits = prepared_->root_bits();
    witness.search = ir::AllowedResults(prepared_->dag(), prepared_->search(), point.inputs, 64);
    witness.replace_choices = point.choices;
    result->witness = std::move(witness);
  } else {
    result->reason = absl::StrCat("membership: ", answer.reason);
  }
  return false;
}

bool CaseVerifier::LearnFromModel(Solver* solver, const SolverAnswer& answer, CaseResult* result) {
  const std::optional<Point> point = ReadPoint(*prepared_, answer);
  if (!point.has_value()) {
    result->reason = "the solver's model is malformed";
    return false;
  }
  PointOutcome outcome = VerifyPoint(*prepared_, point->inputs, point->choices);
  if (!outcome.admitted) {
    result->reason = "the solver's model does not meet the preconditions";
    return false;
  }
  if (outcome.witness.has_value()) {
    result->verdict = v1::VERDICT_REFUTED;
    result->witness = std::move(outcome.witness);
    return false;
  }
  if (SomeCopyProduces(*point, outcome.replace)) {
    // The model does not follow IEEE arithmetic, but another copy may return the target even in this model.
    if (AddStandardCopy()) return true;
    result->reason = "the model is valid only for uninterpreted functions";
    return false;
  }
  if (static_cast<int>(copies_.size()) >= options_.max_copies) {
    result->reason = "choices";
    return false;
  }
  if (AddStandardCopyThatProduces(*point, outcome.replace)) return true;
  if (outcome.copy.has_value()) {
    if (AddCopy(*outcome.copy, CopyPolicy{})) return true;
    result->reason = "choices";
    return false;
  }
  return QueryMembership(solver, *point, outcome, result);
}

Certificate CaseVerifier::MakeCertificate(v1::Tier tier, const Query& query, const SolverAnswer& answer,
                                          uint32_t work_ms) const {
  Certificate certificate;
  certificate.kind = tier;
  certificate.copies = copy_texts_;
  certificate.lemmas = query.lemmas;
  certificate.query = query.text;
  certificate.solver = answer.solver;
  certificate.timeout_ms = work_ms;
  certificate.milliseconds = answer.milliseconds;
  return certificate;
}

CaseResult CaseVerifier::AskSolver(Solver* solver, ir::FloatEncoding encoding, Tactic tactic, v1::Tier tier,
                                   uint32_t work_ms) {
  CaseResult result;
  result.tier = tier;
  for (;;) {
    const Query query =
        tier == v1::TIER_INTEGERS ? StateIntegerQuery(*prepared_, copies_) : StateQuery(*prepared_, copies_, encoding);
    const uint32_t allowed = std::min(work_ms, RemainingCaseWork());
    if (allowed == 0) {
      result.reason = kOutOfBudget;
      return result;
    }
    SolverQuery ask{tactic, query.text, allowed, query.wanted, options_.cancel, options_.timeout_ms};
    const SolverAnswer answer = solver->Solve(ask);
    spent_ms_ += answer.work_ms;
    if (answer.answer == Answer::kUnknown) {
      result.reason = answer.reason;
      return result;
    }
    if (answer.answer == Answer::kUnsat) {
      result.verdict = v1::VERDICT_PROVED;
      result.certificate = MakeCertificate(tier, query, answer, allowed);
      return result;
    }
    if (!LearnFromModel(solver, answer, &result)) return result;
  }
}

CaseResult CaseVerifier::CheckAdmission() {
  CaseResult result;
  result.reason = "found no input that meets the preconditions";
  if (solvers_.first() == nullptr) return result;
  const Query query = StateAdmission(*prepared_);
  const SolverAnswer answer = solvers_.first()->Solve(
      {Tactic::kNative, query.text, NativeWork(), query.wanted, options_.cancel, options_.timeout_ms});
  if (answer.answer == Answer::kUnsat) {
    result.verdict = v1::VERDICT_VACUOUS;
    result.reason.clear();
  } else if (answer.answer == Answer::kSat) {
    const std::optional<Point> point = ReadPoint(*prepared_, answer);
    if (point.has_value() && VerifyPoint(*prepared_, point->inputs, point->choices).admitted) result.reason.clear();
  }
  return result;
}

CaseResult CaseVerifier::Verify() {
  CaseResult result;
  AddStandardCopy();
  const bool same = HasSameValues(*prepared_, copies_);
  const bool unconditional = prepared_->dag().at(prepared_->assumption()).primitive == ir::Primitive::kLiteral &&
                             prepared_->dag().at(prepared_->assumption()).immediate == 1;
  if (same && unconditional) return ProvedWithoutQuery(v1::TIER_CANONICAL, copy_texts_);
  if (!same) {
    // If there are few inputs, evaluating all of them in batches is faster than running the vectors, which are a
    // subset.
    result = TryAllInputs(prepared_, options_.exhaustive_bits, options_.cancel);
    if (result.verdict == v1::VERDICT_PROVED) return ProvedWithoutQuery(v1::TIER_EXHAUSTIVE, {});
    if (result.verdict == v1::VERDICT_REFUTED || !result.reason.empty()) return result;
  }
  absl::StatusOr<VectorOutcome> vectors = TryVectors(prepared_, options_.vectors, options_.cancel);
  if (!vectors.ok()) {
    result.verdict = v1::VERDICT_UNSUPPORTED;
    result.reason = std::string(vectors.status().message());
    return result;
  }
  if (vectors->witness.has_value()) {
    result.verdict = v1::VERDICT_REFUTED;
    result.tier = v1::TIER_VECTORS;
    result.witness = std::move(vectors->witness);
    return result;
  }
  if (options_.cancel.stop_requested()) {
    result.reason = "cancelled";
    return result;
  }
  if (!vectors->admitted) {
    result = CheckAdmission();
    if (!result.reason.empty() || result.verdict == v1::VERDICT_VACUOUS) return result;
  }
  // At this point, the vectors have not refuted the case. This guards against errors in the comparison of polynomials.
  if (AreEqualByConstruction(*prepared_, copies_)) return ProvedWithoutQuery(v1::TIER_CANONICAL, copy_texts_);
  for (const ChoiceLiterals& literals : vectors->copies) AddCopy(literals, CopyPolicy{});
  result = TryExhaustive(prepared_, options_.exhaustive_bits, options_.cancel);
  if (result.verdict == v1::VERDICT_PROVED) return ProvedWithoutQuery(v1::TIER_EXHAUSTIVE, {});
  if (result.verdict != v1::VERDICT_UNKNOWN) return result;
  std::string reasons;
  const auto settled = [&](CaseResult next, absl::string_view name) {
    result = std::move(next);
    if (result.verdict != v1::VERDICT_UNKNOWN) return true;
    absl::StrAppend(&reasons, reasons.empty() ? "" : "; ", name, ": ", result.reason);
    return false;
  };
  const bool theory = NeedsFloatTheory(prepared_->dag());
  // The query over the integers costs little even if it is undecided, whereas bit-blasting divisions is often hopeless.
  if (solvers_.first() != nullptr && SuitsIntegers(*prepared_, copies_) &&
      settled(AskSolver(solvers_.first(), ir::FloatEncoding::kUninterpreted, Tactic::kInteger, v1::TIER_INTEGERS,
                        Scaled(options_.budgets.integers)),
              "integers")) {
    return result;
  }
  if (solvers_.first() != nullptr) {
    const ir::FloatEncoding plain = theory ? ir::FloatEncoding::kNative : ir::FloatEncoding::kUninterpreted;
    if (theory && settled(AskSolver(solvers_.first(), ir::FloatEncoding::kUninterpreted, Tactic::kUninterpreted,
                                    v1::TIER_UNINTERPRETED, Scaled(options_.budgets.uninterpreted[WidthClass()])),
                          "uf")) {
      return result;
    }
    DropRootFlushes();
    if (settled(AskSolver(solvers_.first(), plain, Tactic::kNative, v1::TIER_NATIVE, NativeWork()), "native"))
      return result;
  }
  if (solvers_.confirming() != nullptr && !options_.cancel.stop_requested() &&
      settled(AskSolver(solvers_.confirming(), ir::FloatEncoding::kNative, Tactic::kNative, v1::TIER_SECOND_SOLVER,
                        Scaled(options_.budgets.confirming)),
              "cvc5")) {
    return result;
  }
  if (settled(TryExhaustive(prepared_, options_.last_resort_bits, options_.cancel), "exhaustive"))
    return result.verdict == v1::VERDICT_PROVED ? ProvedWithoutQuery(v1::TIER_EXHAUSTIVE, {}) : result;
  result = CaseResult{};
  result.reason = reasons;
  return result;
}

}  // namespace

void ProverOptions::LimitQueries(uint32_t milliseconds) {
  for (uint32_t& work : budgets.uninterpreted) work = std::min(work, milliseconds);
  for (uint32_t& work : budgets.native) work = milliseconds;
  budgets.integers = std::min(budgets.integers, milliseconds);
  budgets.confirming = timeout_ms = milliseconds;
}

void Prover::Confirm(CaseResult* result) const {
  if (solvers_.confirming() == nullptr || result->verdict != v1::VERDICT_PROVED || !result->certificate.has_value())
    return;
  std::vector<const Certificate*> proofs = {&*result->certificate};
  for (const Certificate& coinciding : result->certificate->coinciding) proofs.push_back(&coinciding);
  std::string confirmed_by;
  for (const Certificate* proof : proofs) {
    const bool by_first =
        proof->kind == v1::TIER_UNINTERPRETED || proof->kind == v1::TIER_NATIVE || proof->kind == v1::TIER_INTEGERS;
    if (proof->kind == v1::TIER_CASE_SPLIT || proof->kind == v1::TIER_SECOND_SOLVER) return;
    if (!by_first) continue;
    if (proof->query.empty()) return;
    // Send the query that the first solver found unsatisfiable. In the floating-point theory, cvc5 1.0.3 takes more
    // than 20 s for most queries with a 32-bit fmul.
    SolverQuery ask;
    ask.tactic = Tactic::kNative;
    ask.text = proof->query;
    ask.work_ms = Scaled(options_, options_.budgets.confirming);
    ask.timeout_ms = options_.timeout_ms;
    ask.cancel = options_.cancel;
    const SolverAnswer answer = solvers_.confirming()->Solve(ask);
    if (answer.answer == Answer::kSat) {
      result->verdict = v1::VERDICT_UNKNOWN;
      result->reason =
          absl::StrCat("the solvers disagree: ", proof->solver, " answers unsat, ", answer.solver, " answers sat");
    }
    if (answer.answer != Answer::kUnsat) return;
    confirmed_by = answer.solver;
  }
  if (!confirmed_by.empty()) result->confirmed_by.push_back(confirmed_by);
}

CaseResult Prover::ProveOne(const RuleCase& rule_case) const {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (prepared.ok()) return CaseVerifier(options_, solvers_, prepared->get()).Verify();
  CaseResult result;
  result.verdict = v1::VERDICT_UNSUPPORTED;
  result.reason = std::string(prepared.status().message());
  return result;
}

CaseResult Prover::ExplainRootFlags(const RuleCase& rule_case, CaseResult refuted) const {
  std::vector<std::string> flags;
  for (const WitnessVariable& variable : refuted.witness->variables) {
    if (variable.value != 0 && ir::IsRootFlagInput(variable.name))
      flags.push_back(ir::RootFlagText(variable.name, refuted.witness->root_bits));
  }
  if (flags.empty()) return refuted;
  CaseResult plain = ProveOne(WithNamedFlagsOnly(rule_case));
  if (plain.verdict == v1::VERDICT_REFUTED) return plain;
  if (plain.verdict != v1::VERDICT_PROVED && plain.verdict != v1::VERDICT_VACUOUS) return refuted;
  refuted.reason = absl::StrCat(kOnlyWithRootFlags, absl::StrJoin(flags, " and "), ", which the replacement inherits");
  return refuted;
}

CaseResult Prover::ProveCoincidences(const RuleCase& rule_case, CaseResult distinct) const {
  const absl::StatusOr<std::vector<CoincidingCase>> cases = CoincidingCases(rule_case);
  const auto unproved = [&](v1::Verdict verdict, std::string reason) {
    CaseResult result;
    result.verdict = verdict;
    result.reason = std::move(reason);
    return result;
  };
  if (!cases.ok()) return unproved(v1::VERDICT_UNKNOWN, std::string(cases.status().message()));
  for (size_t i = 0; i < cases->size(); ++i) {
    CaseResult result = ProveOne((*cases)[i].rule_case);
    if (result.verdict == v1::VERDICT_REFUTED) {
      result.coincidence = i + 1;
      result.reason = absl::StrCat("if ", (*cases)[i].description);
      return result;
    }
    if (result.verdict != v1::VERDICT_PROVED && result.verdict != v1::VERDICT_VACUOUS) {
      return unproved(result.verdict, absl::StrCat("if ", (*cases)[i].description, ": ", result.reason));
    }
    distinct.certificate->coinciding.push_back(result.certificate.value_or(Certificate{}));
    if (result.verdict == v1::VERDICT_PROVED) distinct.tier = std::max(distinct.tier, result.tier);
  }
  return distinct;
}

CaseResult Prover::Prove(const RuleCase& rule_case) const {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result = ProveOne(rule_case);
  if (result.verdict == v1::VERDICT_REFUTED) result = ExplainRootFlags(rule_case, std::move(result));
  if (result.verdict == v1::VERDICT_PROVED) result = ProveCoincidences(rule_case, std::move(result));
  if (options_.confirm) Confirm(&result);
  if (!options_.keep_query && result.certificate.has_value()) {
    result.certificate->query.clear();
    for (Certificate& coinciding : result.certificate->coinciding) coinciding.query.clear();
  }
  result.milliseconds = MillisecondsSince(start);
  return result;
}

}  // namespace rewrought::verifier

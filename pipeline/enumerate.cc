#include "pipeline/enumerate.h"

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "enumerator/bank_search.h"
#include "enumerator/symbolic_constants.h"
#include "ir/op_table.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "machine/sample_constants.h"
#include "pipeline/run_budget.h"
#include "proto/names.h"
#include "rules/subsumption.h"

namespace rewrought::pipeline {
namespace {

constexpr uint64_t kMostPrograms = 60'000'000;  // the maximum per combination of inputs
constexpr size_t kMostProofs = 12;              // the maximum number of programs to prove per term

// Returns a row for a shift whose count has the size of the shifted value. A count that is too large shifts out all
// bits if `zero`, and is masked otherwise. Rows are never freed, because parsed meanings are cached by the row's
// address.
const ir::OpRow* ShiftRow(const std::string& name, bool zero) {
  static auto& rows = *new std::deque<ir::OpRow>;
  const ir::OpRow* nir = ir::FindOp(name);
  const std::string primitive = name == "ishl" ? "shl" : name == "ishr" ? "ashr" : "lshr";
  ir::OpRow row = *nir;
  row.name = absl::StrCat(name, zero ? "_zero" : "_masked");
  for (const ir::OpRow& known : rows) {
    if (known.name == row.name) return &known;
  }
  row.sources[1] = {ir::BaseType::kUint};
  row.meaning = zero ? absl::StrCat("(", primitive, " a b)") : absl::StrCat("(", primitive, " a (and b (sub w 1)))");
  rows.push_back(std::move(row));
  return &rows.back();
}

absl::StatusOr<std::vector<const ir::OpRow*>> RowsOf(const EnumerateOptions& options) {
  std::vector<const ir::OpRow*> rows;
  for (const std::string& name : options.ops) {
    const ir::OpRow* row = ir::FindOp(name);
    if (row == nullptr)
      return absl::InvalidArgumentError(absl::StrCat("unknown op '", name, "'; `rewrought ops` lists the ops"));
    const bool is_shift = name == "ishl" || name == "ishr" || name == "ushr";
    const bool other_width =
        options.width != 32 ||
        std::any_of(options.prove_widths.begin(), options.prove_widths.end(), [](int width) { return width != 32; });
    if (is_shift && (options.shifts_zero || other_width)) row = ShiftRow(name, options.shifts_zero);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  return rows;
}

// Replaces the row of each op in the term with the row that this run uses for the op.
ir::Term OverRows(ir::Term term, absl::Span<const ir::OpRow* const> rows) {
  for (ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kOp) continue;
    for (const ir::OpRow* row : rows) {
      if (row->name == node.op->name || row->name == absl::StrCat(node.op->name, "_zero") ||
          row->name == absl::StrCat(node.op->name, "_masked"))
        node.op = row;
    }
  }
  return term;
}

// Replaces each constant with a bit pattern of the constant's size, as lowering expects.
ir::Term AtItsSizes(ir::Term term) {
  for (ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kConstant) continue;
    node.values[0] = ir::LiteralBits(node, node.bits);
    node.literal = ir::LiteralKind::kBits;
  }
  return term;
}

// Returns the first verdict that is not VERDICT_PROVED, or VERDICT_PROVED if the rule is proved in all modes.
v1::Verdict Verify(const verifier::Prover& prover, const ir::Term& search, const ir::Term& replace,
                   absl::Span<const ir::DenormMode> modes, std::string* reason) {
  for (const ir::DenormMode mode : modes) {
    const verifier::CaseResult result = prover.Prove({search, replace, mode});
    *reason = result.reason;
    if (result.verdict != v1::VERDICT_PROVED) return result.verdict;
  }
  return v1::VERDICT_PROVED;
}

class VerifierProver : public enumerator::ProverInterface {
 public:
  explicit VerifierProver(const verifier::Prover& prover)
      : prover_(prover), evaluation_(verifier::Solvers(), WithoutLastResort(prover.options())) {}

  enumerator::ProofResult ProveCandidate(const ir::Term& open_search, const ir::Term& open_replace,
                                         absl::Span<const ir::DenormMode> modes) override {
    const ir::Term search = AtItsSizes(open_search), replace = AtItsSizes(open_replace);
    // If evaluation refutes the candidate in any mode, no solver is needed.
    for (const ir::DenormMode mode : modes) {
      if (modes.size() > 1 && evaluation_.Prove({search, replace, mode}).verdict == v1::VERDICT_REFUTED)
        return {enumerator::Outcome::kRefuted, {}, ""};
    }
    enumerator::ProofResult result;
    const v1::Verdict verdict = VerifyAtOnce(search, replace, modes, &result.reason);
    if (verdict == v1::VERDICT_PROVED) result.outcome = enumerator::Outcome::kProved;
    if (verdict == v1::VERDICT_REFUTED) result.outcome = enumerator::Outcome::kRefuted;
    return result;
  }

 private:
  static verifier::ProverOptions WithoutLastResort(verifier::ProverOptions options) {
    options.last_resort_bits = 0;
    return options;
  }

  // Returns the same result as Verify, but verifies the modes in parallel.
  v1::Verdict VerifyAtOnce(const ir::Term& search, const ir::Term& replace, absl::Span<const ir::DenormMode> modes,
                           std::string* reason) const {
    if (modes.size() == 1 || prover_.solvers().parallel() < 2) return Verify(prover_, search, replace, modes, reason);
    std::vector<std::future<verifier::CaseResult>> results;
    for (const ir::DenormMode mode : modes) {
      results.push_back(std::async(std::launch::async, [&, mode] { return prover_.Prove({search, replace, mode}); }));
    }
    v1::Verdict verdict = v1::VERDICT_PROVED;
    for (std::future<verifier::CaseResult>& future : results) {
      const verifier::CaseResult result = future.get();
      if (verdict != v1::VERDICT_PROVED) continue;
      verdict = result.verdict;
      *reason = result.reason;
    }
    return verdict;
  }

  const verifier::Prover& prover_;
  const verifier::Prover evaluation_;  // uses no solver
};

v1::RunStatistics RunStatisticsOf(const enumerator::RunStatistics& from) {
  v1::RunStatistics run_statistics;
  run_statistics.set_fragments(from.fragments);
  run_statistics.set_enumerated(from.enumerated);
  run_statistics.set_distinct(from.distinct);
  run_statistics.set_candidates(from.candidates);
  run_statistics.set_refuted(from.refuted);
  run_statistics.set_proved(from.proved);
  run_statistics.set_unknown(from.unknown);
  run_statistics.set_general(from.general);
  run_statistics.set_minimal(from.minimal);
  run_statistics.set_seconds(from.seconds);
  run_statistics.set_peak_bytes(from.peak_bytes);
  return run_statistics;
}

ir::Term WithOpenSizes(ir::Term term) {
  for (ir::Node& node : term.nodes) node.bits = 0;
  return term;
}

class Enumeration {
 public:
  Enumeration(const EnumerateOptions& options, const verifier::Solvers& solvers)
      : options_(options), verifier_(solvers, WithStop(options)), prover_(verifier_), start_(RunBudget::Clock::now()) {}

  absl::StatusOr<EnumerateReport> Run();

 private:
  static verifier::ProverOptions WithStop(const EnumerateOptions& options) {
    verifier::ProverOptions prover = options.prover;
    prover.cancel = options.stop;
    return prover;
  }

  std::optional<machine::Candidate> FindProgram(const machine::Machine& machine, enumerator::CandidateSearch* search,
                                                const ir::Term& term, enumerator::RunStatistics* statistics);
  absl::Status ForMachine(const machine::Machine& machine, const enumerator::SweepResult& sweep);
  void AddTerms(const enumerator::SweepResult& sweep);

  const EnumerateOptions& options_;
  const verifier::Prover verifier_;
  VerifierProver prover_;
  const RunBudget::Clock::time_point start_;
  EnumerateReport report_;
};

// Accepts all candidates. Used if there is a machine: the sweep then serves only to find one term per function, and
// rules between terms are not needed.
class TakesAll : public enumerator::ProverInterface {
 public:
  enumerator::ProofResult ProveCandidate(const ir::Term&, const ir::Term&, absl::Span<const ir::DenormMode>) override {
    return {enumerator::Outcome::kProved, {}, ""};
  }
};

void Enumeration::AddTerms(const enumerator::SweepResult& sweep) {
  const std::vector<ir::DenormMode>& modes = options_.modes;
  for (const enumerator::SweepRule& rule : sweep.rules) {
    EnumeratedRule found;
    const ir::DisplayedSides sides = ir::DisplaySides({WithOpenSizes(rule.search), WithOpenSizes(rule.replace), "", 0});
    found.search = sides.search;
    found.replace = sides.replace;
    found.search_term = AtItsSizes(rule.search);
    found.replace_term = AtItsSizes(rule.replace);
    found.search_ops = rule.search_ops;
    found.base_cost = rule.search_ops;
    found.cost = rule.replace_ops;
    found.verdicts.emplace_back(options_.width, "proved");
    for (const int width : options_.prove_widths) {
      if (width == options_.width) continue;
      if (options_.stop.stop_requested()) {
        found.verdicts.emplace_back(width, "unknown");
        continue;
      }
      const ir::Term search = AtItsSizes(enumerator::InSize(rule.search, options_.width, width));
      const ir::Term replace = AtItsSizes(enumerator::InSize(rule.replace, options_.width, width));
      const bool floats = ir::HasFloatOperation(search) || ir::HasFloatOperation(replace);
      std::string reason;
      const v1::Verdict verdict = Verify(verifier_, search, replace,
                                         floats ? modes : std::vector<ir::DenormMode>{ir::DenormMode::kNone}, &reason);
      found.verdicts.emplace_back(width, std::string(v1::NameOf(verdict)));
    }
    report_.rules.push_back(std::move(found));
    if (options_.progress) {
      options_.progress(report_.run_statistics,
                        absl::StrCat("verified ", report_.rules.size(), " of ", sweep.rules.size()));
    }
  }
}

// Returns the rule that replaces `term` with its cheapest proved program. Replaces as many constants as possible with
// symbols.
std::optional<machine::Candidate> Enumeration::FindProgram(const machine::Machine& machine,
                                                           enumerator::CandidateSearch* search, const ir::Term& term,
                                                           enumerator::RunStatistics* statistics) {
  const std::vector<ir::DenormMode>& modes = options_.modes;
  ++statistics->fragments;
  const absl::StatusOr<machine::Cost> base = machine::BaseCost(machine, term, machine::BaseKind::kNaive);
  if (!base.ok()) return std::nullopt;
  std::vector<machine::Program> programs;
  const absl::StatusOr<enumerator::SearchStatistics> searched =
      search->Search({term, {}, *base}, options_.stop, [&](machine::Program program) {
        programs.push_back(std::move(program));
        return programs.size() < kMostProofs;
      });
  if (!searched.ok()) return std::nullopt;
  statistics->enumerated += searched->enumerated;
  statistics->distinct += searched->distinct;
  for (machine::Program& program : programs) {
    if (options_.stop.stop_requested()) return std::nullopt;
    const machine::Candidate candidate{&machine, term, std::move(program), {}};
    const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
    if (!replace.ok()) continue;
    ++statistics->candidates;
    const enumerator::Outcome outcome = enumerator::Ask(&prover_, term, *replace, modes).outcome;
    if (outcome != enumerator::Outcome::kProved) {
      ++(outcome == enumerator::Outcome::kRefuted ? statistics->refuted : statistics->unknown);
      continue;
    }
    ++statistics->proved;
    return enumerator::WithSymbolicConstants(candidate, modes, &prover_, options_.stop);
  }
  return std::nullopt;
}

absl::Status Enumeration::ForMachine(const machine::Machine& machine, const enumerator::SweepResult& sweep) {
  enumerator::BankSearchOptions bank_options;
  bank_options.instructions.halves = options_.width == 16;
  bank_options.constants = enumerator::DefaultConstants(options_.width == 16);
  bank_options.max_inputs = enumerator::kMaxInputs;
  bank_options.max_bytes = options_.max_bytes;
  bank_options.max_candidates = kMostPrograms;
  auto search = enumerator::BankSearch::Create(machine, bank_options);
  if (!search.ok()) return search.status();
  enumerator::RunStatistics statistics;
  std::vector<rules::SubsumptionRule> general;
  std::set<ir::Digest> known;
  for (const ir::Term& term : sweep.representatives) {
    if (options_.stop.stop_requested()) break;
    std::optional<machine::Candidate> rule = FindProgram(machine, search->get(), AtItsSizes(term), &statistics);
    if (rule.has_value() && known.insert(machine::CandidateId(*rule)).second) general.push_back({*std::move(rule)});
    if (options_.progress) options_.progress(RunStatisticsOf(statistics), "programs");
  }
  statistics.general = general.size();
  const std::vector<bool> subsumed = rules::Subsumed(machine, general, machine::BaseKind::kNaive);
  for (size_t i = 0; i < general.size(); ++i) {
    if (subsumed[i]) continue;
    const machine::Candidate& rule = general[i].candidate;
    EnumeratedRule one;
    one.search = ir::DisplayTerm(rule.search);
    one.program = machine::PrintProgram(machine, *rule.program);
    one.search_ops = static_cast<int>(ir::OpsInPrefixOrder(rule.search).size());
    one.cost = machine::ProgramCost(machine, *rule.program).issue_cycles;
    const absl::StatusOr<machine::Cost> base =
        machine::BaseCost(machine, machine::WithSampleConstants(rule).search, machine::BaseKind::kNaive);
    one.base_cost = base.value_or(machine::Cost{}).issue_cycles;
    one.verdicts.emplace_back(options_.width, "proved");
    report_.rules.push_back(std::move(one));
  }
  statistics.minimal = report_.rules.size();
  statistics.enumerated += sweep.run_statistics.enumerated;
  statistics.peak_bytes = PeakResidentBytes();
  report_.run_statistics = RunStatisticsOf(statistics);
  return absl::OkStatus();
}

absl::StatusOr<EnumerateReport> Enumeration::Run() {
  enumerator::SweepOptions sweep;
  absl::StatusOr<std::vector<const ir::OpRow*>> rows = RowsOf(options_);
  if (!rows.ok()) return rows.status();
  std::unique_ptr<const machine::Machine> machine;
  if (!options_.machine_file.empty()) {
    auto loaded = machine::LoadMachine(options_.machine_file);
    if (!loaded.ok()) return loaded.status();
    machine = *std::move(loaded);
    if (options_.width != 32 && options_.width != 16) {
      return absl::InvalidArgumentError("machine programs can be searched for only at 16 and 32 bits");
    }
    if (!options_.prove_widths.empty())
      return absl::InvalidArgumentError("machine programs have only one width; omit prove-widths");
  }
  sweep.ops = *std::move(rows);
  sweep.variables = options_.variables;
  sweep.max_size = options_.size;
  sweep.width = options_.width;
  sweep.modes = options_.modes;
  sweep.constants = options_.constants;
  for (const auto& [search, replace] : options_.others)
    sweep.others.emplace_back(OverRows(search, sweep.ops), OverRows(replace, sweep.ops));
  sweep.max_bytes = options_.max_bytes;
  sweep.stop = options_.stop;
  sweep.progress = [&](const enumerator::RunStatistics& run_statistics, int size) {
    if (options_.progress) options_.progress(RunStatisticsOf(run_statistics), absl::StrCat("size ", size));
  };
  TakesAll takes_all;
  enumerator::ProverInterface* prover = &prover_;
  if (machine != nullptr) prover = &takes_all;
  absl::StatusOr<enumerator::SweepResult> swept = enumerator::SweepTerms(sweep, prover);
  if (!swept.ok()) return swept.status();
  report_.run_statistics = RunStatisticsOf(swept->run_statistics);
  report_.derived = machine == nullptr ? swept->derived : 0;
  report_.underived = swept->underived;
  report_.not_from_others = swept->not_from_others;
  report_.others_not_known = swept->others_not_known;
  report_.seconds_proving = swept->seconds_proving;
  report_.seconds_minimising = swept->seconds_minimising;
  report_.exhaustive = swept->exhaustive;
  report_.complete = swept->complete;
  if (machine == nullptr) {
    AddTerms(*swept);
  } else if (absl::Status status = ForMachine(*machine, *swept); !status.ok()) {
    return status;
  }
  report_.run_statistics.set_seconds(std::chrono::duration<double>(RunBudget::Clock::now() - start_).count());
  report_.complete = report_.complete && !options_.stop.stop_requested();
  return std::move(report_);
}

}  // namespace

absl::StatusOr<EnumerateReport> Enumerate(const EnumerateOptions& options, const verifier::Solvers& solvers) {
  for (const int width : options.prove_widths) {
    if (width < 1 || width > 64)
      return absl::InvalidArgumentError(absl::StrCat("prove-widths: must be 1 to 64 bits, not ", width));
  }
  return Enumeration(options, solvers).Run();
}

}  // namespace rewrought::pipeline

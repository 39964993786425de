#include "server/pipeline/enumerate.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "enumerator/generalise.h"
#include "enumerator/minimise.h"
#include "enumerator/search.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "verifier/verdict_message.h"

namespace rewrought::pipeline {
namespace {

// Rows for counts that have the size of what is shifted, which NIR's have not. They live as long as the program, as
// parsed meanings are kept by address.
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
      return absl::InvalidArgumentError(absl::StrCat("no op is called '", name, "'; rewrought ops lists them"));
    const bool is_shift = name == "ishl" || name == "ishr" || name == "ushr";
    const bool other_width =
        options.width != 32 ||
        std::any_of(options.prove_widths.begin(), options.prove_widths.end(), [](int width) { return width != 32; });
    if (is_shift && (options.shifts_zero || other_width)) row = ShiftRow(name, options.shifts_zero);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  return rows;
}

verifier::Verdict Verify(const verifier::Prover& prover, const ir::Term& search, const ir::Term& replace,
                         absl::Span<const ir::DenormMode> modes, std::string* reason) {
  for (const ir::DenormMode mode : modes) {
    const verifier::CaseResult result = prover.Prove({search, replace, mode});
    *reason = result.reason;
    if (result.verdict != verifier::Verdict::kProved) return result.verdict;
  }
  return verifier::Verdict::kProved;
}

class VerifierProver : public enumerator::ProverInterface {
 public:
  explicit VerifierProver(const verifier::Prover& prover) : prover_(prover) {}
  enumerator::ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                                         absl::Span<const ir::DenormMode> modes) override {
    enumerator::ProofResult result;
    const verifier::Verdict verdict = Verify(prover_, search, replace, modes, &result.reason);
    if (verdict == verifier::Verdict::kProved) result.outcome = enumerator::Outcome::kProved;
    if (verdict == verifier::Verdict::kRefuted) result.outcome = enumerator::Outcome::kRefuted;
    return result;
  }

 private:
  const verifier::Prover& prover_;
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
  Enumeration(const EnumerateOptions& options, verifier::Solver* solver, verifier::Solver* second_solver)
      : options_(options),
        verifier_(solver, second_solver, WithStop(options)),
        prover_(verifier_),
        start_(absl::Now()) {}

  absl::StatusOr<EnumerateReport> Run();

 private:
  static verifier::ProverOptions WithStop(const EnumerateOptions& options) {
    verifier::ProverOptions prover = options.prover;
    prover.cancel = options.stop;
    return prover;
  }

  absl::Status ForMachine(const machine::Machine& machine, const enumerator::SweepResult& sweep);
  void AddTerms(const enumerator::SweepResult& sweep);

  const EnumerateOptions& options_;
  const verifier::Prover verifier_;
  VerifierProver prover_;
  const absl::Time start_;
  EnumerateReport report_;
};

// Never proves: a machine's goals need the functions, not the rules between terms.
class TakesAll : public enumerator::ProverInterface {
 public:
  enumerator::ProofResult ProveCandidate(const ir::Term&, const ir::Term&, absl::Span<const ir::DenormMode>) override {
    return {enumerator::Outcome::kProved, {}, ""};
  }
};

void Enumeration::AddTerms(const enumerator::SweepResult& sweep) {
  const std::vector<ir::DenormMode> modes = enumerator::SweepOptions().modes;
  for (const enumerator::SweepRule& rule : sweep.rules) {
    EnumeratedRule found;
    found.search = ir::PrintTerm(WithOpenSizes(rule.search));
    found.replace = ir::PrintTerm(WithOpenSizes(rule.replace));
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
      const ir::Term search = enumerator::InSize(rule.search, options_.width, width);
      const ir::Term replace = enumerator::InSize(rule.replace, options_.width, width);
      const bool floats = ir::HasFloatOperation(search) || ir::HasFloatOperation(replace);
      std::string reason;
      const verifier::Verdict verdict = Verify(
          verifier_, search, replace, floats ? modes : std::vector<ir::DenormMode>{ir::DenormMode::kNone}, &reason);
      found.verdicts.emplace_back(width, std::string(verifier::NameOf(verdict)));
    }
    report_.rules.push_back(std::move(found));
    if (options_.progress) {
      options_.progress(report_.run_statistics,
                        absl::StrCat("verified ", report_.rules.size(), " of ", sweep.rules.size()));
    }
  }
}

absl::Status Enumeration::ForMachine(const machine::Machine& machine, const enumerator::SweepResult& sweep) {
  enumerator::InstructionSetOptions set_options;
  set_options.halves = options_.width == 16;
  auto set = enumerator::InstructionSet::OfMachine(machine, set_options);
  if (!set.ok()) return set.status();
  enumerator::SearchOptions search_options;
  search_options.bank.max_bytes = options_.max_bytes;
  search_options.propose_flags = false;
  search_options.stop = options_.stop;
  search_options.progress = [&](const enumerator::RunStatistics& run_statistics) {
    if (options_.progress) options_.progress(RunStatisticsOf(run_statistics), "programs");
  };
  std::vector<enumerator::SearchFragment> goals;
  for (const ir::Term& term : sweep.representatives) goals.push_back({term, {}});
  enumerator::Search search(set->get(), &prover_, search_options);
  const std::vector<enumerator::DiscoveredRule> found = search.Run(goals);
  enumerator::RunStatistics run_statistics = search.statistics();
  enumerator::GeneraliseOptions general_options;
  general_options.open_sizes = false;
  general_options.stop = options_.stop;
  enumerator::Generaliser generaliser(&machine, &prover_, general_options);
  const std::vector<enumerator::GeneralRule> general = generaliser.GeneraliseAll(found, &run_statistics);
  const std::vector<enumerator::GeneralRule> minimal = enumerator::Minimise(general, &run_statistics);
  for (const enumerator::GeneralRule& rule : minimal) {
    EnumeratedRule one;
    one.search = ir::PrintTerm(rule.rule.search);
    one.program = machine::PrintProgram(machine, *rule.program);
    for (const ir::Node& node : rule.rule.search.nodes) one.search_ops += node.kind == ir::NodeKind::kOp ? 1 : 0;
    one.cost = rule.found.cost;
    one.base_cost = rule.found.base_cost;
    one.verdicts.emplace_back(options_.width, "proved");
    report_.rules.push_back(std::move(one));
  }
  run_statistics.enumerated += sweep.run_statistics.enumerated;
  report_.run_statistics = RunStatisticsOf(run_statistics);
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
      return absl::InvalidArgumentError("a machine's programs are searched at 16 and 32 bits");
    }
    if (!options_.prove_widths.empty()) return absl::InvalidArgumentError("a machine's programs have one width");
  }
  sweep.ops = *std::move(rows);
  sweep.variables = options_.variables;
  sweep.max_size = options_.size;
  sweep.width = options_.width;
  sweep.constants = options_.constants;
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
  report_.exhaustive = swept->exhaustive;
  report_.complete = swept->complete;
  if (machine == nullptr) {
    AddTerms(*swept);
  } else if (absl::Status status = ForMachine(*machine, *swept); !status.ok()) {
    return status;
  }
  report_.run_statistics.set_seconds(absl::ToDoubleSeconds(absl::Now() - start_));
  report_.complete = report_.complete && !options_.stop.stop_requested();
  return std::move(report_);
}

}  // namespace

absl::StatusOr<EnumerateReport> Enumerate(const EnumerateOptions& options, verifier::Solver* solver,
                                          verifier::Solver* second_solver) {
  for (const int width : options.prove_widths) {
    if (width < 1 || width > 64)
      return absl::InvalidArgumentError(absl::StrCat("prove-widths: 1 to 64 bits, not ", width));
  }
  return Enumeration(options, solver, second_solver).Run();
}

}  // namespace rewrought::pipeline

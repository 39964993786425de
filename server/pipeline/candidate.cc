#include "server/pipeline/candidate.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "machine/program_term.h"
#include "verifier/rule_case.h"

namespace rewrought::pipeline {

std::string CandidateText(const Candidate& candidate) {
  const std::string right = candidate.program.has_value()
                                ? machine::PrintProgram(*candidate.machine, *candidate.program)
                                : ir::PrintTerm(candidate.replace);
  return absl::StrCat("(", ir::PrintTerm(candidate.search), ", ", right, ")");
}

store::Digest CandidateId(const Candidate& candidate) {
  return store::RuleId(CandidateText(candidate), candidate.machine->id());
}

ir::Rule NirTuple(const Candidate& candidate) {
  ir::Rule rule;
  rule.search = candidate.search;
  rule.replace = candidate.replace;
  return rule;
}

absl::StatusOr<ir::Term> ReplacementTerm(const Candidate& candidate) {
  if (candidate.program.has_value()) return machine::ProgramTerm(*candidate.machine, *candidate.program);
  ir::Term replace = candidate.replace;
  verifier::BuildAsMesa(candidate.search, &replace);
  return replace;
}

absl::StatusOr<machine::Cost> RightSideCost(const Candidate& candidate, machine::BaseKind kind) {
  if (candidate.program.has_value()) return machine::ProgramCost(*candidate.machine, *candidate.program);
  return machine::BaseCost(*candidate.machine, candidate.replace, kind);
}

absl::StatusOr<Candidate> CandidateOfRecord(const store::RuleRecord& record) {
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(record.machine);
  if (!machine.ok()) return machine.status();
  Candidate candidate;
  candidate.machine = *machine;
  absl::StatusOr<ir::Term> search = ir::ParseTerm(record.search);
  if (!search.ok()) return search.status();
  candidate.search = *std::move(search);
  if (record.program.empty()) {
    absl::StatusOr<ir::Term> replace = ir::ParseTerm(record.replace);
    if (!replace.ok()) return replace.status();
    candidate.replace = *std::move(replace);
    return candidate;
  }
  absl::StatusOr<machine::Program> program = machine::ParseProgram(**machine, record.program);
  if (!program.ok()) return program.status();
  candidate.program = *std::move(program);
  return candidate;
}

}  // namespace rewrought::pipeline

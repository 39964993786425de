#include "machine/candidate.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/match/mesa_build.h"
#include "ir/text/rule_text.h"
#include "machine/program_term.h"

namespace rewrought::machine {

std::string CandidateText(const Candidate& candidate) {
  const std::string right = candidate.program.has_value() ? PrintProgram(*candidate.machine, *candidate.program)
                                                          : ir::PrintTerm(candidate.replace);
  return absl::StrCat("(", ir::PrintTerm(candidate.search), ", ", right, ")");
}

ir::Digest CandidateId(const Candidate& candidate) {
  return ir::RuleId(CandidateText(candidate), candidate.machine->id());
}

ir::Rule NirTuple(const Candidate& candidate) {
  ir::Rule rule;
  rule.search = candidate.search;
  rule.replace = candidate.replace;
  return rule;
}

absl::StatusOr<ir::Term> ReplacementTerm(const Candidate& candidate) {
  if (candidate.program.has_value()) return ProgramTerm(*candidate.machine, *candidate.program);
  ir::Term replace = candidate.replace;
  ir::BuildAsMesa(candidate.search, &replace);
  return replace;
}

absl::StatusOr<Cost> RightSideCost(const Candidate& candidate, BaseKind kind) {
  if (candidate.program.has_value()) return ProgramCost(*candidate.machine, *candidate.program);
  return BaseCost(*candidate.machine, candidate.replace, kind);
}

}  // namespace rewrought::machine

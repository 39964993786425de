#include "server/pipeline/rule_draft.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "machine/program_term.h"
#include "verifier/rule_case.h"

namespace rewrought::pipeline {

std::string DraftText(const RuleDraft& draft) {
  const std::string right =
      draft.program.has_value() ? machine::PrintProgram(*draft.machine, *draft.program) : ir::PrintTerm(draft.replace);
  return absl::StrCat("(", ir::PrintTerm(draft.search), ", ", right, ")");
}

store::Digest DraftId(const RuleDraft& draft) { return store::RuleId(DraftText(draft), draft.machine->id()); }

ir::Rule NirTuple(const RuleDraft& draft) {
  ir::Rule rule;
  rule.search = draft.search;
  rule.replace = draft.replace;
  return rule;
}

absl::StatusOr<ir::Term> ReplacementTerm(const RuleDraft& draft) {
  if (draft.program.has_value()) return machine::ProgramTerm(*draft.machine, *draft.program);
  ir::Term replace = draft.replace;
  verifier::BuildAsMesa(draft.search, &replace);
  return replace;
}

absl::StatusOr<machine::Cost> RightSideCost(const RuleDraft& draft, machine::BaseKind kind) {
  if (draft.program.has_value()) return machine::ProgramCost(*draft.machine, *draft.program);
  return machine::BaseCost(*draft.machine, draft.replace, kind);
}

absl::StatusOr<RuleDraft> DraftOfRecord(const store::RuleRecord& record) {
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(record.machine);
  if (!machine.ok()) return machine.status();
  RuleDraft draft;
  draft.machine = *machine;
  absl::StatusOr<ir::Term> search = ir::ParseTerm(record.search);
  if (!search.ok()) return search.status();
  draft.search = *std::move(search);
  if (record.program.empty()) {
    absl::StatusOr<ir::Term> replace = ir::ParseTerm(record.replace);
    if (!replace.ok()) return replace.status();
    draft.replace = *std::move(replace);
    return draft;
  }
  absl::StatusOr<machine::Program> program = machine::ParseProgram(**machine, record.program);
  if (!program.ok()) return program.status();
  draft.program = *std::move(program);
  return draft;
}

}  // namespace rewrought::pipeline

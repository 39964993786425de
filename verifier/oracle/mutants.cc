#include "verifier/oracle/mutants.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"
#include "machine/legality.h"
#include "machine/program_term.h"

namespace rewrought::verifier {
namespace {

using machine::Instruction;
using machine::Operand;
using machine::OperandKind;
using machine::Program;

// Mutants by kind of change, so that a limited selection contains some of each kind.
struct ByKind {
  std::vector<Program> operands, constants, modifiers, ops;
};

void MutateOperands(const Program& program, size_t at, ByKind* out) {
  const Instruction& instruction = program.instructions[at];
  std::vector<Operand> variables;
  for (const Instruction& other : program.instructions) {
    for (const Operand& operand : other.sources) {
      if (operand.kind == OperandKind::kVariable) variables.push_back(operand);
    }
  }
  for (size_t s = 0; s < instruction.sources.size(); ++s) {
    const Operand& source = instruction.sources[s];
    for (const Operand& variable : variables) {
      if (variable.name == source.name || variable.type != source.type || source.kind == OperandKind::kNull) continue;
      Program mutant = program;
      mutant.instructions[at].sources[s].kind = OperandKind::kVariable;
      mutant.instructions[at].sources[s].name = variable.name;
      out->operands.push_back(std::move(mutant));
    }
    if (s > 0 && instruction.sources[s - 1] != source && instruction.sources[s - 1].type == source.type) {
      Program mutant = program;
      std::swap(mutant.instructions[at].sources[s - 1], mutant.instructions[at].sources[s]);
      out->operands.push_back(std::move(mutant));
    }
    if (source.kind == OperandKind::kImmediate) {
      for (const uint64_t change : {uint64_t{1}, uint64_t{0x00800000}, uint64_t{0x80000000}}) {
        Program mutant = program;
        mutant.instructions[at].sources[s].bits ^= change;
        out->constants.push_back(std::move(mutant));
      }
    }
  }
}

void Toggle(std::vector<machine::ModifierIndex>* modifiers, machine::ModifierIndex modifier) {
  const auto found = std::find(modifiers->begin(), modifiers->end(), modifier);
  if (found != modifiers->end()) {
    modifiers->erase(found);
  } else {
    modifiers->push_back(modifier);
  }
}

void MutateModifiers(const Program& program, size_t at, ByKind* out) {
  const Instruction& instruction = program.instructions[at];
  for (size_t s = 0; s < instruction.sources.size(); ++s) {
    if (s >= instruction.variant->operands.size()) break;
    for (const machine::ModifierIndex modifier : instruction.variant->operands[s].modifiers) {
      Program mutant = program;
      Toggle(&mutant.instructions[at].sources[s].modifiers, modifier);
      out->modifiers.push_back(std::move(mutant));
    }
  }
  for (const machine::ModifierIndex modifier : instruction.variant->destination_modifiers) {
    Program mutant = program;
    Toggle(&mutant.instructions[at].destination_modifiers, modifier);
    out->modifiers.push_back(std::move(mutant));
  }
}

void MutateOps(const machine::Machine& machine, const Program& program, size_t at, ByKind* out) {
  const Instruction& instruction = program.instructions[at];
  for (int choice = 0; choice < static_cast<int>(instruction.variant->rows.size()); ++choice) {
    if (instruction.choice < 0 || choice == instruction.choice) continue;
    Program mutant = program;
    mutant.instructions[at].choice = choice;
    out->ops.push_back(std::move(mutant));
  }
  for (const machine::Variant& variant : machine.variants()) {
    if (variant.mnemonic == instruction.variant->mnemonic || variant.result != instruction.variant->result ||
        variant.sources != instruction.variant->sources || variant.selector != instruction.variant->selector ||
        variant.reads_predicate != instruction.variant->reads_predicate ||
        (instruction.flag_choice >= 0 && variant.result_flag != instruction.variant->result_flag)) {
      continue;
    }
    Program mutant = program;
    mutant.instructions[at].variant = &variant;
    out->ops.push_back(std::move(mutant));
  }
}

bool HasRow(const Instruction& instruction) {
  const machine::Variant& variant = *instruction.variant;
  const size_t choice = static_cast<size_t>(std::max(0, instruction.choice));
  if (instruction.saturated ? variant.saturated == nullptr : choice >= variant.rows.size()) return false;
  return instruction.flag.empty() || instruction.flag_choice >= 0 || choice < variant.flag_rows.size();
}

// Returns whether every instruction has a meaning and every modifier applies to its operand's type. machine::CheckLegal
// checks neither.
bool HasMeaning(const machine::Machine& machine, const Program& program) {
  for (const Instruction& instruction : program.instructions) {
    const machine::Variant& variant = *instruction.variant;
    if (!HasRow(instruction)) return false;
    for (size_t s = 0; s < instruction.sources.size(); ++s) {
      if (s >= variant.sources.size()) return false;
      for (const machine::ModifierIndex modifier : instruction.sources[s].modifiers) {
        if (!machine.modifiers()[static_cast<size_t>(modifier)].rows.contains(variant.sources[s])) return false;
      }
    }
    for (const machine::ModifierIndex modifier : instruction.destination_modifiers) {
      if (!machine.modifiers()[static_cast<size_t>(modifier)].rows.contains(variant.result)) return false;
    }
  }
  return true;
}

std::vector<ir::Term> ProgramMutants(const machine::Candidate& candidate, size_t limit) {
  ByKind kinds;
  for (size_t at = 0; at < candidate.program->instructions.size(); ++at) {
    MutateOperands(*candidate.program, at, &kinds);
    MutateModifiers(*candidate.program, at, &kinds);
    MutateOps(*candidate.machine, *candidate.program, at, &kinds);
  }
  std::vector<ir::Term> terms;
  std::set<std::string> seen = {machine::PrintProgram(*candidate.machine, *candidate.program)};
  const std::vector<Program>* const lists[] = {&kinds.modifiers, &kinds.operands, &kinds.ops, &kinds.constants};
  for (size_t place = 0, left = 1; left > 0 && terms.size() < limit; ++place) {
    left = 0;
    for (const std::vector<Program>* list : lists) {
      if (place >= list->size() || terms.size() >= limit) continue;
      ++left;
      const Program& mutant = (*list)[place];
      if (!HasMeaning(*candidate.machine, mutant) || !machine::CheckLegal(*candidate.machine, mutant).ok()) continue;
      absl::StatusOr<ir::Term> term = machine::ProgramTerm(*candidate.machine, mutant);
      if (!term.ok() || term->root_node().bits != candidate.search.root_node().bits) continue;
      if (seen.insert(machine::PrintProgram(*candidate.machine, mutant)).second) terms.push_back(*std::move(term));
    }
  }
  return terms;
}

bool SameShape(const ir::OpRow& a, const ir::OpRow& b) {
  return a.name != b.name && a.result == b.result && a.sources == b.sources && a.free_sizes == b.free_sizes;
}

// If the replacement is a single variable, adds mutants that replace it with another variable of the search or with a
// constant.
void AddLeafMutants(const ir::Term& search, const ir::Term& replace, std::vector<ir::Term>* terms) {
  const ir::Node& variable = replace.root_node();
  std::set<std::string> taken = {variable.name};
  for (const ir::Node& node : search.nodes) {
    if (node.kind != ir::NodeKind::kVariable || node.bits != variable.bits || !taken.insert(node.name).second) continue;
    ir::Term mutant = replace;
    mutant.nodes[mutant.root].name = node.name;
    terms->push_back(std::move(mutant));
  }
  for (const uint64_t bits : {uint64_t{0}, ir::MaskOf(variable.bits) >> 2}) {
    ir::Term mutant = replace;
    ir::Node& node = mutant.nodes[mutant.root];
    node = ir::Node{};
    node.kind = ir::NodeKind::kConstant;
    node.bits = variable.bits;
    node.values[0] = bits;
    terms->push_back(std::move(mutant));
  }
}

std::vector<ir::Term> TermMutants(const machine::Candidate& candidate, size_t limit) {
  absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(candidate);
  std::vector<ir::Term> terms;
  if (!replace.ok()) return terms;
  std::vector<std::string> names;
  for (const ir::Node& node : replace->nodes) {
    if (node.kind == ir::NodeKind::kVariable) names.push_back(node.name);
  }
  for (size_t i = 0; i < replace->nodes.size(); ++i) {
    const ir::Node& node = replace->nodes[i];
    if (node.kind == ir::NodeKind::kConstant) {
      for (const uint64_t change : {uint64_t{1}, uint64_t{1} << (node.bits - 1)}) {
        ir::Term mutant = *replace;
        mutant.nodes[i].values[0] ^= change;
        terms.push_back(std::move(mutant));
      }
    }
    if (node.kind == ir::NodeKind::kVariable && replace->root == i) {
      AddLeafMutants(candidate.search, *replace, &terms);
    }
    if (node.kind != ir::NodeKind::kOp) continue;
    if (node.sources.size() > 1 && node.sources[0] != node.sources[1]) {
      ir::Term mutant = *replace;
      mutant.nodes[i].sources[1] = mutant.nodes[i].sources[0];
      if (mutant.at(node.sources[0].node).bits == replace->at(node.sources[1].node).bits)
        terms.push_back(std::move(mutant));
    }
    int taken = 0;
    for (const ir::OpRow* row : ir::AllOps()) {
      if (taken >= 3 || !SameShape(*row, *node.op)) continue;
      ir::Term mutant = *replace;
      mutant.nodes[i].op = row;
      terms.push_back(std::move(mutant));
      ++taken;
    }
  }
  if (terms.size() > limit) terms.resize(limit);
  return terms;
}

}  // namespace

std::vector<ir::Term> MutantsOf(const machine::Candidate& candidate, size_t limit) {
  return candidate.program.has_value() ? ProgramMutants(candidate, limit) : TermMutants(candidate, limit);
}

MutantTally VerifyMutants(const Prover& prover, const machine::Candidate& candidate,
                          const std::vector<ir::Term>& mutants) {
  MutantTally tally;
  for (const ir::Term& mutant : mutants) {
    RuleCase rule_case{candidate.search, mutant, ir::DenormMode::kAny};
    if (!ir::HasFloatOperation(candidate.search) && !ir::HasFloatOperation(mutant))
      rule_case.mode = ir::DenormMode::kNone;
    switch (prover.Prove(rule_case).verdict) {
      case v1::VERDICT_REFUTED:
        ++tally.refuted;
        break;
      case v1::VERDICT_PROVED:
        ++tally.equivalent;
        break;
      default:
        ++tally.undecided;
        break;
    }
  }
  return tally;
}

}  // namespace rewrought::verifier

#include "machine/base/base_selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/evaluate.h"
#include "ir/match/rewriter.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "machine/base/base_rules.h"
#include "machine/base/constants.h"
#include "machine/legality.h"
#include "machine/program_term.h"

namespace rewrought::machine {
namespace {

bool IsNegation(const std::string& nir) { return nir == "fneg" || nir == "ineg"; }
bool IsMagnitude(const std::string& nir) { return nir == "fabs" || nir == "iabs"; }

class BaseSelector {
 public:
  // The selector does not contract the nodes in `apart` with their sources.
  BaseSelector(const Machine& machine, const BaseRules& rules, const ir::Term& term, BaseKind kind,
               std::set<ir::NodeIndex> apart)
      : m_(machine),
        rules_(rules),
        term_(term),
        tuned_(kind == BaseKind::kTuned),
        uncontracted_(std::move(apart)),
        uses_(term.nodes.size(), 0) {}

  absl::StatusOr<Program> Select() {
    if (absl::Status status = CountUses(term_.root); !status.ok()) return status;
    absl::StatusOr<std::string> root = EmitRoot();
    if (!root.ok()) return root.status();
    for (Instruction& instruction : out_.instructions) {
      Rename(*root, &instruction.destination);
      for (Operand& source : instruction.sources) Rename(*root, &source);
    }
    if (absl::Status status = CheckLegal(m_, out_); !status.ok()) {
      return absl::InternalError(
          absl::StrCat("base selection produced an illegal program, ", PrintProgram(m_, out_), ": ", status.message()));
    }
    return std::move(out_);
  }

  // Results of the last Select call.
  const std::vector<ir::NodeIndex>& contracted() const { return contracted_; }
  bool loads_constants() const { return !constants_.empty(); }

 private:
  static void Rename(const std::string& root, Operand* operand) {
    if (operand->kind == OperandKind::kRegister && operand->name == root) operand->name = std::string(kResultName);
  }

  absl::Status CountUses(ir::NodeIndex index) {
    const ir::Node& node = term_.at(index);
    if (uses_[index]++ > 0) return absl::OkStatus();
    if (node.components != 1 || node.bits == 0) {
      return absl::UnimplementedError("base selection requires scalar terms with fixed sizes");
    }
    if (node.kind == ir::NodeKind::kVariable) {
      if (node.name == kResultName || node.name == kDefaultFlag) {
        return absl::UnimplementedError(absl::StrCat("variables cannot be named ", node.name, " in machine programs"));
      }
      out_.variable_bits[node.name] = node.bits;
    }
    for (const ir::Source& source : node.sources) {
      if (source.swizzle[0] != 0) return absl::UnimplementedError("base selection requires scalar terms");
      if (absl::Status status = CountUses(source.node); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::string FreshName() {
    std::string name;
    do {
      name = absl::StrCat("v", next_name_++);
    } while (out_.variable_bits.contains(name));
    return name;
  }

  absl::StatusOr<std::string> EmitRoot() {
    if (term_.root_node().kind == ir::NodeKind::kOp) return EmitOp(term_.root);
    const auto moves = rules_.by_root.find("mov");
    if (moves != rules_.by_root.end()) {
      for (const BaseRule& rule : moves->second) {
        if (rule.pattern.bits != term_.root_node().bits) continue;
        return Instantiate(rule, {{{rule.pattern.sources[0].name, term_.root}}, {}});
      }
    }
    return absl::UnimplementedError(absl::StrCat(m_.id(), " has no move of ", term_.root_node().bits, " bits"));
  }

  // Returns the register of the op node, computing it first if needed.
  absl::StatusOr<std::string> EmitOp(ir::NodeIndex index) {
    if (const auto found = registers_.find(index); found != registers_.end()) return found->second;
    absl::StatusOr<std::string> name = tuned_ ? FoldIntoDestination(index) : std::string();
    if (!name.ok()) return name;
    if (name->empty()) {
      BaseMatch match;
      const BaseRule* rule = FindRule(index, &match);
      if (rule == nullptr) {
        const ir::Node& node = term_.at(index);
        return absl::UnimplementedError(
            absl::StrCat(m_.id(), " has no base rule for ", node.op->name, " of ", node.bits, " bits"));
      }
      if (rule->inexact) contracted_.push_back(index);
      name = Instantiate(*rule, match);
      if (!name.ok()) return name;
    }
    registers_[index] = *name;
    return name;
  }

  const BaseRule* FindRule(ir::NodeIndex index, BaseMatch* match) const {
    const auto rules = rules_.by_root.find(term_.at(index).op->name);
    if (rules == rules_.by_root.end()) return nullptr;
    for (const BaseRule& rule : rules->second) {
      if (rule.strong && !tuned_) continue;
      *match = BaseMatch();
      if (MatchBase(term_, rule.pattern, index, match) && Allowed(rule, *match)) return &rule;
    }
    return nullptr;
  }

  // Rejects matches whose inner nodes have other users, and contractions of exact nodes.
  bool Allowed(const BaseRule& rule, const BaseMatch& match) const {
    if (rule.inexact && uncontracted_.contains(match.covered[0])) return false;
    for (size_t i = 0; i < match.covered.size(); ++i) {
      if (i > 0 && (uses_[match.covered[i]] > 1 || registers_.contains(match.covered[i]))) return false;
      if (rule.inexact && (term_.at(match.covered[i]).flags & ir::kExact) != 0) return false;
    }
    return true;
  }

  // Folds fsat(x) or f2f16(x) into the instruction that computes x. Returns an empty string if that is impossible.
  absl::StatusOr<std::string> FoldIntoDestination(ir::NodeIndex index) {
    const ir::Node& node = term_.at(index);
    if (node.sources.size() != 1) return std::string();
    const ir::NodeIndex child = node.sources[0].node;
    if (term_.at(child).kind != ir::NodeKind::kOp || uses_[child] != 1) return std::string();
    for (size_t i = 0; i < m_.modifiers().size(); ++i) {
      const Modifier& modifier = m_.modifiers()[i];
      const bool saturates = modifier.place == v1::Modifier::DESTINATION;
      if ((!saturates && modifier.place != v1::Modifier::NARROW) || modifier.nir != node.op->name) continue;
      absl::StatusOr<std::string> name = EmitOp(child);
      if (!name.ok()) return name;
      Instruction trial = out_.instructions.back();
      if (trial.destination.name != *name || !trial.flag.empty() || trial.destination.type != trial.variant->result ||
          !trial.destination_modifiers.empty() || trial.destination.subscript >= 0) {
        if (!saturates || trial.destination.name != *name) continue;
        if (trial.destination.type != trial.variant->result || !trial.destination_modifiers.empty()) continue;
      }
      if (saturates) {
        if (!modifier.rows.contains(trial.variant->result)) continue;
        trial.destination_modifiers.push_back(static_cast<int>(i));
      } else {
        if (trial.variant->result != modifier.from || !trial.flag.empty()) continue;
        if (m_.types()[modifier.to].bits != node.bits) continue;
        trial.destination.type = modifier.to;
        if (NarrowingOf(m_, *trial.variant, modifier.to) < 0) continue;
      }
      if (!CheckInstruction(m_, trial).ok()) continue;
      out_.instructions.back() = std::move(trial);
      return name;
    }
    return std::string();
  }

  // Appends the rule's program with its variables bound. Returns the result's register.
  absl::StatusOr<std::string> Instantiate(const BaseRule& rule, const BaseMatch& match) {
    std::map<std::string, std::string> names;
    std::vector<Instruction> bound;
    for (const Instruction& original : rule.program.instructions) {
      Instruction instruction = original;
      instruction.line = instruction.column = 0;
      for (size_t i = 0; i < instruction.sources.size(); ++i) {
        Operand& source = instruction.sources[i];
        if (source.kind == OperandKind::kRegister) source.name = names.at(source.name);
      }
      for (size_t i = 0; i < instruction.sources.size(); ++i) {
        const Operand& source = original.sources[i];
        if (source.kind != OperandKind::kVariable) continue;
        const auto found = match.variables.find(source.name);
        if (found == match.variables.end())
          return absl::InvalidArgumentError(absl::StrCat("a base rule does not bind ", source.name));
        absl::Status status = BindSource(found->second, source, i, &instruction);
        if (!status.ok()) return status;
      }
      if (instruction.destination.kind == OperandKind::kRegister) {
        const auto [found, is_new] = names.try_emplace(instruction.destination.name);
        if (is_new) found->second = FreshName();
        instruction.destination.name = found->second;
      }
      bound.push_back(std::move(instruction));
    }
    for (Instruction& instruction : bound) out_.instructions.push_back(std::move(instruction));
    return names.at(std::string(kResultName));
  }

  // Returns the operand's index, which a swap of commutative operands may have changed.
  static size_t PlaceOf(const Instruction& instruction, const Operand& original, size_t index) {
    if (instruction.sources[index] == original) return index;
    return index < 2 && instruction.sources[1 - index] == original ? 1 - index : index;
  }

  absl::Status BindSource(ir::NodeIndex node, const Operand& original, size_t index, Instruction* instruction) {
    size_t place = PlaceOf(*instruction, original, index);
    if (tuned_) node = FoldModifiers(node, place, instruction);
    Operand& operand = instruction->sources[place];
    const ir::Node& value = term_.at(node);
    if (value.kind == ir::NodeKind::kConstant) return BindConstant(ConstantBits(value), value.bits, place, instruction);
    if (value.kind == ir::NodeKind::kVariable) {
      operand.kind = OperandKind::kVariable;
      operand.name = value.name;
      return absl::OkStatus();
    }
    absl::StatusOr<std::string> name = EmitOp(node);
    if (!name.ok()) return name.status();
    operand.kind = OperandKind::kRegister;
    operand.name = *name;
    return absl::OkStatus();
  }

  // Folds nodes into source modifiers and widening conversions as long as possible. Returns the remaining node.
  ir::NodeIndex FoldModifiers(ir::NodeIndex index, size_t place, Instruction* instruction) const {
    const Variant& variant = *instruction->variant;
    while (term_.at(index).kind == ir::NodeKind::kOp && instruction->sources[place].subscript < 0) {
      const ir::Node& node = term_.at(index);
      if (node.sources.size() != 1) break;
      bool folded = false;
      for (const ModifierIndex m : variant.operands[place].modifiers) {
        const Modifier& modifier = m_.modifiers()[m];
        Operand& operand = instruction->sources[place];
        if (modifier.nir != node.op->name || operand.type != variant.sources[place]) continue;
        const Operand before = operand;
        if (modifier.place == v1::Modifier::WIDEN) {
          if (m_.types()[modifier.from].bits != term_.at(node.sources[0].node).bits) continue;
          operand.type = modifier.from;
        } else {
          Compose(m, &operand.modifiers);
        }
        if (CheckInstruction(m_, *instruction).ok()) {
          folded = true;
          break;
        }
        operand = before;
      }
      if (!folded) break;
      index = node.sources[0].node;
    }
    return index;
  }

  // Adds a modifier as the innermost one. An existing modifier may cancel or absorb it.
  void Compose(ModifierIndex inner, std::vector<ModifierIndex>* modifiers) const {
    const std::string& nir = m_.modifiers()[inner].nir;
    if (!modifiers->empty()) {
      const std::string& outer = m_.modifiers()[modifiers->front()].nir;
      if (IsMagnitude(outer) && (IsNegation(nir) || IsMagnitude(nir))) return;
      if (outer == nir && (IsNegation(nir) || nir == "inot")) {
        modifiers->erase(modifiers->begin());
        return;
      }
    }
    modifiers->insert(modifiers->begin(), inner);
  }

  // Binds a constant as an immediate, if necessary by swapping commutative operands, or else as a loaded register.
  absl::Status BindConstant(uint64_t bits, int width, size_t place, Instruction* instruction) {
    const Operand written = instruction->sources[place];
    if (tuned_ && written.subscript < 0) {
      Operand immediate = written;
      immediate.kind = OperandKind::kImmediate;
      immediate.name.clear();
      immediate.bits = bits;
      bool known = true;
      for (const ModifierIndex m : written.modifiers)
        known &= ApplyToConstant(m_.modifiers()[m].nir, width, &immediate.bits);
      immediate.modifiers.clear();
      if (known && TryImmediate(m_, immediate, place, instruction)) return absl::OkStatus();
    }
    absl::StatusOr<std::string> name = LoadConstant(bits, width, written.type);
    if (!name.ok()) return name.status();
    instruction->sources[place].kind = OperandKind::kRegister;
    instruction->sources[place].name = *name;
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> LoadConstant(uint64_t bits, int width, TypeIndex type) {
    const auto [found, is_new] = constants_.try_emplace({bits, width});
    if (!is_new) return found->second;
    const auto resolve = rules_.resolves.find({"immediate", type});
    if (resolve == rules_.resolves.end() || m_.types()[type].bits != width) {
      return absl::UnimplementedError(absl::StrCat(m_.id(), " cannot load a constant of type ", m_.types()[type].name));
    }
    Instruction load = resolve->second.instructions[0];
    load.line = load.column = 0;
    load.sources[0].kind = OperandKind::kImmediate;
    load.sources[0].name.clear();
    load.sources[0].bits = bits;
    load.destination.name = found->second = FreshName();
    out_.instructions.push_back(load);
    return found->second;
  }

  const Machine& m_;
  const BaseRules& rules_;
  const ir::Term& term_;
  const bool tuned_;
  const std::set<ir::NodeIndex> uncontracted_;
  std::vector<int> uses_;
  std::vector<ir::NodeIndex> contracted_;
  Program out_;
  std::map<ir::NodeIndex, std::string> registers_;  // The registers of computed op nodes.
  std::map<std::pair<uint64_t, int>, std::string> constants_;
  int next_name_ = 0;
};

// Moves constants to the second operand of commutative ops, where drivers put them and most immediates are allowed.
ir::Term ConstantsLast(ir::Term term) {
  for (ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kOp || (node.op->properties & ir::kCommutative) == 0) continue;
    const auto is_constant = [&](int k) { return term.at(node.sources[k].node).kind == ir::NodeKind::kConstant; };
    if (is_constant(0) && !is_constant(1)) std::swap(node.sources[0], node.sources[1]);
  }
  return term;
}

// Rewrites each division as a multiplication by the reciprocal, as Mesa does before selection (Mesa 25.0.7
// nir_opt_algebraic.py, lower_fdiv). The product can then be contracted.
ir::Term DivisionsAsProducts(const ir::Term& term) {
  ir::Term lowered;
  std::vector<ir::NodeIndex> place;
  for (const ir::Node& node : term.nodes) {
    ir::Node copy = node;
    for (ir::Source& source : copy.sources) source.node = place[source.node];
    if (copy.kind == ir::NodeKind::kOp && copy.op->name == "fdiv") {
      ir::Node reciprocal = copy;
      reciprocal.op = ir::FindOp("frcp");
      reciprocal.sources = {copy.sources[1]};
      copy.op = ir::FindOp("fmul");
      copy.sources[1] = ir::Source{static_cast<ir::NodeIndex>(lowered.nodes.size())};
      lowered.nodes.push_back(std::move(reciprocal));
    }
    place.push_back(static_cast<ir::NodeIndex>(lowered.nodes.size()));
    lowered.nodes.push_back(std::move(copy));
  }
  lowered.root = place[term.root];
  return lowered;
}

ir::Term Expanded(const BaseRules& rules, const ir::Term& term) {
  const bool any = std::any_of(term.nodes.begin(), term.nodes.end(), [&](const ir::Node& node) {
    return std::any_of(rules.expansions.begin(), rules.expansions.end(), [&](const ir::CompiledRule& expansion) {
      return node.kind == ir::NodeKind::kOp && node.op == expansion.root_ops()[0];
    });
  });
  ir::Term expanded = term;
  if (any) ir::Rewriter(rules.expansions, {}).Run(&expanded);
  return expanded;
}

bool HasDivision(const ir::Term& term) {
  return std::any_of(term.nodes.begin(), term.nodes.end(), [](const ir::Node& node) {
    return node.kind == ir::NodeKind::kOp && node.op->name == "fdiv" && node.components == 1;
  });
}

// Returns the commutative ops whose two operands are computed by the same op. Either operand may be contracted, and the
// choice may decide whether a constant can be an immediate.
std::vector<ir::NodeIndex> SumsOfTwoAlike(const ir::Term& term) {
  std::vector<ir::NodeIndex> sums;
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.at(i);
    if (node.kind != ir::NodeKind::kOp || (node.op->properties & ir::kCommutative) == 0) continue;
    const ir::Node &first = term.at(node.sources[0].node), &second = term.at(node.sources[1].node);
    if (first.kind == ir::NodeKind::kOp && first.op == second.op) sums.push_back(i);
  }
  return sums;
}

// Returns the program that tuned base selection produces for `term`. If constants must be loaded, tries to undo
// contractions and to swap operands, because a contraction with loaded constants may cost more than two instructions
// with immediates.
absl::StatusOr<Program> TunedProgram(const Machine& machine, const BaseRules& rules, const ir::Term& term) {
  BaseSelector selector(machine, rules, term, BaseKind::kTuned, {});
  absl::StatusOr<Program> best = selector.Select();
  if (!best.ok() || !selector.loads_constants()) return best;
  double cycles = ProgramCost(machine, *best).issue_cycles;
  std::set<ir::NodeIndex> apart;
  for (const ir::NodeIndex node : selector.contracted()) {
    apart.insert(node);
    absl::StatusOr<Program> tried = BaseSelector(machine, rules, term, BaseKind::kTuned, apart).Select();
    if (tried.ok() && ProgramCost(machine, *tried).issue_cycles < cycles) {
      cycles = ProgramCost(machine, *tried).issue_cycles;
      best = std::move(tried);
    } else {
      apart.erase(node);
    }
  }
  ir::Term other = term;
  for (const ir::NodeIndex sum : SumsOfTwoAlike(term)) {
    std::vector<ir::Source>& sources = other.nodes[sum].sources;
    std::swap(sources[0], sources[1]);
    absl::StatusOr<Program> tried = BaseSelector(machine, rules, other, BaseKind::kTuned, apart).Select();
    if (tried.ok() && ProgramCost(machine, *tried).issue_cycles < cycles) {
      cycles = ProgramCost(machine, *tried).issue_cycles;
      best = std::move(tried);
    } else {
      std::swap(sources[0], sources[1]);
    }
  }
  return best;
}

}  // namespace

absl::StatusOr<Program> BaseProgram(const Machine& machine, const ir::Term& given, BaseKind kind) {
  absl::StatusOr<const BaseRules*> rules = BaseRulesOf(machine);
  if (!rules.ok()) return rules.status();
  if (kind != BaseKind::kTuned) return BaseSelector(machine, **rules, given, kind, {}).Select();
  const ir::Term term = Expanded(**rules, given);
  absl::StatusOr<Program> as_written = TunedProgram(machine, **rules, term);
  if (!as_written.ok()) return as_written;
  absl::StatusOr<Program> best = std::move(as_written);
  std::vector<ir::Term> forms = {ConstantsLast(term)};
  if (HasDivision(term)) forms.push_back(ConstantsLast(DivisionsAsProducts(term)));
  for (const ir::Term& form : forms) {
    absl::StatusOr<Program> tried = TunedProgram(machine, **rules, form);
    if (tried.ok() && ProgramCost(machine, *tried).issue_cycles < ProgramCost(machine, *best).issue_cycles)
      best = std::move(tried);
  }
  return best;
}

absl::StatusOr<Cost> BaseCost(const Machine& machine, const ir::Term& term, BaseKind kind) {
  absl::StatusOr<Program> program = BaseProgram(machine, term, kind);
  if (!program.ok()) return program.status();
  return ProgramCost(machine, *program);
}

bool FusesProducts(const Machine& machine, int bits) {
  const absl::StatusOr<const BaseRules*> rules = BaseRulesOf(machine);
  if (!rules.ok()) return false;
  const auto sums = (*rules)->by_root.find("fadd");
  if (sums == (*rules)->by_root.end()) return false;
  return std::any_of(sums->second.begin(), sums->second.end(), [&](const BaseRule& rule) {
    if (!rule.inexact || rule.pattern.bits != bits || rule.pattern.sources[0].name != "fmul") return false;
    const absl::StatusOr<ir::Term> term = ProgramTerm(machine, rule.program);
    ir::Dag dag;  // A multiply-add may round twice (r300).
    if (!term.ok() || !ir::LowerWithChoices(&dag, *term, ir::DenormMode::kPreserve, 0).ok()) return false;
    for (ir::ValueIndex i = 0; i < dag.size(); ++i) {
      if (dag.at(i).primitive == ir::Primitive::kFfma) return true;
    }
    return false;
  });
}

absl::Status CheckBaseRules(const Machine& machine) { return BaseRulesOf(machine).status(); }

}  // namespace rewrought::machine

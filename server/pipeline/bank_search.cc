#include "server/pipeline/bank_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "enumerator/tape.h"
#include "enumerator/vector_blocks.h"
#include "machine/base_selection.h"
#include "machine/constants.h"
#include "machine/legality.h"
#include "server/pipeline/fragment_form.h"

namespace rewrought::pipeline {
namespace {

using enumerator::ValueKind;
using enumerator::ValueSet;

ValueKind KindOf(ir::BaseType base, int bits) {
  if (bits == 1 || base == ir::BaseType::kBool) return ValueKind::kBoolean;
  return base == ir::BaseType::kFloat ? ValueKind::kFloat : ValueKind::kInteger;
}

// As what the node `index` is read: a float if any use says so.
ValueKind KindAsRead(const ir::Term& term, const std::function<bool(const ir::Node&)>& is_it) {
  ValueKind kind = ValueKind::kInteger;
  for (const ir::Node& node : term.nodes) {
    for (size_t s = 0; s < node.sources.size(); ++s) {
      const ir::Node& source = term.at(node.sources[s].node);
      if (!is_it(source)) continue;
      const ValueKind read = KindOf(node.op->sources[s].base, source.bits);
      if (read != ValueKind::kInteger) kind = read;
    }
  }
  return kind;
}

ValueSet Narrowed(ValueSet plain, const corpus::ValueFacts& facts) {
  if (plain == ValueSet::kFloat32) {
    if (facts.low >= 0 && facts.high <= 1) return ValueSet::kFloat32ZeroToOne;
    if (facts.not_negative()) return ValueSet::kFloat32NonNegative;
    if (facts.integral) return ValueSet::kFloat32Integral;
  }
  return plain;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BankSearch>> BankSearch::Create(const machine::Machine& machine,
                                                               const BankSearchOptions& options) {
  absl::StatusOr<std::unique_ptr<const enumerator::InstructionSet>> set =
      enumerator::InstructionSet::OfMachine(machine, options.instructions);
  if (!set.ok()) return set.status();
  return std::unique_ptr<BankSearch>(new BankSearch(machine, options, *std::move(set)));
}

std::string BankSearch::Configuration() const {
  std::string text = absl::StrCat(
      "bank-2 ", enumerator::kVectorsVersion, " size=", options_.max_size, " longer=", options_.longer,
      " inputs=", options_.max_inputs, " candidates=", options_.max_candidates, " bytes=", options_.max_bytes,
      " found=", options_.max_found, " steps=", set_->steps().size(), " forms=", set_->forms().size(), " constants");
  for (const enumerator::Constant& constant : options_.constants) {
    absl::StrAppend(&text, " ", static_cast<int>(constant.type.kind), ":", absl::Hex(constant.bits));
  }
  return text;
}

void BankSearch::MakeRoom() {
  uint64_t bytes = 0;
  for (const auto& [key, kept] : banks_) bytes += kept.bank->peak_bytes();
  while (banks_.size() > 1 && bytes > options_.max_bytes / 2) {
    const auto oldest = std::min_element(banks_.begin(), banks_.end(),
                                         [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    bytes -= oldest->second.bank->peak_bytes();
    banks_.erase(oldest);
  }
}

enumerator::Bank* BankSearch::BankFor(const std::vector<ValueSet>& inputs, std::stop_token stop,
                                      SearchStatistics* statistics) {
  std::string key;
  for (const ValueSet set : inputs) absl::StrAppend(&key, static_cast<int>(set), " ");
  const auto found = banks_.find(key);
  if (found != banks_.end()) {
    found->second.used = ++clock_;
    return found->second.bank.get();
  }
  MakeRoom();
  enumerator::BankOptions bank_options;
  bank_options.max_size = options_.max_size;
  bank_options.max_bytes = options_.max_bytes / 2;
  bank_options.max_candidates = options_.max_candidates;
  bank_options.stop = stop;
  auto bank = std::make_unique<enumerator::Bank>(set_.get(), inputs, options_.constants, bank_options);
  if (!bank->Build()) {
    statistics->cut_short = true;
    if (stop.stop_requested()) return nullptr;  // a bank that time cut is not kept: the next goal would miss programs
  }
  statistics->enumerated += bank->progress().enumerated;
  statistics->distinct += bank->progress().distinct;
  KeptBank& kept = banks_[key];
  kept.bank = std::move(bank);
  kept.used = ++clock_;
  return kept.bank.get();
}

// The goal with constants that the pool lacks as variables "k0", "k1", …, whose values go to `values`.
ir::Term BankSearch::WithOwnConstantsAsInputs(ir::Term term, std::map<std::string, uint64_t>* values) const {
  std::map<std::pair<uint64_t, int>, std::string> names;
  const ir::Term original = term;
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    ir::Node& node = term.nodes[i];
    if (node.kind != ir::NodeKind::kConstant || (node.bits != 16 && node.bits != 32)) continue;
    const ValueKind kind = KindAsRead(original, [&](const ir::Node& other) { return &other == &original.nodes[i]; });
    const enumerator::Constant constant{node.values[0], {kind, node.bits, false}};
    if (std::find(options_.constants.begin(), options_.constants.end(), constant) != options_.constants.end()) continue;
    const auto [name, is_new] = names.try_emplace({node.values[0], node.bits}, absl::StrCat("k", names.size()));
    (*values)[name->second] = node.values[0];
    ir::Node variable;
    variable.bits = node.bits;
    variable.name = name->second;
    node = std::move(variable);
  }
  return term;
}

absl::StatusOr<std::vector<ValueSet>> BankSearch::InputsOf(const ir::Term& term, const std::vector<std::string>& names,
                                                           const SearchGoal& goal) const {
  std::vector<ValueSet> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto is_it = [&](const ir::Node& node) {
      return node.kind == ir::NodeKind::kVariable && node.name == names[i];
    };
    const auto node = std::find_if(term.nodes.begin(), term.nodes.end(), is_it);
    bool ok = true;
    const ValueSet plain = enumerator::PlainSet(KindAsRead(term, is_it), node->bits, &ok);
    if (!ok || node->components != 1) return absl::UnimplementedError("no bank has inputs of this size");
    // Sets of facts multiply the banks, which more inputs make dear.
    inputs.push_back(names.size() == 1 && !goal.facts.empty() ? Narrowed(plain, goal.facts[0]) : plain);
  }
  return inputs;
}

absl::StatusOr<machine::Program> BankSearch::ProgramOf(const enumerator::Bank& bank, const enumerator::Expression& expression,
                                                       const std::vector<std::string>& names, const SearchGoal& goal,
                                                       const std::map<std::string, uint64_t>& constants) const {
  if (expression.step < 0) {
    // An input or a constant as it is: what base selection makes of a bare value.
    ir::Term bare = bank.TermOf(expression, names);
    ir::Node& node = bare.nodes[bare.root];
    if (const auto value = constants.find(node.name); value != constants.end()) {
      node.kind = ir::NodeKind::kConstant;
      node.values[0] = value->second;
      node.name.clear();
    }
    if (node.bits != goal.term.root_node().bits) return absl::UnimplementedError("the sizes differ");
    return machine::BaseProgram(machine_, bare, machine::BaseKind::kStrong);
  }
  absl::StatusOr<machine::Program> program =
      machine::BindConstants(machine_, bank.ProgramOf(expression, names), constants);
  if (!program.ok()) return program;
  return machine::LoadConstantParts(machine_, *program);
}

absl::StatusOr<SearchStatistics> BankSearch::Search(const SearchGoal& goal, std::stop_token stop,
                                                    const std::function<bool(machine::Program)>& found) {
  std::map<std::string, uint64_t> constants;
  const ir::Term term = WithOwnConstantsAsInputs(goal.term, &constants);
  const std::vector<std::string> names = VariablesInOrder(term);
  if (names.size() > static_cast<size_t>(options_.max_inputs) || names.empty()) {
    return absl::UnimplementedError("no bank has as many inputs");
  }
  SearchStatistics statistics;
  const absl::StatusOr<std::vector<ValueSet>> inputs = InputsOf(term, names, goal);
  if (!inputs.ok()) return inputs.status();
  const ir::Node& root = term.root_node();
  bool ok = true;
  const ValueKind root_kind = KindOf(root.op->result.base, root.bits);
  enumerator::PlainSet(root_kind, root.bits, &ok);
  if (!ok) return absl::UnimplementedError("no bank has results of this size");
  absl::StatusOr<enumerator::Tape> tape = enumerator::CompileTerm(term, names);
  if (!tape.ok()) return absl::UnimplementedError(tape.status().message());

  const std::lock_guard<std::mutex> lock(mutex_);
  enumerator::Bank* bank = BankFor(*inputs, stop, &statistics);
  if (bank == nullptr) return statistics;
  enumerator::Goal sought;
  const enumerator::LaneBlock* lanes[enumerator::kMaxInputs] = {};
  for (size_t i = 0; i < inputs->size(); ++i) {
    lanes[i] = &enumerator::InputLanes((*inputs)[i], static_cast<int>(i), enumerator::BlockKind::kOrdinary);
  }
  enumerator::TapeScratch scratch;
  tape->Run(enumerator::Kernels(), lanes, &sought.ordinary, &scratch);
  sought.type = {root_kind, root.bits, root_kind == ValueKind::kBoolean};
  sought.mask = static_cast<uint8_t>((1u << names.size()) - 1);
  std::vector<std::pair<machine::Cost, machine::Program>> programs;
  const auto keep = [&](const enumerator::Expression& expression) {
    absl::StatusOr<machine::Program> program = ProgramOf(*bank, expression, names, goal, constants);
    if (!program.ok() || !machine::CheckLegal(machine_, *program).ok()) return;
    const machine::Cost cost = machine::ProgramCost(machine_, *program);
    if (CheaperThan(cost, goal.base)) programs.emplace_back(cost, *std::move(program));
  };
  bank->LookUp(sought, keep);
  if (programs.empty() && options_.longer && goal.base.instructions > options_.max_size + 1) {
    if (!bank->FindLonger({&sought, 1}, [&](size_t, const enumerator::Expression& expression) { keep(expression); })) {
      statistics.cut_short = true;
    }
  }
  std::stable_sort(programs.begin(), programs.end(),
                   [](const auto& a, const auto& b) { return CheaperThan(a.first, b.first); });
  const auto same = [](const auto& a, const auto& b) { return a.second == b.second; };
  programs.erase(std::unique(programs.begin(), programs.end(), same), programs.end());
  for (size_t i = 0; i < programs.size() && i < options_.max_found; ++i) {
    if (!found(std::move(programs[i].second))) break;
  }
  return statistics;
}

}  // namespace rewrought::pipeline

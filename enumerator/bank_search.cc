#include "enumerator/bank_search.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "ir/facts/value_facts.h"
#include "ir/term_order.h"
#include "machine/base/base_rules.h"
#include "machine/base/base_selection.h"
#include "machine/base/constants.h"
#include "machine/cost.h"
#include "machine/legality.h"

namespace rewrought::enumerator {
namespace {

ValueSet Narrowed(ValueSet plain, const ir::ValueFacts& facts) {
  if (plain == ValueSet::kFloat32) {
    if (facts.low >= 0 && facts.high <= 1) return ValueSet::kFloat32ZeroToOne;
    if (facts.not_negative()) return ValueSet::kFloat32NonNegative;
    if (facts.integral) return ValueSet::kFloat32Integral;
  }
  return plain;
}

size_t ModifiersIn(const machine::Program& program) {
  size_t count = 0;
  for (const machine::Instruction& instruction : program.instructions) {
    count += instruction.destination_modifiers.size() + (instruction.saturated ? 1 : 0);
    for (const machine::Operand& source : instruction.sources) count += source.modifiers.size();
  }
  return count;
}

// Evaluates a term on the ordinary vectors of its inputs. `lanes` contains the vectors of the inputs, in order.
struct Computed {
  std::vector<const LaneBlock*> lanes;
  std::optional<Tape> tape;
  ValueKind kind = ValueKind::kInteger;
  int bits = 32;

  LaneBlock Value() const {
    TapeScratch scratch;
    LaneBlock value;
    tape->Run(Kernels(), lanes.data(), &value, &scratch);
    return value;
  }
  // Returns true if the value depends on input `i`. Tests this by rotating the lanes of the input.
  bool Reads(size_t i) const {
    LaneBlock rotated = *lanes[i];
    std::rotate(std::begin(rotated.lane), std::begin(rotated.lane) + 1, std::end(rotated.lane));
    Computed changed = *this;
    changed.lanes[i] = &rotated;
    return OrdinaryHash(changed.Value(), kind, bits) != OrdinaryHash(Value(), kind, bits);
  }
  // Returns the value if it is the same on all vectors. A zero of either sign is returned as +0.
  std::optional<uint64_t> Constant() const {
    const LaneBlock value = Value();
    const uint32_t magnitude = value.lane[0] & ((uint64_t{1} << (bits - 1)) - 1);
    const uint32_t first = kind == ValueKind::kFloat && magnitude == 0 ? 0 : value.lane[0];
    LaneBlock constant;
    std::fill(std::begin(constant.lane), std::end(constant.lane), first);
    if (OrdinaryHash(value, kind, bits) != OrdinaryHash(constant, kind, bits)) return std::nullopt;
    return first;
  }
};

// Returns the options for the instructions of longer programs. To limit the number of programs, the options include
// only the instructions that base selection uses for single ops. Fused instructions are found later, when a program is
// converted to NIR and selected again. If `few` is set, omits saturating instructions and all instructions with three
// operands other than selects.
absl::StatusOr<InstructionSetOptions> OfLonger(const machine::Machine& machine, const InstructionSetOptions& options,
                                               bool few) {
  const absl::StatusOr<const machine::BaseRules*> rules = machine::BaseRulesOf(machine);
  if (!rules.ok()) return rules.status();
  std::set<std::string> plain;
  for (const auto& [root, of_root] : (*rules)->by_root) {
    for (const machine::BaseRule& rule : of_root) {
      if (rule.ops != 1 || rule.program.instructions.size() != 1) continue;
      const machine::Instruction& instruction = rule.program.instructions[0];
      if (!few || instruction.sources.size() < 3 || root == "bcsel") plain.insert(instruction.variant->mnemonic);
    }
  }
  InstructionSetOptions longer = options;
  if (longer.only.empty()) longer.only.assign(plain.begin(), plain.end());
  longer.saturate = longer.saturate && !few;
  return longer;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BankSearch>> BankSearch::Create(const machine::Machine& machine,
                                                               const BankSearchOptions& options) {
  absl::StatusOr<std::unique_ptr<const InstructionSet>> set = InstructionSet::OfMachine(machine, options.instructions);
  if (!set.ok()) return set.status();
  std::unique_ptr<const InstructionSet> longer[2];  // The second set has few instructions.
  for (const bool few : {false, true}) {
    const absl::StatusOr<InstructionSetOptions> of_longer = OfLonger(machine, options.instructions, few);
    if (!of_longer.ok()) return of_longer.status();
    absl::StatusOr<std::unique_ptr<const InstructionSet>> made = InstructionSet::OfMachine(machine, *of_longer);
    if (!made.ok()) return made.status();
    longer[few] = *std::move(made);
  }
  return std::unique_ptr<BankSearch>(
      new BankSearch(machine, options, *std::move(set), std::move(longer[0]), std::move(longer[1])));
}

std::string BankSearch::Configuration() const {
  std::string text = absl::StrCat(
      "bank-9 ", kVectorsVersion, " size=", options_.max_size, " longer=", options_.max_longer,
      " inputs=", options_.max_inputs, " candidates=", options_.max_candidates, " bytes=", options_.max_bytes,
      " found=", options_.max_found, " steps=", set_->steps().size(), "+", longer_set_->steps().size(), "+",
      few_set_->steps().size(), " forms=", set_->forms().size(), " constants");
  for (const Constant& constant : options_.constants) {
    absl::StrAppend(&text, " ", static_cast<int>(constant.type.kind), ":", absl::Hex(constant.bits));
  }
  return text;
}

std::string BankSearch::SignatureOf(const std::vector<ValueSet>& inputs) {
  std::string signature;
  for (const ValueSet set : inputs) absl::StrAppend(&signature, InfoOf(set).name, " ");
  return signature;
}

void BankSearch::MakeRoom() {
  uint64_t bytes = 0;
  for (const auto& [key, kept] : banks_) bytes += kept->bytes;
  while (bytes > options_.max_bytes / 2) {
    auto oldest = banks_.end();
    for (auto it = banks_.begin(); it != banks_.end(); ++it) {
      const bool in_use = it->second.use_count() > 1;
      if (!in_use && (oldest == banks_.end() || it->second->used < oldest->second->used)) oldest = it;
    }
    if (oldest == banks_.end()) return;
    bytes -= oldest->second->bytes;
    banks_.erase(oldest);
  }
}

std::shared_ptr<BankSearch::KeptBank> BankSearch::PlaceOf(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<KeptBank>& place = banks_[key];
  if (place == nullptr) place = std::make_shared<KeptBank>();
  place->used = ++clock_;
  const std::shared_ptr<KeptBank> held = place;
  MakeRoom();
  return held;
}

Bank* BankSearch::BuiltBank(const InstructionSet& set, const std::vector<ValueSet>& inputs,
                            const std::vector<Constant>& constants, std::stop_token stop, KeptBank* place,
                            SearchStatistics* statistics) {
  if (place->bank != nullptr) return place->bank.get();
  BankOptions bank_options;
  bank_options.max_size = options_.max_size;
  bank_options.max_bytes = options_.max_bytes / 4;
  bank_options.max_candidates = options_.max_candidates;
  bank_options.max_immediates = 3;
  bank_options.all_inputs = &set == set_.get();
  bank_options.max_longer = options_.max_longer;
  bank_options.stop = stop;
  auto bank = std::make_unique<Bank>(&set, inputs, constants, bank_options);
  if (!bank->Build()) {
    statistics->cut_short = true;
    if (stop.stop_requested())
      return nullptr;  // A bank cut short by a stop request is not cached, because later goals would miss programs.
  }
  statistics->enumerated += bank->progress().enumerated;
  statistics->distinct += bank->progress().distinct;
  place->bank = std::move(bank);
  const std::lock_guard<std::mutex> lock(mutex_);
  place->bytes = place->bank->peak_bytes();
  return place->bank.get();
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
    const ValueSet plain = PlainSet(KindAsRead(term, is_it), node->bits, &ok);
    if (!ok || node->components != 1) return absl::UnimplementedError("banks do not support inputs of this size");
    // Facts multiply the number of banks, which is too expensive with several inputs.
    inputs.push_back(names.size() == 1 && !goal.facts.empty() ? Narrowed(plain, goal.facts[0]) : plain);
  }
  return inputs;
}

absl::StatusOr<machine::Program> BankSearch::ProgramOf(const Bank& bank, const Expression& expression,
                                                       const std::vector<std::string>& names, const SearchGoal& goal,
                                                       const std::map<std::string, uint64_t>& constants) const {
  if (expression.step < 0) {
    // The expression is an input, that is, a variable or a distinctive constant of the goal. Use the move or load of
    // base selection.
    ir::Node node;
    node.bits = expression.type.bits;
    node.name = names[expression.operands[0].entry];
    if (node.bits != goal.term.root_node().bits)
      return absl::UnimplementedError("the input and the goal have different sizes");
    if (const auto value = constants.find(node.name); value != constants.end())
      return machine::ConstantProgram(machine_, value->second, node.bits, machine::BaseKind::kTuned);
    const ir::Term bare{{std::move(node)}, 0};
    return machine::BaseProgram(machine_, bare, machine::BaseKind::kTuned);
  }
  absl::StatusOr<machine::Program> program =
      machine::BindConstants(machine_, bank.ProgramOf(expression, names), constants);
  if (!program.ok()) return program;
  return machine::FoldConstantParts(machine_, *program);
}

absl::StatusOr<BankSearch::PreparedGoal> BankSearch::Prepare(const SearchGoal& goal,
                                                             const ConstantReading& reading) const {
  PreparedGoal prepared;
  const ir::Term& term = reading.term;
  prepared.constants = reading.constants;
  std::vector<std::string> names = ir::VariablesInOrder(term);
  if (names.size() > static_cast<size_t>(options_.max_inputs) || names.empty()) {
    return absl::UnimplementedError("banks do not support this number of inputs");
  }
  const absl::StatusOr<std::vector<ValueSet>> sets = InputsOf(term, names, goal);
  if (!sets.ok()) return sets.status();
  const ir::Node& root = term.root_node();
  bool ok = true;
  const ValueKind root_kind = KindOf(root.op->result.base, root.bits);
  PlainSet(root_kind, root.bits, &ok);
  if (!ok) return absl::UnimplementedError("banks do not support results of this size");
  // Sort the inputs by set, so that goals share banks regardless of the order of their variables.
  std::vector<std::pair<ValueSet, std::string>> inputs;
  for (size_t i = 0; i < names.size(); ++i) inputs.emplace_back((*sets)[i], names[i]);
  std::stable_sort(inputs.begin(), inputs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Computed computed;
  computed.kind = root_kind;
  computed.bits = root.bits;
  const auto compute = [&]() -> absl::Status {
    std::vector<std::string> order;
    computed.lanes.clear();
    for (size_t i = 0; i < inputs.size(); ++i) {
      order.push_back(inputs[i].second);
      computed.lanes.push_back(&InputLanes(inputs[i].first, static_cast<int>(i), BlockKind::kOrdinary));
    }
    absl::StatusOr<Tape> tape = CompileTerm(term, order);
    if (!tape.ok()) return absl::UnimplementedError(tape.status().message());
    computed.tape = *std::move(tape);
    return absl::OkStatus();
  };
  if (absl::Status status = compute(); !status.ok()) return status;
  // The bank's programs read all inputs, so move irrelevant inputs to the end and drop them.
  std::vector<std::pair<ValueSet, std::string>> read, unread;
  for (size_t i = 0; i < inputs.size(); ++i) (computed.Reads(i) ? read : unread).push_back(inputs[i]);
  if (!unread.empty() && !read.empty()) {
    inputs = read;
    inputs.insert(inputs.end(), unread.begin(), unread.end());
    if (absl::Status status = compute(); !status.ok()) return status;
    inputs.resize(read.size());
  }
  if (read.empty()) prepared.constant = computed.Constant();
  for (const auto& [set, name] : inputs) {
    prepared.inputs.push_back(set);
    prepared.names.push_back(name);
  }
  Goal sought;
  sought.ordinary = computed.Value();
  sought.type = {root_kind, root.bits, false};
  sought.mask = static_cast<uint8_t>((1u << inputs.size()) - 1);
  // The bank measures costs in issue cycles plus a thousandth of the latency.
  sought.cost_below = static_cast<float>(goal.base.issue_cycles + 1);
  prepared.sought.push_back(sought);
  // A Boolean may also be a flag.
  sought.type.flag = true;
  if (root_kind == ValueKind::kBoolean) prepared.sought.push_back(sought);
  return prepared;
}

absl::StatusOr<std::vector<BankSearch::PreparedGoal>> BankSearch::PrepareAll(const SearchGoal& goal) const {
  std::vector<PreparedGoal> all;
  absl::Status first;
  for (const ConstantReading& reading : ReadingsOf(goal.term, options_.constants)) {
    absl::StatusOr<PreparedGoal> prepared = Prepare(goal, reading);
    if (prepared.ok()) {
      all.push_back(*std::move(prepared));
    } else if (first.ok()) {
      first = prepared.status();
    }
  }
  if (all.empty()) return first;
  return all;
}

void BankSearch::KeepProgram(absl::StatusOr<machine::Program> program, const SearchGoal& goal,
                             PricedPrograms* programs) const {
  if (!program.ok() || !machine::CheckLegal(machine_, *program).ok()) return;
  const machine::Cost cost = machine::ProgramCost(machine_, *program);
  if (machine::CheaperThan(cost, goal.base)) programs->emplace_back(cost, *std::move(program));
}

std::vector<machine::Program> BankSearch::Cheapest(PricedPrograms programs) const {
  // At equal cost, prefer programs with fewer modifiers: they are easier to read and rely on fewer features.
  std::stable_sort(programs.begin(), programs.end(), [](const auto& a, const auto& b) {
    if (machine::CheaperThan(a.first, b.first)) return true;
    return !machine::CheaperThan(b.first, a.first) && ModifiersIn(a.second) < ModifiersIn(b.second);
  });
  const auto same = [](const auto& a, const auto& b) { return a.second == b.second; };
  programs.erase(std::unique(programs.begin(), programs.end(), same), programs.end());
  std::vector<machine::Program> cheapest;
  for (size_t i = 0; i < programs.size() && i < options_.max_found; ++i)
    cheapest.push_back(std::move(programs[i].second));
  return cheapest;
}

absl::StatusOr<SearchStatistics> BankSearch::Search(const SearchGoal& goal, std::stop_token stop,
                                                    const std::function<bool(machine::Program)>& found) {
  absl::StatusOr<std::vector<PreparedGoal>> readings = PrepareAll(goal);
  if (!readings.ok()) return readings.status();
  SearchStatistics statistics;
  PricedPrograms programs;
  for (const PreparedGoal& prepared : *readings) {
    if (prepared.constant.has_value()) {  // Banks contain only programs that read their inputs.
      KeepProgram(
          machine::ConstantProgram(machine_, *prepared.constant, goal.term.root_node().bits, machine::BaseKind::kTuned),
          goal, &programs);
    }
    const std::shared_ptr<KeptBank> place = PlaceOf(SignatureOf(prepared.inputs));
    const Bank* bank = nullptr;
    {
      const std::lock_guard<std::mutex> lock(place->mutex);
      bank = BuiltBank(*set_, prepared.inputs, options_.constants, stop, place.get(), &statistics);
      if (bank == nullptr) return statistics;
    }
    // No lock is needed: only FindLonger changes a finished bank, and it is called on separate banks.
    for (const Goal& sought : prepared.sought) {
      bank->LookUp(sought, [&](const Expression& expression) {
        KeepProgram(ProgramOf(*bank, expression, prepared.names, goal, prepared.constants), goal, &programs);
      });
    }
  }
  for (machine::Program& program : Cheapest(std::move(programs))) {
    if (!found(std::move(program))) break;
  }
  return statistics;
}

}  // namespace rewrought::enumerator

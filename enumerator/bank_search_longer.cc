// Implements the search for programs that are longer than those in banks. It enumerates one more instruction and, for
// goals with a single integer input, inverts the instruction after that one.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "enumerator/bank_search.h"
#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "enumerator/root_inversion.h"
#include "ir/term_order.h"
#include "machine/base/base_selection.h"
#include "machine/cost.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

// The maximum number of longer programs kept for each goal and each inverted root. Most further programs are variants
// of the programs kept.
constexpr size_t kMaxLongerPrograms = 64;

const ValueType kInteger32{ValueKind::kInteger, 32, false};

bool MattersWhole(const LaneBlock& mask) {
  return std::all_of(std::begin(mask.lane), std::end(mask.lane), [](uint32_t bits) { return bits == ~uint32_t{0}; });
}

// Returns `first` followed by `last`. In `last`, the variable kBeforeRoot denotes the result of `first`, which is in a
// register.
machine::Program Chain(machine::Program first, machine::Instruction last) {
  std::set<std::string> taken;
  for (const machine::Instruction& instruction : first.instructions) taken.insert(instruction.destination.name);
  std::string inner = "t0";
  for (size_t number = 1; taken.contains(inner); ++number) inner = absl::StrCat("t", number);
  for (machine::Instruction& instruction : first.instructions) {
    if (instruction.destination.name == machine::kResultName) instruction.destination.name = inner;
    for (machine::Operand& source : instruction.sources) {
      if (source.kind == machine::OperandKind::kRegister && source.name == machine::kResultName) source.name = inner;
    }
  }
  for (machine::Operand& source : last.sources) {
    if (source.kind != machine::OperandKind::kVariable || source.name != kBeforeRoot) continue;
    source.kind = machine::OperandKind::kRegister;
    source.name = inner;
  }
  first.instructions.push_back(std::move(last));
  return first;
}

// Returns true if `program` also agrees with `goal`, whose only input is from `set`, on vectors other than the ordinary
// ones. There are so many programs of four instructions that some agree on the ordinary vectors by chance. Float goals
// are not checked, because even correct programs rarely agree on special values.
bool AgreeOnOthers(const machine::Machine& machine, const SearchGoal& goal, ValueSet set,
                   const machine::Program& program) {
  const ir::Node& root = goal.term.root_node();
  const ValueKind kind = KindOf(root.op->result.base, root.bits);
  if (kind == ValueKind::kFloat) return true;
  const std::vector<std::string> names = ir::VariablesInOrder(goal.term);
  const absl::StatusOr<ir::Term> made = machine::ProgramTerm(machine, program);
  const absl::StatusOr<Tape> wanted = CompileTerm(goal.term, names);
  const absl::StatusOr<Tape> given = made.ok() ? CompileTerm(*made, names) : made.status();
  if (!wanted.ok() || !given.ok()) return false;
  TapeScratch scratch;
  for (int block = 0; block < kBlockKindCount * kMaxInputs; ++block) {
    const std::vector<const LaneBlock*> inputs(
        names.size(), &InputLanes(set, block % kMaxInputs, static_cast<BlockKind>(block / kMaxInputs)));
    LaneBlock values[2];
    wanted->Run(Kernels(), inputs.data(), &values[0], &scratch);
    given->Run(Kernels(), inputs.data(), &values[1], &scratch);
    if (OrdinaryHash(values[0], kind, root.bits) != OrdinaryHash(values[1], kind, root.bits)) return false;
  }
  return true;
}

}  // namespace

std::string BankSearch::SignatureOf(const SearchGoal& goal) const {
  const std::map<std::string, LongerGroup> groups = GroupLonger({&goal, 1});
  return groups.empty() ? "" : groups.begin()->first;
}

// Prepares a goal with a single integer input, and returns it with the constants of its bank. Returns nullopt for other
// goals, and also for goals whose constants are better read as inputs.
std::optional<std::pair<BankSearch::PreparedGoal, std::vector<Constant>>> BankSearch::PrepareOfOne(
    const SearchGoal& goal) const {
  const std::optional<std::vector<uint32_t>> near = NearConstants(goal.term, options_.constants);
  if (!near.has_value()) return std::nullopt;
  absl::StatusOr<PreparedGoal> prepared = Prepare(goal, {goal.term, {}});
  if (!prepared.ok() || prepared->inputs.size() != 1) return std::nullopt;
  if (InfoOf(prepared->inputs[0]).kind != ValueKind::kInteger) return std::nullopt;
  std::vector<Constant> constants = options_.constants;
  for (const uint32_t value : *near) {
    const Constant constant{value, kInteger32};
    if (std::find(constants.begin(), constants.end(), constant) == constants.end()) constants.push_back(constant);
  }
  return std::pair(*std::move(prepared), std::move(constants));
}

std::map<std::string, BankSearch::LongerGroup> BankSearch::GroupLonger(absl::Span<const SearchGoal> goals) const {
  std::map<std::string, LongerGroup> groups;
  for (size_t i = 0; i < goals.size(); ++i) {
    if (auto one = PrepareOfOne(goals[i]); one.has_value()) {
      auto& [prepared, constants] = *one;
      std::string key = absl::StrCat(SignatureOf(prepared.inputs), "few ");
      for (size_t own = options_.constants.size(); own < constants.size(); ++own)
        absl::StrAppend(&key, constants[own].bits, " ");
      LongerGroup& group = groups.try_emplace(key, LongerGroup{few_set_.get(), constants, {}}).first->second;
      group.goals.emplace_back(i, std::move(prepared));
      continue;
    }
    absl::StatusOr<std::vector<PreparedGoal>> readings = PrepareAll(goals[i]);
    if (!readings.ok()) continue;
    const std::string signature = SignatureOf(readings->front().inputs);
    LongerGroup& group =
        groups.try_emplace(signature, LongerGroup{longer_set_.get(), options_.constants, {}}).first->second;
    for (PreparedGoal& prepared : *readings) {
      // Skip readings that would need a different bank.
      if (SignatureOf(prepared.inputs) == signature) group.goals.emplace_back(i, std::move(prepared));
    }
  }
  return groups;
}

std::vector<BankSearch::LongerGoal> BankSearch::LongerGoalsOf(const LongerGroup& group,
                                                              absl::Span<const SearchGoal> goals) const {
  std::vector<LongerGoal> sought;
  for (size_t member = 0; member < group.goals.size(); ++member) {
    const auto& [number, prepared] = group.goals[member];
    for (const Goal& goal : prepared.sought) sought.push_back({member, std::nullopt, goal});
    const Goal& whole = prepared.sought.front();
    if (group.set != few_set_.get() || !(whole.type == kInteger32)) continue;
    const std::vector<uint32_t> near = *NearConstants(goals[number].term, options_.constants);
    for (const InvertedRoot& inverted : InvertRoot(whole.ordinary, near)) {
      const absl::StatusOr<machine::Program> root =
          machine::BaseProgram(machine_, inverted.root, machine::BaseKind::kTuned);
      if (!root.ok() || root->instructions.size() != 1) continue;
      Goal before = whole;
      before.ordinary = inverted.value;
      if (!MattersWhole(inverted.mask)) before.bits = inverted.mask;
      before.cost_below -= static_cast<float>(machine::ProgramCost(machine_, *root).issue_cycles);
      sought.push_back({member, root->instructions[0], before});
    }
  }
  return sought;
}

SearchStatistics BankSearch::SearchLonger(absl::Span<const SearchGoal> goals, std::stop_token stop,
                                          const std::function<void(size_t goal, machine::Program)>& found) {
  SearchStatistics statistics;
  for (const auto& [key, group] : GroupLonger(goals)) {
    const std::shared_ptr<KeptBank> place = PlaceOf(absl::StrCat(key, "longer"));
    const std::lock_guard<std::mutex> lock(place->mutex);
    Bank* bank = BuiltBank(*group.set, group.goals[0].second.inputs, group.constants, stop, place.get(), &statistics);
    if (bank == nullptr) return statistics;
    const std::vector<LongerGoal> longer = LongerGoalsOf(group, goals);
    std::vector<Goal> sought;
    for (const LongerGoal& one : longer) sought.push_back(one.goal);
    std::vector<PricedPrograms> programs(longer.size());
    const uint64_t before = bank->progress().enumerated;
    const bool complete = bank->FindLonger(sought, [&](size_t one, const Expression& expression) {
      const LongerGoal& of = longer[one];
      if (programs[one].size() >= kMaxLongerPrograms) return;
      const auto& [number, prepared] = group.goals[of.member];
      absl::StatusOr<machine::Program> program =
          ProgramOf(*bank, expression, prepared.names, goals[number], prepared.constants);
      if (program.ok() && of.root.has_value()) program = Chain(*std::move(program), *of.root);
      const bool of_one = group.set == few_set_.get() && goals[number].facts.size() == 1;
      if (program.ok() && of_one && !AgreeOnOthers(machine_, goals[number], prepared.inputs[0], *program)) return;
      KeepProgram(std::move(program), goals[number], &programs[one]);
    });
    statistics.enumerated += bank->progress().enumerated - before;
    statistics.cut_short = statistics.cut_short || !complete;
    std::vector<PricedPrograms> of_member(group.goals.size());
    for (size_t one = 0; one < longer.size(); ++one) {
      PricedPrograms& all = of_member[longer[one].member];
      all.insert(all.end(), std::make_move_iterator(programs[one].begin()),
                 std::make_move_iterator(programs[one].end()));
    }
    for (size_t member = 0; member < group.goals.size(); ++member) {
      for (machine::Program& program : Cheapest(std::move(of_member[member])))
        found(group.goals[member].first, std::move(program));
    }
    if (stop.stop_requested()) break;
  }
  return statistics;
}

}  // namespace rewrought::enumerator

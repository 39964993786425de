#include "server/pipeline/bank_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "enumerator/tape.h"
#include "enumerator/vector_blocks.h"
#include "machine/legality.h"
#include "server/pipeline/fragment_form.h"

namespace rewrought::pipeline {
namespace {

using enumerator::ValueKind;
using enumerator::ValueSet;

constexpr size_t kFewConstants = 6;  // of DefaultConstants: 0, 1, -1, 0.5, -0.5, 2

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
      "bank-1 ", enumerator::kVectorsVersion, " size=", options_.max_size, " longer=", options_.longer,
      " candidates=", options_.max_candidates, ",", options_.local_candidates, " bytes=", options_.max_bytes,
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

enumerator::Bank* BankSearch::BankFor(const std::vector<ValueSet>& inputs,
                                      const std::vector<enumerator::Constant>& more, std::stop_token stop,
                                      SearchStatistics* statistics) {
  std::string key;
  for (const ValueSet set : inputs) absl::StrAppend(&key, static_cast<int>(set), " ");
  for (const enumerator::Constant& constant : more) {
    absl::StrAppend(&key, static_cast<int>(constant.type.kind), ":", absl::Hex(constant.bits), " ");
  }
  const auto found = banks_.find(key);
  if (found != banks_.end()) {
    found->second.used = ++clock_;
    return found->second.bank.get();
  }
  MakeRoom();
  // A bank of a goal's own constants is small: those, and what every size of constant is good for.
  std::vector<enumerator::Constant> constants = options_.constants;
  if (!more.empty() && constants.size() > kFewConstants) constants.resize(kFewConstants);
  for (const enumerator::Constant& constant : more) {
    if (std::find(constants.begin(), constants.end(), constant) == constants.end()) constants.push_back(constant);
  }
  enumerator::BankOptions bank_options;
  bank_options.max_size = options_.max_size;
  bank_options.max_bytes = options_.max_bytes / 2;
  bank_options.max_candidates = more.empty() ? options_.max_candidates : options_.local_candidates;
  bank_options.stop = stop;
  auto bank = std::make_unique<enumerator::Bank>(set_.get(), inputs, std::move(constants), bank_options);
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

absl::StatusOr<SearchStatistics> BankSearch::Search(const SearchGoal& goal, std::stop_token stop,
                                                    const std::function<bool(machine::Program)>& found) {
  const std::vector<std::string> names = VariablesInOrder(goal.term);
  if (names.size() > enumerator::kMaxInputs || names.empty()) {
    return absl::UnimplementedError("no bank has as many inputs");
  }
  SearchStatistics statistics;
  std::vector<ValueSet> inputs;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto is_it = [&](const ir::Node& node) {
      return node.kind == ir::NodeKind::kVariable && node.name == names[i];
    };
    const auto node = std::find_if(goal.term.nodes.begin(), goal.term.nodes.end(), is_it);
    bool ok = true;
    const ValueSet plain = enumerator::PlainSet(KindAsRead(goal.term, is_it), node->bits, &ok);
    if (!ok || node->components != 1) return absl::UnimplementedError("no bank has inputs of this size");
    // Sets of facts multiply the banks, which more inputs make dear.
    inputs.push_back(i < goal.facts.size() && names.size() <= 2 ? Narrowed(plain, goal.facts[i]) : plain);
  }
  std::vector<enumerator::Constant> constants;
  for (const ir::Node& node : goal.term.nodes) {
    if (node.kind != ir::NodeKind::kConstant || (node.bits != 16 && node.bits != 32)) continue;
    const ValueKind kind = KindAsRead(goal.term, [&](const ir::Node& other) { return &other == &node; });
    const enumerator::Constant constant{node.values[0], {kind, node.bits, false}};
    const auto known = [&](const std::vector<enumerator::Constant>& list) {
      return std::find(list.begin(), list.end(), constant) != list.end();
    };
    if (!known(options_.constants) && !known(constants)) constants.push_back(constant);
  }
  const ir::Node& root = goal.term.root_node();
  bool ok = true;
  const ValueKind root_kind = KindOf(root.op->result.base, root.bits);
  enumerator::PlainSet(root_kind, root.bits, &ok);
  if (!ok) return absl::UnimplementedError("no bank has results of this size");
  absl::StatusOr<enumerator::Tape> tape = enumerator::CompileTerm(goal.term, names);
  if (!tape.ok()) return absl::UnimplementedError(tape.status().message());

  const std::lock_guard<std::mutex> lock(mutex_);
  enumerator::Bank* bank = BankFor(inputs, constants, stop, &statistics);
  if (bank == nullptr) return statistics;
  enumerator::Goal sought;
  const enumerator::LaneBlock* lanes[enumerator::kMaxInputs] = {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    lanes[i] = &enumerator::InputLanes(inputs[i], static_cast<int>(i), enumerator::BlockKind::kOrdinary);
  }
  enumerator::TapeScratch scratch;
  tape->Run(enumerator::Kernels(), lanes, &sought.ordinary, &scratch);
  sought.type = {root_kind, root.bits, root_kind == ValueKind::kBoolean};
  sought.mask = static_cast<uint8_t>((1u << names.size()) - 1);
  std::vector<std::pair<machine::Cost, machine::Program>> programs;
  const auto keep = [&](const enumerator::Expression& expression) {
    machine::Program program = bank->ProgramOf(expression, names);
    if (!machine::CheckLegal(machine_, program).ok()) return;
    const machine::Cost cost = machine::ProgramCost(machine_, program);
    if (CheaperThan(cost, goal.base)) programs.emplace_back(cost, std::move(program));
  };
  bank->LookUp(sought, keep);
  if (programs.empty() && options_.longer && goal.base.instructions > options_.max_size + 1) {
    if (!bank->FindLonger({&sought, 1}, [&](size_t, const enumerator::Expression& expression) { keep(expression); })) {
      statistics.cut_short = true;
    }
  }
  std::stable_sort(programs.begin(), programs.end(),
                   [](const auto& a, const auto& b) { return CheaperThan(a.first, b.first); });
  for (size_t i = 0; i < programs.size() && i < options_.max_found; ++i) {
    if (!found(std::move(programs[i].second))) break;
  }
  return statistics;
}

}  // namespace rewrought::pipeline

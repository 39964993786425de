// Implements the search for programs of three instructions that compute a goal.
#include <algorithm>
#include <array>

#include "enumerator/bank.h"
#include "enumerator/bank_sink.h"

namespace rewrought::enumerator {
namespace {

// FindLonger extends only kept programs with at most this number of constants. Most kept programs have three constants,
// but such programs are rarely useful.
constexpr int kMaxExtendedImmediates = 2;

// Returns true if `values` equals the goal in the goal's relevant bits. Compares a few lanes at a time, because the
// first few distinguish most values.
bool Agree(const LaneBlock& values, const Goal& goal) {
  constexpr int kAtOnce = 8;
  for (int lane = 0; lane < kLanes; lane += kAtOnce) {
    uint32_t different = 0;
    for (int i = lane; i < lane + kAtOnce; ++i)
      different |= (values.lane[i] ^ goal.ordinary.lane[i]) & goal.bits->lane[i];
    if (different != 0) return false;
  }
  return true;
}

}  // namespace

void Bank::Compare(const Step& step, const LaneBlock& out, const ValueType& type, Sink* sink) {
  const auto hand_on = [&](size_t goal) {
    Expression expression;
    expression.step = sink->step;
    for (size_t i = 0; i < step.slots.size(); ++i) expression.operands[i] = sink->chosen[i]->use;
    expression.type = type;
    expression.cost = sink->base_cost + step.cost;
    if (expression.cost < sink->goals[goal].cost_below) (*sink->found)(goal, expression);
  };
  const auto hit = sink->by_key.find(KeyOf(out, type));
  if (hit != sink->by_key.end()) std::for_each(hit->second.begin(), hit->second.end(), hand_on);
  for (const size_t goal : sink->of_some_bits) {
    if (type == sink->goals[goal].type && Agree(out, sink->goals[goal])) hand_on(goal);
  }
}

// Enumerates programs whose last instruction reads the results of two different programs of one instruction.
bool Bank::JoinPairs(Sink* sink) {
  sink->required = 3;
  for (size_t s = 0; s < set_->steps().size(); ++s) {
    const Step& step = set_->steps()[s];
    for (size_t i = 0; i < step.slots.size(); ++i) {
      for (size_t j = 0; j < step.slots.size(); ++j) {
        if (i == j || (step.commutative && j == 0 && i == 1)) continue;
        FormCache cache;
        std::vector<Choice> all;
        for (EntryIndex e = leaves_; e < ones_end_; ++e) {
          if (At(e).mask != 0) AddChoices(step, static_cast<int>(j), e, StoredOrdinary(e), 2, &cache, &all);
        }
        std::erase_if(all, [](const Choice& choice) { return choice.modified; });
        if (all.empty()) continue;
        Choices choices = leaf_choices_[s];
        choices[j] = std::move(all);
        for (EntryIndex e = leaves_; e < ones_end_; ++e) {
          if (At(e).mask == 0) continue;
          choices[i].clear();
          FormCache own;
          AddChoices(step, static_cast<int>(i), e, StoredOrdinary(e), 1, &own, &choices[i]);
          if (choices[i].empty()) continue;
          if (!EnumerateStep(static_cast<int>(s), choices, sink)) return false;
        }
      }
    }
  }
  return true;
}

std::vector<EntryIndex> Bank::MostPlausibleFirst(absl::Span<const Goal> goals, float cost_below) {
  const auto is_wanted = [&](const ValueType& type) {
    return std::any_of(goals.begin(), goals.end(),
                       [&](const Goal& goal) { return goal.type.kind == type.kind && goal.type.bits == type.bits; });
  };
  struct Rank {
    bool other_type;
    int immediates;
    float cost;
    EntryIndex entry;
    auto operator<=>(const Rank&) const = default;
  };
  std::vector<Rank> ranks;
  for (EntryIndex e = ones_end_; e < count_; ++e) {
    const int immediates = ImmediatesIn(e);
    if (At(e).cost < cost_below && immediates <= kMaxExtendedImmediates)
      ranks.push_back({!is_wanted(At(e).type), immediates, At(e).cost, e});
  }
  std::sort(ranks.begin(), ranks.end());
  std::vector<EntryIndex> order;
  for (const Rank& rank : ranks) order.push_back(rank.entry);
  return order;
}

bool Bank::FindLonger(absl::Span<const Goal> goals, const std::function<void(size_t, const Expression&)>& found) {
  if (goals.empty()) return true;
  const bool was_truncated = truncated_;
  truncated_ = false;
  Sink sink;
  sink.size = 3;
  sink.max_modified = options_.max_modified;
  sink.goals = goals;
  sink.same_mask = true;
  sink.goal_mask = goals[0].mask;
  float highest = 0;
  for (size_t i = 0; i < goals.size(); ++i) {
    if (goals[i].bits.has_value()) {
      sink.of_some_bits.push_back(i);
    } else {
      sink.by_key[KeyOf(goals[i].ordinary, goals[i].type)].push_back(i);
    }
    sink.same_mask = sink.same_mask && goals[i].mask == sink.goal_mask;
    highest = std::max(highest, goals[i].cost_below);
  }
  // Before comparing costs, compute the exact cost, which counts shared steps only once.
  const std::function<void(size_t, const Expression&)> exact = [&](size_t goal, const Expression& expression) {
    std::vector<EntryIndex> order;
    Collect(expression, &order);
    Expression priced = expression;
    priced.cost = set_->steps()[expression.step].cost;
    for (const EntryIndex e : order) {
      if (At(e).step >= 0) priced.cost += set_->steps()[At(e).step].cost;
    }
    if (priced.cost < goals[goal].cost_below) found(goal, priced);
  };
  sink.found = &exact;
  budget_ = progress_.enumerated + options_.max_longer / 4 * 3;
  sink.required = 1;
  size_t extended = 0;
  for (const EntryIndex e : MostPlausibleFirst(goals, highest)) {
    if (truncated_) break;
    std::vector<EntryIndex> inner;
    for (const uint32_t packed : At(e).operands) {
      const OperandUse use = Unpack(packed);
      if (use.entry != kNoEntry && use.entry >= leaves_ && use.entry < ones_end_) inner.push_back(use.entry);
    }
    std::sort(inner.begin(), inner.end());
    inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
    sink.base_cost = At(e).cost;
    sink.max_immediates = kMaxExtendedImmediates - ImmediatesIn(e);
    const LaneBlock lanes = EvaluateEntry(e, BlockKind::kOrdinary);
    ExtendBy(e, {&lanes, nullptr}, inner, &sink);
    if (++extended % 4096 == 0) Report(3);
  }
  bool complete = !truncated_;
  if (!options_.stop.stop_requested()) {
    truncated_ = false;
    budget_ = progress_.enumerated + options_.max_longer / 4;
    sink.base_cost = 0;  // A lower bound; `exact` computes the cost.
    sink.max_immediates = options_.max_immediates;
    complete = JoinPairs(&sink) && complete;
  }
  Report(3);
  truncated_ = was_truncated;
  return complete;
}

}  // namespace rewrought::enumerator

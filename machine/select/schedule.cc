#include "machine/select/schedule.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace rewrought::machine::select {
namespace {

struct Dependence {
  int from = 0;
  double delay = 0;      // Cycles between the two issues.
  bool is_value = true;  // False for a mere ordering constraint.
};

// The dependences of each step, by index into the block.
class Dependences {
 public:
  explicit Dependences(const SelectedBlock& block) : block_(block) {
    of_.resize(block.steps.size());
    for (size_t i = 0; i < block.steps.size(); ++i) Take(static_cast<int>(i));
  }

  const std::vector<Dependence>& of(size_t step) const { return of_[step]; }

 private:
  static double LatencyOf(const Step& step) { return step.opaque ? 0 : step.code.variant->cost->latency; }
  static double FlagLatencyOf(const Step& step) { return step.code.variant->cost->flag_latency; }

  double ReadDelay(const Step& step, ValueId value) const {
    if (step.opaque) return 0;
    const std::vector<double>& delays = step.code.variant->cost->read_delays;
    double least = 0;
    bool first = true;
    for (size_t s = 0; s < step.sources.size(); ++s) {
      if (step.sources[s] != value) continue;
      const double delay = s < delays.size() ? delays[s] : 0;
      least = first ? delay : std::min(least, delay);
      first = false;
    }
    return least;
  }

  void Take(int i) {
    const Step& step = block_.steps[i];
    std::vector<Dependence>& mine = of_[i];
    for (const ValueId value : step.reads) {
      for (const int writer : writers_[value]) {
        const double latency = LatencyOf(block_.steps[writer]);
        mine.push_back({writer, std::max(latency > 0 ? 1.0 : 0.0, latency - ReadDelay(step, value)), true});
      }
      readers_[value].push_back(i);
    }
    // If a value is written in parts, this write follows the earlier writes and their readers.
    for (const ValueId value : step.defines) {
      for (const int reader : readers_[value]) {
        if (reader != i) mine.push_back({reader, 0, false});
      }
      writers_[value].push_back(i);
    }
    if (step.ordered) {
      if (last_ordered_ >= 0) mine.push_back({last_ordered_, 0, false});
      last_ordered_ = i;
    }
    if (step.opaque) return;
    TakeFlags(i, step.code, &mine);
  }

  void TakeFlags(int i, const Instruction& code, std::vector<Dependence>* mine) {
    if (!code.predicate.empty()) {
      Flag& flag = flags_[code.predicate];
      if (flag.writer >= 0) mine->push_back({flag.writer, FlagLatencyOf(block_.steps[flag.writer]), true});
      flag.readers.push_back(i);
    }
    if (!code.flag.empty()) {
      Flag& flag = flags_[code.flag];
      if (flag.writer >= 0) mine->push_back({flag.writer, 1, false});
      for (const int reader : flag.readers) {
        if (reader != i) mine->push_back({reader, 0, false});
      }
      flag.writer = i;
      flag.readers.clear();
    }
  }

  struct Flag {
    int writer = -1;
    std::vector<int> readers;
  };

  const SelectedBlock& block_;
  std::vector<std::vector<Dependence>> of_;
  absl::flat_hash_map<ValueId, std::vector<int>> writers_, readers_;
  absl::flat_hash_map<std::string, Flag> flags_;
  int last_ordered_ = -1;
};

// Models the issue clock of an in-order machine.
class Issue {
 public:
  // Returns the first cycle in which `step` can issue if its sources are available at `ready`.
  double Earliest(const Step& step, double ready) const {
    if (step.opaque) return std::max(ready, next_ - 1);
    double at = std::max(ready, next_);
    const auto found = pipe_free_.find(step.code.variant->cost->pipe);
    return found == pipe_free_.end() ? at : std::max(at, found->second);
  }
  void Take(const Step& step, double at) {
    if (step.opaque) return;
    const CostClass& cost = *step.code.variant->cost;
    next_ = at + std::max(1, cost.instructions);
    pipe_free_[cost.pipe] = at + std::max(1.0, cost.issue_cycles);
  }
  double next() const { return next_; }
  double PipeFree(const std::string& pipe) const {
    const auto found = pipe_free_.find(pipe);
    return found == pipe_free_.end() ? 0 : found->second;
  }

 private:
  double next_ = 0;
  absl::flat_hash_map<std::string, double> pipe_free_;
};

double ResultLatency(const Step& step) {
  if (step.opaque) return 0;
  const CostClass& cost = *step.code.variant->cost;
  return step.code.destination.kind == OperandKind::kNull ? cost.flag_latency : cost.latency;
}

}  // namespace

Timing TimeBlock(const SelectedBlock& block) {
  Timing timing;
  const Dependences dependences(block);
  std::vector<double> issued(block.steps.size(), 0), alone(block.steps.size(), 0);
  std::vector<int> depth(block.steps.size(), 0);
  Issue clock;
  for (size_t i = 0; i < block.steps.size(); ++i) {
    const Step& step = block.steps[i];
    double ready = 0;
    int waits_for = -1;
    for (const Dependence& on : dependences.of(i)) {
      const double at = issued[on.from] + on.delay;
      if (at > ready) ready = at, waits_for = on.from;
      if (!on.is_value) continue;
      alone[i] = std::max(alone[i], alone[on.from] + on.delay);
      depth[i] = std::max(depth[i], depth[on.from]);
    }
    issued[i] = clock.Earliest(step, ready);
    if (!step.opaque) {
      ++depth[i];
      const double waited = issued[i] - clock.next();
      const bool first = clock.next() == 0 && waits_for < 0;
      if (waited > 0 && !first) {
        timing.idle += waited;
        const bool for_pipe = clock.PipeFree(step.code.variant->cost->pipe) >= issued[i];
        const Step& holder = for_pipe || waits_for < 0 ? step : block.steps[waits_for];
        timing.idle_by_pipe[holder.opaque ? "opaque" : holder.code.variant->cost->pipe] += waited;
      }
      clock.Take(step, issued[i]);
    }
    timing.cycles = std::max(timing.cycles, issued[i] + ResultLatency(step));
    timing.critical_path = std::max(timing.critical_path, alone[i] + ResultLatency(step));
    timing.depth = std::max(timing.depth, depth[i]);
  }
  return timing;
}

void ScheduleBlock(SelectedBlock* block) {
  // Steps that provide phi operands stay at the end of the block.
  size_t count = block->steps.size();
  while (count > 0 && block->steps[count - 1].at_end) --count;
  const Dependences dependences(*block);
  std::vector<std::vector<Dependence>> users(count);
  std::vector<int> open(count, 0);
  std::vector<double> chain(count, 0), ready(count, 0);
  for (size_t i = 0; i < count; ++i) {
    for (const Dependence& on : dependences.of(i)) {
      users[on.from].push_back({static_cast<int>(i), on.delay, on.is_value});
      ++open[i];
    }
  }
  for (size_t i = count; i-- > 0;) {
    chain[i] = ResultLatency(block->steps[i]);
    for (const Dependence& user : users[i]) chain[i] = std::max(chain[i], user.delay + chain[user.from]);
  }
  // Steps whose sources have issued: `waiting` orders stalled steps by the cycle in which they can issue, and `going`
  // orders the others by chain length.
  using Waiting = std::pair<double, int>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  using Going = std::tuple<double, int>;  // The chain length and the negated index.
  std::priority_queue<Going> going;
  for (size_t i = 0; i < count; ++i) {
    if (open[i] == 0) waiting.emplace(0.0, static_cast<int>(i));
  }
  Issue clock;
  std::vector<int> order;
  while (order.size() < count) {
    while (!waiting.empty() && (waiting.top().first <= clock.next() || going.empty())) {
      const int i = waiting.top().second;
      const bool late = waiting.top().first > clock.next();
      waiting.pop();
      going.emplace(block->steps[i].opaque ? 1e18 : chain[i], -i);
      if (late) break;
    }
    const int i = -std::get<1>(going.top());
    going.pop();
    const double at = clock.Earliest(block->steps[i], ready[i]);
    clock.Take(block->steps[i], at);
    order.push_back(i);
    for (const Dependence& user : users[i]) {
      ready[user.from] = std::max(ready[user.from], at + user.delay);
      if (--open[user.from] == 0) waiting.emplace(ready[user.from], user.from);
    }
  }
  SelectedBlock scheduled{block->loop_depth, {}};
  for (const int i : order) scheduled.steps.push_back(block->steps[i]);
  scheduled.steps.insert(scheduled.steps.end(), block->steps.begin() + static_cast<std::ptrdiff_t>(count),
                         block->steps.end());
  if (TimeBlock(scheduled).cycles < TimeBlock(*block).cycles) *block = std::move(scheduled);
}

void Schedule(Selection* selection) {
  for (SelectedBlock& block : selection->blocks) ScheduleBlock(&block);
}

}  // namespace rewrought::machine::select

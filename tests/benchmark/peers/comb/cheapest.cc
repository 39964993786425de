#include "tests/benchmark/peers/comb/cheapest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace rewrought::peers {
namespace {

constexpr size_t kLanes = 64;
using Lanes = std::array<uint8_t, kLanes>;

uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

// Hashes the values and the number of inputs.
uint64_t KeyOf(const uint8_t* lanes, int inputs) {
  uint64_t key = Mixed(static_cast<uint64_t>(inputs) + 0x632be59bd9b4e019u);
  for (size_t i = 0; i < kLanes; i += 8) {
    uint64_t word;
    std::memcpy(&word, lanes + i, sizeof(word));
    key = Mixed(key ^ word) + i;
  }
  return key;
}

// Returns the inputs' values on all lanes, which are the same in every run. Input 0 takes every value; the other inputs
// are pseudorandom.
std::vector<std::vector<uint8_t>> InputLanes() {
  std::vector<std::vector<uint8_t>> inputs(kMostInputs, std::vector<uint8_t>(kLanes));
  uint64_t state = 1;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    inputs[0][lane] = static_cast<uint8_t>(lane & 15);
    for (size_t i = 1; i < inputs.size(); ++i) {
      state = Mixed(state + 0x632be59bd9b4e019u);
      inputs[i][lane] = static_cast<uint8_t>(state >> 40 & 15);
    }
  }
  return inputs;
}

// A pattern and a mapping of inputs: input i of a program is input `inputs[i]` of the pattern. The pattern does not
// depend on unlisted inputs.
struct Target {
  size_t pattern = 0;
  std::vector<uint8_t> inputs;
};

// Patterns that have equal values on the lanes. A program that costs more than `most` does not improve any of them.
struct Targets {
  std::vector<Target> list;
  double most = std::numeric_limits<double>::infinity();
};

class ProgramSearch {
 public:
  ProgramSearch(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                int most_steps)
      : patterns_(patterns), ops_(ops), instructions_(instructions), most_steps_(most_steps) {
    best_.resize(patterns.size());
    input_lanes_ = InputLanes();
    most_sources_ = 1;
    for (const CombOp& op : instructions) most_sources_ = std::max(most_sources_, op.sources);
  }

  void AddTargets(bool all_inputs) {
    for (size_t i = 0; i < patterns_.size(); ++i) {
      std::vector<uint8_t> order;
      for (uint8_t input = 0; input < patterns_[i].inputs; ++input) {
        if (all_inputs || DependsOn(patterns_[i], input)) order.push_back(input);
      }
      if (order.empty()) order.push_back(0);  // a program must read at least one input
      do AddTarget({i, order});
      while (std::next_permutation(order.begin(), order.end()));
    }
  }

  std::vector<std::optional<Cheapest>> Search() {
    AddStep();
    return std::move(best_);
  }

  std::vector<std::vector<Graph>> SearchAll() {
    keeps_all_ = true;
    all_.resize(patterns_.size());
    AddStep();
    return std::move(all_);
  }

 private:
  // Returns whether setting the input to 0 can change the pattern's value.
  bool DependsOn(const Graph& pattern, size_t input) const {
    std::vector<std::vector<uint8_t>> zeroed = input_lanes_;
    zeroed[input].assign(kLanes, 0);
    if (ValuesOf(pattern, ops_, input_lanes_, kLanes) != ValuesOf(pattern, ops_, zeroed, kLanes)) return true;
    std::vector<std::vector<uint8_t>> all = AllValues(pattern.inputs);
    const size_t lanes = all[0].size();
    const std::vector<uint8_t> values = ValuesOf(pattern, ops_, all, lanes);
    all[input].assign(lanes, 0);
    return ValuesOf(pattern, ops_, all, lanes) != values;
  }

  void AddTarget(Target target) {
    std::vector<std::vector<uint8_t>> lanes(kMostInputs, std::vector<uint8_t>(kLanes, 0));
    for (size_t i = 0; i < target.inputs.size(); ++i) lanes[target.inputs[i]] = input_lanes_[i];
    const std::vector<uint8_t> values = ValuesOf(patterns_[target.pattern], ops_, lanes, kLanes);
    targets_[KeyOf(values.data(), static_cast<int>(target.inputs.size()))].list.push_back(std::move(target));
  }

  const uint8_t* LanesOf(uint8_t source) const {
    return source < kFirstStep ? input_lanes_[source].data() : lanes_[source - kFirstStep].data();
  }

  void AddStep() {
    for (size_t op = 0; op < instructions_.size(); ++op) {
      program_.steps[program_.size] = {static_cast<uint8_t>(op), {}};
      AddSource(0, unread_, program_.inputs);
    }
  }

  void AddSource(int source, uint32_t unread, uint8_t inputs) {
    Step& step = program_.steps[program_.size];
    const CombOp& op = instructions_[step.op];
    if (source == op.sources) {
      EndStep(unread, inputs);
      return;
    }
    // Enumerate interchangeable sources only in ascending order.
    uint8_t least = 0;
    for (int i = 0; i < source; ++i) {
      if (op.alike[static_cast<size_t>(i)] == op.alike[static_cast<size_t>(source)])
        least = std::max(least, step.sources[static_cast<size_t>(i)]);
    }
    for (uint8_t input = least; input <= inputs && input < kMostInputs; ++input) {
      step.sources[static_cast<size_t>(source)] = input;
      AddSource(source + 1, unread, std::max<uint8_t>(inputs, input + 1));
    }
    for (uint8_t other = std::max(least, kFirstStep); other < kFirstStep + program_.size; ++other) {
      step.sources[static_cast<size_t>(source)] = other;
      AddSource(source + 1, unread & ~(1u << (other - kFirstStep)), inputs);
    }
  }

  // Returns whether the step may follow the previous one. Ensures that independent steps are enumerated in only one
  // order.
  bool InOrder(const Step& step) const {
    if (program_.size == 0) return true;
    const uint8_t last = static_cast<uint8_t>(kFirstStep + program_.size - 1);
    const Step& before = program_.steps[program_.size - 1u];
    for (int i = 0; i < instructions_[step.op].sources; ++i) {
      if (step.sources[static_cast<size_t>(i)] == last) return true;
    }
    return std::pair(before.op, before.sources) <= std::pair(step.op, step.sources);
  }

  void EndStep(uint32_t unread, uint8_t inputs) {
    const Step step = program_.steps[program_.size];
    const int left = most_steps_ - program_.size - 1;  // remaining steps
    const int unread_steps = std::popcount(unread) + 1;
    if (unread_steps - 1 > left * (most_sources_ - 1) || !InOrder(step)) return;
    Compute(step);
    const uint8_t inputs_before = program_.inputs;
    const uint32_t unread_before = unread_;
    unread_ = unread | 1u << program_.size;
    program_.inputs = inputs;
    ++program_.size;
    if (unread_steps == 1 && inputs > 0) Compare();
    if (left > 0) AddStep();
    --program_.size;
    program_.inputs = inputs_before;
    unread_ = unread_before;
    program_.steps[program_.size] = step;
  }

  void Compute(const Step& step) {
    const CombOp& op = instructions_[step.op];
    const uint8_t* results = op.results.data();
    uint8_t* out = lanes_[program_.size].data();
    const uint8_t *a = LanesOf(step.sources[0]), *b = LanesOf(step.sources[1]), *c = LanesOf(step.sources[2]);
    if (op.sources == 1) {
      for (size_t i = 0; i < kLanes; ++i) out[i] = results[a[i]];
    } else if (op.sources == 2) {
      for (size_t i = 0; i < kLanes; ++i) out[i] = results[a[i] << kTableBits | b[i]];
    } else {
      for (size_t i = 0; i < kLanes; ++i) out[i] = results[(a[i] << kTableBits | b[i]) << kTableBits | c[i]];
    }
  }

  void Compare() {
    const auto found = targets_.find(KeyOf(lanes_[program_.size - 1u].data(), program_.inputs));
    if (found == targets_.end()) return;
    const Preference preference = PreferenceOf(program_, instructions_);
    if (!keeps_all_ && preference.cost > found->second.most) return;
    found->second.most = 0;
    for (const Target& target : found->second.list) {
      Offer(preference, target);
      const std::optional<Cheapest>& best = best_[target.pattern];
      const double cost = best.has_value() ? best->preference.cost : std::numeric_limits<double>::infinity();
      found->second.most = std::max(found->second.most, cost);
    }
  }

  void Offer(const Preference& preference, const Target& target) {
    std::optional<Cheapest>& best = best_[target.pattern];
    const bool is_better = !best.has_value() || preference < best->preference;
    if (target.inputs.size() != program_.inputs || (!is_better && !keeps_all_)) return;
    const Graph& pattern = patterns_[target.pattern];
    Graph program = program_;
    program.inputs = pattern.inputs;
    for (size_t i = 0; i < program.size; ++i) {
      Step& step = program.steps[i];
      for (int j = 0; j < instructions_[step.op].sources; ++j) {
        uint8_t& source = step.sources[static_cast<size_t>(j)];
        if (source < kFirstStep) source = target.inputs[source];
      }
    }
    if (!SameFunction(pattern, ops_, program, instructions_, pattern.inputs)) return;
    if (keeps_all_) all_[target.pattern].push_back(program);
    if (is_better) best = Cheapest{program, preference};
  }

  const absl::Span<const Graph> patterns_;
  const absl::Span<const CombOp> ops_, instructions_;
  const int most_steps_;
  int most_sources_ = 1;
  std::vector<std::vector<uint8_t>> input_lanes_;
  absl::flat_hash_map<uint64_t, Targets> targets_;
  std::vector<std::optional<Cheapest>> best_;
  bool keeps_all_ = false;
  std::vector<std::vector<Graph>> all_;
  Graph program_;
  uint32_t unread_ = 0;  // bit i: no step reads step i yet
  std::array<Lanes, kMostSteps> lanes_ = {};
};

}  // namespace

std::partial_ordering operator<=>(const Preference& a, const Preference& b) {
  if (a.cost != b.cost) return a.cost <=> b.cost;
  if (a.size != b.size) return a.size <=> b.size;
  if (a.kinds != b.kinds) return b.kinds <=> a.kinds;
  return b.ops <=> a.ops;
}

Preference PreferenceOf(const Graph& program, absl::Span<const CombOp> instructions) {
  std::array<uint8_t, kMostSteps> ops = {};
  for (size_t i = 0; i < program.size; ++i) ops[i] = program.steps[i].op;
  std::sort(ops.begin(), ops.begin() + program.size);
  Preference preference;
  preference.size = program.size;
  for (size_t i = 0; i < program.size; ++i) {
    preference.cost += instructions[ops[i]].cost;
    if (i == 0 || ops[i] != ops[i - 1]) ++preference.kinds;
    preference.ops = preference.ops << 8 | ops[i];
  }
  return preference;
}

std::vector<std::optional<Cheapest>> FindCheapest(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops,
                                                  absl::Span<const CombOp> instructions, int most_steps,
                                                  bool all_inputs) {
  ProgramSearch search(patterns, ops, instructions, most_steps);
  search.AddTargets(all_inputs);
  return search.Search();
}

std::vector<std::vector<Graph>> FindPrograms(absl::Span<const Graph> patterns, absl::Span<const CombOp> ops,
                                             absl::Span<const CombOp> instructions, int most_steps) {
  ProgramSearch search(patterns, ops, instructions, most_steps);
  search.AddTargets(true);
  return search.SearchAll();
}

}  // namespace rewrought::peers

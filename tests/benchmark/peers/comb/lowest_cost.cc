#include "tests/benchmark/peers/comb/lowest_cost.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace rewrought::peers {
namespace {

class RuleSieve {
 public:
  RuleSieve(absl::Span<const CombOp> ops, const LowestCostOptions& options) : ops_(ops), options_(options) {}

  void Add(const Graph& pattern, const Preference& preference) { known_.emplace(KeyOf(pattern, ops_), preference); }

  bool IsNew(const Graph& pattern, const Preference& preference) const {
    return !IsSpecial(pattern, preference) && !IsPutTogether(pattern, preference.cost);
  }

 private:
  const Preference* Find(const Graph& pattern) const {
    const auto found = known_.find(KeyOf(pattern, ops_));
    return found == known_.end() ? nullptr : &found->second;
  }

  // Returns whether a more general pattern, with more separate inputs, already has a rule.
  bool IsSpecial(const Graph& pattern, const Preference& preference) const {
    for (const Graph& general : Generalizations(pattern, ops_)) {
      const Preference* of_general = Find(general);
      if (of_general != nullptr &&
          (options_.special_first ? *of_general <= preference : of_general->cost <= preference.cost))
        return true;
      if (IsSpecial(general, preference)) return true;
    }
    return false;
  }

  bool IsPutTogether(const Graph& pattern, double most) const {
    if (options_.composites == Composites::kNone) return false;
    for (const std::vector<Graph>& parts : PartsOf(pattern, ops_)) {
      double cost = 0;
      bool counts = true;
      for (const Graph& part : parts) {
        const Preference* of_part = Find(part);
        counts = counts && of_part != nullptr &&
                 (options_.composites == Composites::kAll || HasEachLessOften(part, pattern));
        if (!counts) break;
        cost += of_part->cost;
      }
      if (counts && (cost <= most || options_.composites == Composites::kRepeatedAtAnyCost)) return true;
    }
    return false;
  }

  static bool HasEachLessOften(const Graph& part, const Graph& whole) {
    const std::vector<uint8_t> some = OpsOf(part), all = OpsOf(whole);
    return std::all_of(some.begin(), some.end(), [&](uint8_t op) {
      return std::count(some.begin(), some.end(), op) < std::count(all.begin(), all.end(), op);
    });
  }

  const absl::Span<const CombOp> ops_;
  const LowestCostOptions& options_;
  absl::flat_hash_map<std::string, Preference> known_;
};

}  // namespace

LowestCostResult FindLowestCost(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                                const LowestCostOptions& options) {
  std::vector<Graph> patterns;
  for (int size = 1; size <= options.pattern_steps; ++size) {
    for (const Graph& pattern : AllGraphs(ops, size)) patterns.push_back(pattern);
  }
  const std::vector<std::optional<Cheapest>> cheapest =
      FindCheapest(patterns, ops, instructions, options.program_steps, options.all_inputs);
  RuleSieve sieve(ops, options);
  LowestCostResult result;
  result.patterns = patterns.size();
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (!cheapest[i].has_value()) continue;
    ++result.covered;
    sieve.Add(patterns[i], cheapest[i]->preference);
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (cheapest[i].has_value() && sieve.IsNew(patterns[i], cheapest[i]->preference))
      result.rules.push_back({patterns[i], cheapest[i]->program, cheapest[i]->preference});
  }
  return result;
}

}  // namespace rewrought::peers

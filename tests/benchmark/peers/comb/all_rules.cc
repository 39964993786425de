#include "tests/benchmark/peers/comb/all_rules.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tests/benchmark/peers/comb/cheapest.h"

namespace rewrought::peers {
namespace {

constexpr uint8_t kBelow = 0xff;  // the lower part's result, as an input of the upper part

std::vector<uint8_t*> ReadsOf(Graph* graph, absl::Span<const CombOp> ops, uint8_t input) {
  std::vector<uint8_t*> reads;
  for (size_t i = 0; i < graph->size; ++i) {
    Step& step = graph->steps[i];
    for (int j = 0; j < ops[step.op].sources; ++j) {
      uint8_t& source = step.sources[static_cast<size_t>(j)];
      if (source == input) reads.push_back(&source);
    }
  }
  return reads;
}

Graph Renamed(Graph graph, absl::Span<const CombOp> ops, absl::Span<const uint8_t> names) {
  for (size_t i = 0; i < graph.size; ++i) {
    Step& step = graph.steps[i];
    for (int j = 0; j < ops[step.op].sources; ++j) {
      uint8_t& source = step.sources[static_cast<size_t>(j)];
      if (source < kFirstStep) source = names[source];
    }
  }
  return graph;
}

// A graph that is split into two parts. Each part's reads are the inputs of the whole graph that the part reads, in
// ascending order. The upper part's reads end with kBelow.
struct Halves {
  Graph lower, upper;
  std::vector<uint8_t> lower_reads, upper_reads;
};

// Renumbers the inputs of a part in the order of the whole graph's inputs, and sorts `reads`.
void InOrder(Graph* part, absl::Span<const CombOp> ops, std::vector<uint8_t>* reads) {
  std::vector<uint8_t> sorted = *reads, names;
  std::sort(sorted.begin(), sorted.end());
  for (const uint8_t read : *reads)
    names.push_back(static_cast<uint8_t>(std::find(sorted.begin(), sorted.end(), read) - sorted.begin()));
  *part = Renamed(*part, ops, names);
  *reads = std::move(sorted);
}

std::vector<Halves> HalvesOf(const Graph& graph, absl::Span<const CombOp> ops, Composites composites) {
  const auto less_often = [&](const Graph& part) {
    const std::vector<uint8_t> some = OpsOf(part), all = OpsOf(graph);
    return std::all_of(some.begin(), some.end(), [&](uint8_t op) {
      return std::count(some.begin(), some.end(), op) < std::count(all.begin(), all.end(), op);
    });
  };
  std::vector<Halves> all;
  const uint32_t everything = (1u << graph.size) - 1, root = 1u << (graph.size - 1);
  for (uint32_t lower = 1; lower < root; ++lower) {  // the root is never in the lower part
    Halves halves;
    if (!TakePart(graph, ops, lower, &halves.lower, &halves.lower_reads) ||
        !TakePart(graph, ops, everything & ~lower, &halves.upper, &halves.upper_reads))
      continue;
    if (composites != Composites::kAll && !(less_often(halves.lower) && less_often(halves.upper))) continue;
    for (uint8_t& read : halves.upper_reads) read = read >= kFirstStep ? kBelow : read;
    InOrder(&halves.lower, ops, &halves.lower_reads);
    InOrder(&halves.upper, ops, &halves.upper_reads);
    all.push_back(std::move(halves));
  }
  return all;
}

class PairSieve {
 public:
  PairSieve(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions, Composites composites)
      : ops_(ops), instructions_(instructions), composites_(composites) {}

  // Returns whether the pair is a new rule that does not follow from others.
  bool IsRule(const Graph& pattern, const Graph& program) {
    return keys_.insert(PairKey(pattern, program)).second && !IsSpecial(pattern, program) &&
           !IsPutTogether(pattern, program);
  }

 private:
  std::string PairKey(const Graph& pattern, const Graph& program) const {
    std::vector<uint8_t> names(pattern.inputs);
    std::iota(names.begin(), names.end(), uint8_t{0});
    std::string least;
    do {
      std::string key = KeyWithInputs(Renamed(pattern, ops_, names), ops_) +
                        KeyWithInputs(Renamed(program, instructions_, names), instructions_);
      if (least.empty() || key < least) least = std::move(key);
    } while (std::next_permutation(names.begin(), names.end()));
    return least;
  }

  // Returns whether an input can be split into two on both sides so that the sides still compute the same function.
  bool IsSpecial(const Graph& pattern, const Graph& program) const {
    if (pattern.inputs == kMostInputs) return false;
    for (uint8_t input = 0; input < pattern.inputs; ++input) {
      Graph general = pattern, general_program = program;
      const std::vector<uint8_t*> reads = ReadsOf(&general, ops_, input),
                                  program_reads = ReadsOf(&general_program, instructions_, input);
      general.inputs = general_program.inputs = pattern.inputs + 1;
      for (uint32_t other = 1; other + 1 < 1u << reads.size(); ++other) {
        Split(reads, other, input, pattern.inputs);
        for (uint32_t program_other = 1; program_other + 1 < 1u << program_reads.size(); ++program_other) {
          Split(program_reads, program_other, input, pattern.inputs);
          if (SameFunction(general, ops_, general_program, instructions_, general.inputs)) return true;
        }
      }
    }
    return false;
  }

  static void Split(const std::vector<uint8_t*>& reads, uint32_t other, uint8_t input, uint8_t new_input) {
    for (size_t i = 0; i < reads.size(); ++i) *reads[i] = (other >> i & 1) != 0 ? new_input : input;
  }

  bool IsPutTogether(const Graph& pattern, const Graph& program) const {
    if (composites_ == Composites::kNone) return false;
    const std::vector<Halves> of_program = HalvesOf(program, instructions_, composites_);
    for (const Halves& a : HalvesOf(pattern, ops_, composites_)) {
      for (const Halves& b : of_program) {
        if (a.lower_reads == b.lower_reads && a.upper_reads == b.upper_reads &&
            SameFunction(a.lower, ops_, b.lower, instructions_, a.lower.inputs) &&
            SameFunction(a.upper, ops_, b.upper, instructions_, a.upper.inputs))
          return true;
      }
    }
    return false;
  }

  const absl::Span<const CombOp> ops_, instructions_;
  const Composites composites_;
  absl::flat_hash_set<std::string> keys_;
};

}  // namespace

std::vector<LowestCostRule> FindAllRules(absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions,
                                         int pattern_steps, int program_steps, Composites composites) {
  std::vector<Graph> patterns;
  for (int size = 1; size <= pattern_steps; ++size) {
    for (const Graph& pattern : AllGraphs(ops, size)) patterns.push_back(pattern);
  }
  const std::vector<std::vector<Graph>> programs = FindPrograms(patterns, ops, instructions, program_steps);
  PairSieve sieve(ops, instructions, composites);
  std::vector<LowestCostRule> rules;
  for (size_t i = 0; i < patterns.size(); ++i) {
    for (const Graph& program : programs[i]) {
      if (sieve.IsRule(patterns[i], program))
        rules.push_back({patterns[i], program, PreferenceOf(program, instructions)});
    }
  }
  return rules;
}

}  // namespace rewrought::peers

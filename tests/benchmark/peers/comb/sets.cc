#include "tests/benchmark/peers/comb/sets.h"

#include "absl/strings/str_cat.h"

namespace rewrought::peers {
namespace {

// Returns a set with Comb's results from github.com/rdaly525/Comb ac7b516, results/real. They are from the file of
// lowest-cost rules with all optimizations enabled (flags 11111): the number of rules is the sum of "u", and the time
// is the sum of "st" and "et".
CombSet Set(const char* machine, int pattern_steps, int program_steps, double peer_rules, double peer_seconds,
            Composites composites = Composites::kRepeated) {
  CombSet set;
  const bool is_signed = composites == Composites::kRepeatedAtAnyCost;
  set.name = absl::StrCat(kCombGroup, "-", machine, "-", pattern_steps, "-", program_steps);
  set.machine = absl::StrCat(machine, is_signed ? "-signed" : "");
  set.counted = {.pattern_steps = pattern_steps,
                 .program_steps = program_steps,
                 .composites = composites,
                 .all_inputs = true,
                 .special_first = true};
  set.peer_rules = peer_rules;
  set.peer_seconds = peer_seconds;
  return set;
}

// Returns a set with the same kinds of results from the file of all unique rules (flags 01111).
CombSet AllOf(const char* machine, int pattern_steps, int program_steps, double peer_rules, double peer_seconds) {
  CombSet set = Set(machine, pattern_steps, program_steps, peer_rules, peer_seconds);
  set.name += "-all";
  set.is_all = true;
  return set;
}

}  // namespace

const std::vector<CombSet>& AllCombSets() {
  static const auto& sets = *new std::vector<CombSet>{
      Set("ab", 2, 2, 121, 16.0),
      Set("ab", 2, 3, 170, 91.4),
      Set("ab", 2, 5, 190, 132.2),
      Set("cisc", 2, 2, 58, 5.3),
      Set("cisc", 3, 2, 1228, 1368.2),
      Set("cmp", 1, 4, 14, 4.0, Composites::kRepeatedAtAnyCost),
      Set("cmp", 2, 1, 86, 1.4, Composites::kRepeatedAtAnyCost),
      Set("cmp", 2, 2, 174, 61.5),
      Set("cmp", 2, 3, 245, 256.7),
      Set("cmp", 2, 4, 250, 289.1),
      AllOf("ab", 2, 2, 251, 41.9),
      AllOf("ab", 2, 3, 2164, 3410.1),
      AllOf("cisc", 2, 2, 99, 43.6),
      AllOf("cmp", 2, 2, 919, 327.1),
      AllOf("cmp", 2, 3, 15193, 20224.0),
  };
  return sets;
}

LowestCostOptions Plain(const CombSet& set) {
  return {.pattern_steps = set.counted.pattern_steps,
          .program_steps = set.counted.program_steps,
          .composites = Composites::kAll,
          .all_inputs = false,
          .special_first = false};
}

}  // namespace rewrought::peers

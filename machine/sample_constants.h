// Binds the symbols (`#b`) of a rule to sample constants. Costs are computed for the bound rule, because programs
// contain no symbols.
#ifndef REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_
#define REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/candidate.h"

namespace rewrought::machine {

// Returns a constant for each symbol of `search`. The constants are distinct and satisfy the symbols' predicates.
// They also satisfy the relation (ir/match/relation.h) if a small set of common numbers contains a solution. Float
// constants are chosen such that a machine has to load them.
std::map<std::string, uint64_t> SampleSymbols(const ir::Term& search);

// Replaces the named variables of `term` with literals.
ir::Term WithConstants(ir::Term term, const std::map<std::string, uint64_t>& symbols);

// Binds the symbols on both sides of the rule, folds the constants in the replacement, and drops the relation. The
// result describes one instance of the rule and is not a rule itself. Fails with Unimplemented if the machine cannot
// load one of the constants.
absl::StatusOr<Candidate> WithConstants(const Candidate& rule, const std::map<std::string, uint64_t>& symbols);

// Returns the rule with its SampleSymbols bound, or the rule itself if the machine cannot load them.
Candidate AtSomeConstants(const Candidate& rule);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_

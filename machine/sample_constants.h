// Rules with symbols (`#b`) at some constants: costs are asked of these, as no program has symbols in it.
#ifndef REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_
#define REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/candidate.h"

namespace rewrought::machine {

// One constant for each symbol of `search`, different from each other, that meets its preconditions, and its relation
// (ir/match/relation.h), if one of a few common numbers does. Floats are such that a machine has to load them.
std::map<std::string, uint64_t> SampleSymbols(const ir::Term& search);

// `term` with the named variables as literals.
ir::Term WithConstants(ir::Term term, const std::map<std::string, uint64_t>& symbols);

// The rule with its symbols bound on both sides, and what that makes constant in the replacement folded. A relation is
// gone: this is one place where a rule may apply, and no rule. Unimplemented: the machine cannot load one of them.
absl::StatusOr<Candidate> WithConstants(const Candidate& rule, const std::map<std::string, uint64_t>& symbols);

// The rule at SampleSymbols; the rule itself where the machine cannot load them.
Candidate AtSomeConstants(const Candidate& rule);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_

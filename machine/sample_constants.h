// Binds a rule's symbols (`#b`) to sample constants, so that the rule's cost can be computed. Programs cannot contain
// symbols.
#ifndef REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_
#define REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/candidate.h"

namespace rewrought::machine {

// Returns distinct constants that satisfy the predicates of the symbols of `search`, and also the relation
// (ir/match/relation.h) if a small set of common numbers contains a solution. The float constants are numbers that
// machines cannot encode as short immediates.
std::map<std::string, uint64_t> SampleSymbols(const ir::Term& search);

// Replaces the named variables of `term` with literals.
ir::Term WithConstants(ir::Term term, const std::map<std::string, uint64_t>& symbols);

// Binds the symbols on both sides, folds the constants in the replacement, and drops the relation. The result is an
// instance of the rule, not a rule. Fails with Unimplemented if the machine cannot load a constant.
absl::StatusOr<Candidate> WithConstants(const Candidate& rule, const std::map<std::string, uint64_t>& symbols);

// Returns the rule with its symbols bound to SampleSymbols, or the rule itself if the machine cannot load these
// constants.
Candidate WithSampleConstants(const Candidate& rule);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_SAMPLE_CONSTANTS_H_

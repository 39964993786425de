// Packs with many programs per machine, for tests of the writers: the driver's selection for each op, and handwritten
// programs with rare features. None of the rules has been proved.
#ifndef REWROUGHT_EMITTER_TESTING_MACHINE_RULES_H_
#define REWROUGHT_EMITTER_TESTING_MACHINE_RULES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// Returns a pack of (search, program) pairs with ids "id0", "id1", ... and costs from the machine's model.
v1::Pack PackOfPrograms(const std::string& machine, const std::vector<std::pair<std::string, std::string>>& rules);

// Returns four programs of intel_gen9: a select with a comparison, modifiers with saturation, a fast-math flag with a
// predicate on a value, and a predicate on an op.
v1::Pack FourPrograms();

// Returns the writer's text or its error message.
std::string TextOrError(const absl::StatusOr<std::string>& written);

// Returns all base rules of `machine` and rules for its features: merged masks, swizzles, flags, predicates,
// subregisters, uniforms, and immediates.
v1::Pack MachinePack(const machine::Machine& machine);

// Returns entries for intel_gen9 with every feature of machine.py: temporaries, immediates, subregisters, conditions,
// predicates, named flags, uniforms, relations between constants, and families. tests/cli/machine_entries_test.py
// proves the programs.
v1::Pack EntriesPack();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TESTING_MACHINE_RULES_H_

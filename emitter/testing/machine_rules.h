// Packs of many programs for each machine, for tests of writers: what its driver selects for each op, and by hand what
// such programs rarely have. Nothing is proved here.
#ifndef REWROUGHT_EMITTER_TESTING_MACHINE_RULES_H_
#define REWROUGHT_EMITTER_TESTING_MACHINE_RULES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// A pack of (search, program) pairs, with ids "id0", "id1", ... and costs by the machine's model.
v1::Pack PackOfPrograms(const std::string& machine, const std::vector<std::pair<std::string, std::string>>& rules);

// Four programs of intel_gen9: a select by a compare, modifiers with saturation, a fast-math flag with a condition of a
// value, a condition of an op.
v1::Pack FourPrograms();

// What a writer gave for a pack, or what it says is wrong.
std::string TextOrError(const absl::StatusOr<std::string>& written);

// All base rules of `machine`, and of the following what it has: masks that are merged, swizzles, flags, predicates,
// parts of registers, uniforms, immediates.
v1::Pack MachinePack(const machine::Machine& machine);

// What an entry of machine.py may hold, for intel_gen9: temporaries, immediates, parts of registers, conditions,
// predicates, flags by name, uniforms, relations between constants, families. The programs are right, which
// tests/cli/machine_entries_test.py has proved.
v1::Pack EntriesPack();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TESTING_MACHINE_RULES_H_

// Prepares the rules of packs for the selection of whole shaders: NIR rules are applied before selection, and programs
// become tiles.
#ifndef REWROUGHT_SELECTION_PACK_RULES_H_
#define REWROUGHT_SELECTION_PACK_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/match/match.h"
#include "machine/machine.h"
#include "machine/select/rules.h"

namespace rewrought::selection {

// A NIR rule with one form per kind of shader. A rule that has no form for a kind does not change shaders of that kind.
struct NirRule {
  std::string id, text;                       // The text as in the pack.
  std::optional<ir::CompiledRule> positions;  // For shaders that compute positions (rules::ComputesPositions).
  std::optional<ir::CompiledRule> other;
};

struct PackRules {
  std::vector<NirRule> nir;
  std::vector<machine::select::PackRule> programs;
};

// Returns the rules of all `packs` in order. Each path is a pack.json or its folder. If a pack contains a rule both as
// NIR and as a program, only the program is used. If `nir_alone` is set, programs are omitted, as in Mesa, which has
// only NIR rules. Fails like emitter::LoadPack, and with InvalidArgument if a pack contains programs for another
// machine or a rule does not compile.
absl::StatusOr<PackRules> ReadPacks(const machine::Machine& machine, const std::vector<std::string>& packs,
                                    bool nir_alone = false);

}  // namespace rewrought::selection

#endif  // REWROUGHT_SELECTION_PACK_RULES_H_

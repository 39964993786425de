// The rules of packs as selection applies them to whole shaders: NIR rules before it, programs as tiles.
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

// A rule on NIR, by what a shader computes; empty: the rule leaves such shaders as they are.
struct NirRule {
  std::string id, text;                       // the text as the pack has it
  std::optional<ir::CompiledRule> positions;  // for shaders that compute positions (rules::ComputesPositions)
  std::optional<ir::CompiledRule> other;
};

struct PackRules {
  std::vector<NirRule> nir;
  std::vector<machine::select::PackRule> programs;
};

// The rules of all `packs`, each a pack.json or the folder that holds one, in order. A rule of which a pack has both a
// NIR form and a program is taken as the program; with `nir_alone` programs are left out, as where Mesa takes the pack.
// Errors of emitter::LoadPack; InvalidArgument for a pack of another machine that has programs, and for rules that do
// not compile.
absl::StatusOr<PackRules> ReadPacks(const machine::Machine& machine, const std::vector<std::string>& packs,
                                    bool nir_alone = false);

}  // namespace rewrought::selection

#endif  // REWROUGHT_SELECTION_PACK_RULES_H_

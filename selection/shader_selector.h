// Whole shaders on a machine: packs read into rules for selection, facts of shaders as permissions, and what came of
// it.
#ifndef REWROUGHT_SELECTION_SHADER_SELECTOR_H_
#define REWROUGHT_SELECTION_SHADER_SELECTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/match/match.h"
#include "ir/shader.h"
#include "machine/machine.h"
#include "machine/select/emulate.h"
#include "machine/select/selection.h"
#include "machine/select/statistics.h"

namespace rewrought::selection {

struct SelectOptions {
  machine::select::CoverKind cover = machine::select::CoverKind::kNoltis;
  machine::select::Fusion fusion = machine::select::Fusion::kAlways;
  bool schedule = true;
  int emulate_runs = 0;
};

struct SelectedShader {
  std::string name, source, stage;
  machine::select::Selection selection;    // scheduled, if that was asked for
  machine::select::Statistics in_order;    // in the order of the shader
  machine::select::Statistics statistics;  // as it stands
  uint64_t rewritten = 0;                  // places where a NIR rule of the pack was applied
  uint64_t lowered = 0;                    // ops that the machine lacks, replaced as drivers do
  uint64_t pack_tiles = 0;                 // tiles of the pack's programs
  std::optional<machine::select::EmulationReport> emulation;
};

class ShaderSelector {
 public:
  // `packs`: each a pack.json or the folder that holds one; none: base rules only. NIR rules of packs are applied
  // before selection until none fits, programs are tiles that cost decides on; a rule of which a pack has both is taken
  // as the program. Errors of emitter::LoadPack; InvalidArgument for a pack of another machine and for rules that do
  // not compile.
  static absl::StatusOr<std::unique_ptr<ShaderSelector>> Create(const machine::Machine& machine,
                                                                const std::vector<std::string>& packs,
                                                                const SelectOptions& options);

  // Ops without a rule become opaque steps. InvalidArgument for shaders that contradict themselves.
  absl::StatusOr<SelectedShader> Select(const ir::Shader& shader) const;

  size_t nir_rules() const { return nir_rules_.size(); }
  size_t programs() const { return programs_.size(); }

 private:
  explicit ShaderSelector(const machine::Machine& machine) : machine_(machine) {}
  absl::Status ReadPack(const std::string& path);

  const machine::Machine& machine_;
  SelectOptions options_;
  std::vector<ir::CompiledRule> nir_rules_;
  std::vector<ir::CompiledRule> position_rules_;  // of these, those for shaders that compute positions as well
  std::vector<machine::select::PackRule> programs_;
  std::optional<machine::select::RuleSet> rules_;
};

}  // namespace rewrought::selection

#endif  // REWROUGHT_SELECTION_SHADER_SELECTOR_H_

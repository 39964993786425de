// Whole shaders on a machine: the rules of packs applied with the facts of shaders as permissions, selection, and what
// came of it.
#ifndef REWROUGHT_SELECTION_SHADER_SELECTOR_H_
#define REWROUGHT_SELECTION_SHADER_SELECTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/baseline.h"
#include "ir/shader.h"
#include "machine/machine.h"
#include "machine/select/emulate.h"
#include "machine/select/selection.h"
#include "machine/select/statistics.h"
#include "selection/pack_rules.h"

namespace rewrought::selection {

struct SelectOptions {
  machine::select::CoverKind cover = machine::select::CoverKind::kNoltis;
  machine::select::Fusion fusion = machine::select::Fusion::kAlways;
  bool schedule = true;
  int emulate_runs = 0;
  bool nir_rules_alone = false;  // no programs of packs
  bool constants_free = false;   // as StatisticsOf has it
  // What the driver's own passes make of a shader after a pack's NIR rules; null: nothing. It must outlive the
  // selector.
  const corpus::Baseline* baseline = nullptr;
};

struct SelectedShader {
  std::string name, source, stage;
  machine::select::Selection selection;    // scheduled, if that was asked for
  machine::select::Statistics in_order;    // in the order of the shader
  machine::select::Statistics statistics;  // as it stands
  uint64_t rewritten = 0;                  // places where a NIR rule of the pack was applied
  uint64_t lowered = 0;                    // ops replaced as drivers do before they select
  uint64_t pack_tiles = 0;                 // tiles of the pack's programs
  std::optional<machine::select::EmulationReport> emulation;
};

// What one NIR rule by itself changes in one shader.
struct RuleChange {
  size_t rule = 0;          // of ShaderSelector::nir_rules
  uint64_t applied = 0;     // times, at least 1
  double instructions = 0;  // below 0: saved
  double issue_cycles = 0;
};

class ShaderSelector {
 public:
  // `packs`: each a pack.json or the folder that holds one; none: base rules only. NIR rules of packs are applied
  // before selection until none fits, programs are tiles that cost decides on. Errors of ReadPacks.
  static absl::StatusOr<std::unique_ptr<ShaderSelector>> Create(const machine::Machine& machine,
                                                                const std::vector<std::string>& packs,
                                                                const SelectOptions& options);

  // Ops without a rule become opaque steps. InvalidArgument for shaders that contradict themselves.
  absl::StatusOr<SelectedShader> Select(const ir::Shader& shader) const;

  // Selects the shader without NIR rules, and once more with each that fits somewhere, alone: those, by index. Errors
  // as Select.
  absl::StatusOr<std::vector<RuleChange>> SelectEach(const ir::Shader& shader) const;

  const std::vector<NirRule>& nir_rules() const { return packs_.nir; }
  size_t programs() const { return packs_.programs.size(); }

 private:
  explicit ShaderSelector(const machine::Machine& machine) : machine_(machine) {}
  absl::StatusOr<machine::select::ScalarShader> Scalar(const ir::Shader& shader) const;
  // Selects what NIR rules have left of a shader.
  absl::StatusOr<SelectedShader> SelectScalar(machine::select::ScalarShader scalar) const;

  const machine::Machine& machine_;
  SelectOptions options_;
  PackRules packs_;
  std::optional<machine::select::RuleSet> rules_;
};

}  // namespace rewrought::selection

#endif  // REWROUGHT_SELECTION_SHADER_SELECTOR_H_

// Compiles whole shaders for a machine: applies the rules of packs, selects instructions, and computes statistics. A
// rule may depend on facts about the shader.
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
  bool nir_rules_alone = false;  // Ignores the programs of packs.
  bool constants_free = false;   // See StatisticsOf.
  // The driver's own passes, which run after a pack's NIR rules; null means none. Must outlive the selector.
  const corpus::Baseline* baseline = nullptr;
};

struct SelectedShader {
  std::string name, source, stage;
  machine::select::Selection selection;    // Scheduled if requested.
  machine::select::Statistics in_order;    // Computed in program order.
  machine::select::Statistics statistics;  // Computed in the order of `selection`.
  uint64_t rewritten = 0;                  // The number of applications of the pack's NIR rules.
  uint64_t lowered = 0;                    // The number of ops that were lowered before selection, as in drivers.
  uint64_t pack_tiles = 0;                 // The number of tiles from the pack's programs.
  std::optional<machine::select::EmulationReport> emulation;
};

// The effect of a single NIR rule on one shader.
struct RuleChange {
  size_t rule = 0;          // An index into ShaderSelector::nir_rules.
  uint64_t applied = 0;     // The number of applications, at least 1.
  double instructions = 0;  // Negative for savings.
  double issue_cycles = 0;
};

class ShaderSelector {
 public:
  // Creates a selector. Each of `packs` is a pack.json or its folder; if there are no packs, only base rules are used.
  // NIR rules are applied before selection until none matches, and programs become tiles, which are chosen by cost.
  // Fails like ReadPacks.
  static absl::StatusOr<std::unique_ptr<ShaderSelector>> Create(const machine::Machine& machine,
                                                                const std::vector<std::string>& packs,
                                                                const SelectOptions& options);

  // Selects instructions for the shader. Ops without a rule become opaque steps. Fails with InvalidArgument if the
  // shader is inconsistent.
  absl::StatusOr<SelectedShader> Select(const ir::Shader& shader) const;

  // Selects instructions for the shader without NIR rules, and then once with each NIR rule that matches somewhere.
  // Returns the effects of these rules, sorted by rule index. Fails like Select.
  absl::StatusOr<std::vector<RuleChange>> SelectEach(const ir::Shader& shader) const;

  const std::vector<NirRule>& nir_rules() const { return packs_.nir; }
  size_t programs() const { return packs_.programs.size(); }

 private:
  explicit ShaderSelector(const machine::Machine& machine) : machine_(machine) {}
  absl::StatusOr<machine::select::ScalarShader> Scalar(const ir::Shader& shader) const;
  // Selects instructions for a shader to which the NIR rules have been applied.
  absl::StatusOr<SelectedShader> SelectScalar(machine::select::ScalarShader scalar) const;

  const machine::Machine& machine_;
  SelectOptions options_;
  PackRules packs_;
  std::optional<machine::select::RuleSet> rules_;
};

}  // namespace rewrought::selection

#endif  // REWROUGHT_SELECTION_SHADER_SELECTOR_H_

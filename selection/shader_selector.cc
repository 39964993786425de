#include "selection/shader_selector.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "corpus/chains.h"
#include "corpus/facts.h"
#include "ir/facts/fact_predicates.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "ir/match/value_numbering.h"
#include "ir/text/predicates.h"
#include "machine/select/lower.h"
#include "rules/positions.h"

namespace rewrought::selection {
namespace {

using machine::select::ScalarShader;

// Decides the predicates of rules for a shader that has not been rewritten yet. The shader must not change and must
// outlive this object.
class ShaderPermissions {
 public:
  explicit ShaderPermissions(const ir::Shader& shader)
      : shader_(shader),
        readers_(ir::ReadersOf(shader_)),
        outside_uses_(ir::OutsideUses(shader_)),
        facts_(shader_),
        chains_(shader_, readers_, outside_uses_) {}
  ShaderPermissions(const ShaderPermissions&) = delete;

  // Returns a callback that knows all facts about old values, but only node-local facts about values that rules
  // created. The callback must not outlive this object.
  ir::FactCallback Facts() const {
    return [this](const ir::PredicateQuery& query) {
      return ir::FactsOfNodes(query) || (IsOld(query.value.node) && OldHas(query));
    };
  }

 private:
  bool IsOld(ir::NodeIndex node) const { return node < shader_.values.nodes.size(); }
  bool OldHas(const ir::PredicateQuery& query) const {
    if (query.predicate == ir::kSharedWithOuter || query.predicate == ir::kSharedWithSecondOuter) {
      const int levels = query.predicate == ir::kSharedWithOuter ? 1 : 2;
      return IsOld(query.reader) && chains_.Shared(query.reader, query.source, levels) > 0;
    }
    if (query.predicate == ir::kNotOnlyUsedByFadd) return !IsOnlyAdded(query.value.node);
    return ir::FactsGrant(facts_.at(query.value.node, query.value.swizzle[0]), query.predicate);
  }

  // Returns whether only fadds read the node, directly or through fneg and fabs. Must agree with emitter/nir/readers.c,
  // which is compiled into drivers.
  bool IsOnlyAdded(ir::NodeIndex node) const {
    if (outside_uses_[node] > 0) return false;
    return std::all_of(readers_[node].begin(), readers_[node].end(), [&](ir::NodeIndex reader) {
      const std::string& op = shader_.values.at(reader).op->name;
      return op == "fadd" || ((op == "fneg" || op == "fabs") && IsOnlyAdded(reader));
    });
  }

  const ir::Shader& shader_;
  const std::vector<std::vector<ir::NodeIndex>> readers_;
  const std::vector<uint32_t> outside_uses_;
  const corpus::ShaderFacts facts_;
  const corpus::ShaderChains chains_;
};

void MergeEqualOps(ScalarShader* scalar) {
  if (ir::NumberValues(&scalar->shader) == 0) return;
  // Without rules, the rewriter only removes dead values.
  const ir::Rewriter nothing(std::vector<const ir::CompiledRule*>{}, {});
  machine::select::UpdateAfterRewrite(nothing.Run(&scalar->shader).origins, scalar);
}

// Applies the rules, in order, until none matches, and then merges equal ops as drivers do. Returns the number of
// applications. `permissions` must have been created for the same shader.
uint64_t Rewrite(std::vector<const ir::CompiledRule*> rules, const ShaderPermissions& permissions,
                 ScalarShader* scalar) {
  ir::MatchOptions options;
  options.facts = permissions.Facts();
  options.literals_exact = true;
  const ir::RewriteResult result = ir::Rewriter(std::move(rules), options).Run(&scalar->shader);
  machine::select::UpdateAfterRewrite(result.origins, scalar);
  if (!result.applications.empty()) MergeEqualOps(scalar);
  return result.applications.size();
}

// Returns the rule's form for shaders of the stage, or null if there is none.
const ir::CompiledRule* FormFor(const NirRule& rule, const std::string& stage) {
  const std::optional<ir::CompiledRule>& form = rules::ComputesPositions(stage) ? rule.positions : rule.other;
  return form.has_value() ? &*form : nullptr;
}

absl::flat_hash_set<const ir::OpRow*> OpsOf(const ir::Term& term) {
  absl::flat_hash_set<const ir::OpRow*> ops;
  for (const ir::Node& node : term.nodes) {
    if (node.kind == ir::NodeKind::kOp) ops.insert(node.op);
  }
  return ops;
}

// Returns whether one of the ops may be the root of a match.
bool MayFit(const ir::CompiledRule& rule, const absl::flat_hash_set<const ir::OpRow*>& ops) {
  return std::any_of(rule.root_ops().begin(), rule.root_ops().end(),
                     [&](const ir::OpRow* op) { return ops.contains(op); });
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShaderSelector>> ShaderSelector::Create(const machine::Machine& machine,
                                                                       const std::vector<std::string>& packs,
                                                                       const SelectOptions& options) {
  auto selector = std::unique_ptr<ShaderSelector>(new ShaderSelector(machine));
  selector->options_ = options;
  absl::StatusOr<PackRules> read = ReadPacks(machine, packs, options.nir_rules_alone);
  if (!read.ok()) return read.status();
  selector->packs_ = *std::move(read);
  const bool strong = options.cover != machine::select::CoverKind::kNaive;
  absl::StatusOr<machine::select::RuleSet> rules =
      machine::select::RuleSet::Create(machine, &selector->packs_.programs, strong);
  if (!rules.ok()) return rules.status();
  selector->rules_ = *std::move(rules);
  return selector;
}

absl::StatusOr<ScalarShader> ShaderSelector::Scalar(const ir::Shader& shader) const {
  const std::optional<machine::select::VectorOptions> vectors = machine::select::VectorOptionsOf(*rules_);
  absl::StatusOr<ScalarShader> scalar = machine::select::Scalarize(shader, vectors.has_value() ? &*vectors : nullptr);
  if (scalar.ok()) MergeEqualOps(&*scalar);
  return scalar;
}

absl::StatusOr<SelectedShader> ShaderSelector::Select(const ir::Shader& shader) const {
  absl::StatusOr<ScalarShader> scalar = Scalar(shader);
  if (!scalar.ok()) return scalar.status();
  std::vector<const ir::CompiledRule*> forms;
  for (const NirRule& rule : packs_.nir) {
    if (const ir::CompiledRule* form = FormFor(rule, shader.stage); form != nullptr) forms.push_back(form);
  }
  uint64_t rewritten = 0;
  if (!forms.empty()) {
    const ir::Shader before = scalar->shader;
    rewritten = Rewrite(std::move(forms), ShaderPermissions(before), &*scalar);
  }
  absl::StatusOr<SelectedShader> out = SelectScalar(*std::move(scalar));
  if (out.ok()) out->rewritten = rewritten;
  return out;
}

absl::StatusOr<std::vector<RuleChange>> ShaderSelector::SelectEach(const ir::Shader& shader) const {
  const absl::StatusOr<ScalarShader> scalar = Scalar(shader);
  if (!scalar.ok()) return scalar.status();
  const absl::StatusOr<SelectedShader> before = SelectScalar(*scalar);
  if (!before.ok()) return before.status();
  const ShaderPermissions permissions(scalar->shader);
  const absl::flat_hash_set<const ir::OpRow*> present = OpsOf(scalar->shader.values);
  std::vector<RuleChange> changes;
  for (size_t i = 0; i < packs_.nir.size(); ++i) {
    const ir::CompiledRule* form = FormFor(packs_.nir[i], shader.stage);
    if (form == nullptr || !MayFit(*form, present)) continue;
    ScalarShader rewritten = *scalar;
    const uint64_t applied = Rewrite({form}, permissions, &rewritten);
    if (applied == 0) continue;
    const absl::StatusOr<SelectedShader> after = SelectScalar(std::move(rewritten));
    if (!after.ok()) return after.status();
    changes.push_back({i, applied,
                       static_cast<double>(after->statistics.instructions) - before->statistics.instructions,
                       after->statistics.issue_cycles - before->statistics.issue_cycles});
  }
  return changes;
}

absl::StatusOr<SelectedShader> ShaderSelector::SelectScalar(ScalarShader scalar) const {
  SelectedShader out;
  out.name = scalar.shader.name, out.source = scalar.shader.source, out.stage = scalar.shader.stage;
  if (options_.baseline != nullptr) {
    // The tree's rules match lowered ops. For example, they remove the instructions for each zero half of a constant
    // factor.
    out.lowered = machine::select::LowerMissing(*rules_, &scalar);
    std::vector<ir::NodeIndex> origins;
    options_.baseline->Normalise(&scalar.shader, &origins);
    machine::select::UpdateAfterRewrite(origins, &scalar);
  }
  out.lowered += machine::select::LowerMissing(*rules_, &scalar);
  std::optional<ShaderPermissions> permissions;
  machine::select::CoverOptions cover_options{options_.cover, options_.fusion, true, ir::FactsOfNodes};
  if (!packs_.programs.empty()) {
    permissions.emplace(scalar.shader);
    cover_options.facts = permissions->Facts();
  }
  absl::StatusOr<machine::select::Cover> cover = machine::select::CoverShader(*rules_, scalar, cover_options);
  if (!cover.ok()) return cover.status();
  for (const machine::select::Tile& tile : cover->tiles) out.pack_tiles += tile.from_pack ? 1 : 0;
  absl::StatusOr<machine::select::Selection> selection =
      machine::select::Emit(*rules_, std::move(scalar), *std::move(cover));
  if (!selection.ok()) return selection.status();
  out.selection = *std::move(selection);
  out.in_order = machine::select::StatisticsOf(out.selection, options_.constants_free);
  if (options_.schedule) machine::select::Schedule(&out.selection);
  out.statistics =
      options_.schedule ? machine::select::StatisticsOf(out.selection, options_.constants_free) : out.in_order;
  if (options_.emulate_runs > 0) {
    absl::StatusOr<machine::select::EmulationReport> report =
        machine::select::Emulate(out.selection, {.runs = options_.emulate_runs});
    if (!report.ok()) return report.status();
    out.emulation = *std::move(report);
  }
  return out;
}

}  // namespace rewrought::selection

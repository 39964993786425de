// What a version of Mesa knows: ops, predicates, compiler options, flags of nodes. Rules are written for one such
// target. The facts are data, emitter/targets/*.textproto; tests/mesa compares them with the real trees.
#ifndef REWROUGHT_EMITTER_NIR_NIR_TARGET_H_
#define REWROUGHT_EMITTER_NIR_NIR_TARGET_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/rewrought/v1/target.pb.h"

namespace rewrought::emitter {

// Where drivers call a pass of rules: where the main loop comes to rest, before additions and products are fused,
// before and after the late pass.
inline constexpr absl::string_view kPlaces[] = {"main_rest", "before_ffma", "before_late", "after_late"};
inline constexpr absl::string_view kBeforeLate = "before_late";
inline constexpr absl::string_view kAfterLate = "after_late";

// When a replacement may create an op.
struct OpGuard {
  bool known = false;     // false: no option of the driver says so; `condition` says why
  std::string condition;  // C text over `options->`; empty: every driver has it
};

class NirTarget {
 public:
  // Reads one target's textproto, which may extend one of `known`. InvalidArgument, with `file` before it: text that
  // is no such message, and names that do not fit together.
  static absl::StatusOr<NirTarget> Parse(absl::string_view text, absl::string_view file,
                                         absl::Span<const NirTarget> known);

  const std::string& name() const { return name_; }                  // "mesa-25.0"
  const std::string& debian_suite() const { return debian_suite_; }  // that has it, "trixie"; may be empty

  // Whether the version has `op` (a name of ir::AllOps()), `predicate` (of ir::AllPredicates()), or `field` of
  // nir_shader_compiler_options.
  bool HasOp(absl::string_view op) const { return ops_.contains(op); }
  bool HasPredicate(absl::string_view predicate) const { return predicates_.contains(predicate); }
  bool HasOption(absl::string_view field) const { return options_.contains(field); }
  // Whether rules may mark nodes nsz, nnan, ninf.
  bool HasNodeFlags() const { return node_flags_; }

  // Under which condition drivers take `op` at a free size of `bits`. `machine` is the id of the machine that the pack
  // is for: its own ops need no guard.
  OpGuard GuardOf(absl::string_view op, int bits, absl::string_view machine) const;

  // Whether `op` exists only after the late pass has un-canonicalised.
  bool IsLate(absl::string_view op) const;

  // The place at which the driver of `machine` calls a pass, one of kPlaces: its first, or with `makes_late`, for rules
  // that make what is late, before_late if it has that.
  std::string PlaceOf(absl::string_view machine, bool makes_late) const;

  // The machine whose tree_edits make a driver of tools/driver_rig/drivers.toml call a pass: "valhall" for
  // "bifrost-g52"; the driver's own name where nothing is said, as edits for "v3d" are for "v3d-42".
  std::string CallsOf(const std::string& driver) const;

  // What a patch for the version's tree changes; empty where no tree was read.
  const std::vector<v1::NirTarget::TreeEdit>& tree_edits() const { return tree_edits_; }

  // The fields that HasOption has.
  const std::set<std::string, std::less<>>& options() const { return options_; }

 private:
  using Names = std::set<std::string, std::less<>>;

  NirTarget() = default;
  absl::Status Add(const v1::NirTarget& message);
  absl::Status AddGuards(const v1::NirTarget& message);
  absl::Status AddTreeEdits(const v1::NirTarget& message);
  const v1::NirTarget::DriverOps* DriverOf(absl::string_view op) const;

  std::string name_, debian_suite_;
  bool node_flags_ = false;
  Names ops_, predicates_, options_, late_;
  std::map<std::pair<std::string, int>, v1::NirTarget::Guard, std::less<>> guards_;  // by op and bits
  std::vector<v1::NirTarget::DriverOps> drivers_;
  std::vector<v1::NirTarget::TreeEdit> tree_edits_;
  std::vector<v1::NirTarget::DriverCalls> driver_calls_;
};

// The built-in targets, oldest first. They live as long as the program.
absl::Span<const NirTarget> AllNirTargets();
// The last of them.
const NirTarget& NewestNirTarget();
// The target called `name`. NotFound names all.
absl::StatusOr<const NirTarget*> FindNirTarget(absl::string_view name);
// "mesa-22.3, mesa-25.0".
std::string NirTargetNames();

// The fields of `options->` in C text, in order of appearance.
std::vector<std::string> OptionFields(absl::string_view condition);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_TARGET_H_

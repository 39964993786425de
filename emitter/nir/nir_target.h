// Describes a version of Mesa: ops, predicates, compiler options, and node flags. Rules are written for one version.
// The data is in emitter/targets/*.textproto; tests/mesa compares it with the Mesa trees.
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
#include "ir/dialect/dialect.h"
#include "proto/rewrought/v1/target.pb.h"

namespace rewrought::emitter {

// The places at which drivers call a pass of rules: at the fixed point of the main loop, before products and sums are
// fused, and before and after the late pass.
inline constexpr absl::string_view kPlaces[] = {"main_rest", "before_ffma", "before_late", "after_late"};
inline constexpr absl::string_view kBeforeLate = "before_late";
inline constexpr absl::string_view kAfterLate = "after_late";

// The condition under which a replacement may create an op.
struct OpGuard {
  bool known = false;     // False if no option states the condition; `condition` then contains the reason.
  std::string condition;  // C text over `options->`; empty if every driver has the op.
};

class NirTarget {
 public:
  // Parses a target's textproto, which may extend one of `known`. Fails with InvalidArgument, naming `file`, for
  // malformed text or inconsistent names.
  static absl::StatusOr<NirTarget> Parse(absl::string_view text, absl::string_view file,
                                         absl::Span<const NirTarget> known);

  const std::string& name() const { return name_; }                  // For example "mesa-25.0".
  const std::string& debian_suite() const { return debian_suite_; }  // For example "trixie"; may be empty.
  ir::Dialect dialect() const { return dialect_; }                   // The meaning of rules in this version.
  // Returns the name of the file in emitter/nir that precedes the packs' own C code. Returns an empty string if packs
  // for the version contain no C code of their own.
  const std::string& c_names() const { return c_names_; }
  // Returns whether the patch of a pass adds a header that declares the pass.
  bool HasOwnHeader() const { return own_header_; }

  // Return whether the version has `op` (from ir::AllOps()), `predicate` (from ir::AllPredicates()), or `field` (of
  // nir_shader_compiler_options).
  bool HasOp(absl::string_view op) const { return ops_.contains(op); }
  bool HasPredicate(absl::string_view predicate) const { return predicates_.contains(predicate); }
  bool HasOption(absl::string_view field) const { return options_.contains(field); }
  // Returns whether the tree itself defines `predicate`. Packs contain the C code of other predicates.
  bool Defines(absl::string_view predicate) const;
  // Returns whether rules may mark nodes nsz, nnan, or ninf.
  bool HasNodeFlags() const { return node_flags_; }

  // Returns the condition under which drivers accept `op` at a free size of `bits`. A driver's own ops need no guard in
  // packs for the driver's machines.
  OpGuard GuardOf(absl::string_view op, int bits, absl::string_view machine) const;

  // Returns whether only the late pass creates `op`.
  bool IsLate(absl::string_view op) const;

  // Returns the place, one of kPlaces, at which the driver of `machine` calls a pass: its first place, or before_late
  // if the driver has this place and `makes_late` is set.
  std::string PlaceOf(absl::string_view machine, bool makes_late) const;

  // Returns the machine whose tree_edits make a driver of tools/driver_rig/drivers.toml call a pass, such as "valhall"
  // for "bifrost-g52". Returns `driver` if no driver_calls entry matches; edits for "v3d" then apply to "v3d-42".
  std::string CallsOf(const std::string& driver) const;

  // The edits for a patch of the version's tree; empty if no tree was read.
  const std::vector<v1::NirTarget::TreeEdit>& tree_edits() const { return tree_edits_; }

  const std::set<std::string, std::less<>>& options() const { return options_; }

 private:
  using Names = std::set<std::string, std::less<>>;

  NirTarget() = default;
  absl::Status Add(const v1::NirTarget& message);
  absl::Status AddGuards(const v1::NirTarget& message);
  absl::Status AddTreeEdits(const v1::NirTarget& message);
  const v1::NirTarget::DriverOps* DriverOf(absl::string_view op) const;

  std::string name_, debian_suite_, c_names_;
  ir::Dialect dialect_ = ir::Dialect::kNir25;
  bool node_flags_ = false, own_header_ = false;
  Names ops_, predicates_, options_, late_, defined_;
  std::map<std::pair<std::string, int>, v1::NirTarget::Guard, std::less<>> guards_;  // Keyed by op and bits.
  std::vector<v1::NirTarget::DriverOps> drivers_;
  std::vector<v1::NirTarget::TreeEdit> tree_edits_;
  std::vector<v1::NirTarget::DriverCalls> driver_calls_;
};

// Returns the built-in targets, oldest first. They are never destroyed.
absl::Span<const NirTarget> AllNirTargets();
// Returns the newest target whose source Debian packages. The rig builds this version unless it is given another tree.
const NirTarget& DefaultNirTarget();
// Returns the target called `name`. Fails with NotFound, listing all targets, if there is none.
absl::StatusOr<const NirTarget*> FindNirTarget(absl::string_view name);
// Returns, for example, "mesa-22.3, mesa-25.0, mesa-26.2".
std::string NirTargetNames();
// Returns the target for the tree in folder `tree`, whose file VERSION contains, for example, "26.2.0-rc1": the newest
// target that is not newer than the tree. A tree of the first versions of a dialect (26.0 and 26.1) gets the oldest
// target of this dialect. Fails with NotFound if there is no such file, and with InvalidArgument if it contains no
// version or if the tree is older than every target.
absl::StatusOr<const NirTarget*> TargetOfTree(const std::string& tree);

// Returns the option fields that the condition names, in order of appearance.
std::vector<std::string> OptionFields(absl::string_view condition);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_TARGET_H_

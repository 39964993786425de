// What a version of Mesa knows: ops, compiler options, predicates, marks. Rules are written for one such target;
// tests/mesa compares the tables with the real trees.
#ifndef REWROUGHT_EMITTER_NIR_NIR_TARGET_H_
#define REWROUGHT_EMITTER_NIR_NIR_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

enum class MesaVersion : unsigned char { k22_3, k25_0 };

// When a replacement may create an op.
struct OpGuard {
  bool known = false;     // false: no option of the driver says so; `condition` says why
  std::string condition;  // C text over `options->`; empty: every driver has it
};

class NirTarget {
 public:
  explicit NirTarget(MesaVersion version) : version_(version) {}

  MesaVersion version() const { return version_; }
  absl::string_view name() const;  // "mesa-25.0"

  // Whether nir_opcodes.py of the version has `op` (a name of ir::AllOps()).
  bool HasOp(absl::string_view op) const;
  // Whether nir_search_helpers.h of the version has `predicate` (a name of ir::AllPredicates()).
  bool HasPredicate(absl::string_view predicate) const;
  // Whether `field` is a field of nir_shader_compiler_options that conditions may name.
  bool HasOption(absl::string_view field) const;
  // Whether rules may mark nodes nsz, nnan, ninf.
  bool HasNodeFlags() const { return version_ == MesaVersion::k25_0; }

  // Under which condition drivers take `op` at a free size of `bits`. `machine` is the id of the machine that the pack
  // is for: its own ops need no guard.
  OpGuard GuardOf(absl::string_view op, int bits, absl::string_view machine) const;

  // Whether `op` exists only after the late pass has un-canonicalised: a rule that needs it belongs into the late list.
  static bool IsLate(absl::string_view op);

  // The fields that this file's guards use, sorted; all must pass HasOption.
  std::vector<std::string> GuardFields() const;

 private:
  MesaVersion version_;
};

// The fields of `options->` in C text, in order of appearance.
std::vector<std::string> OptionFields(absl::string_view condition);

// "mesa-22.3" or "mesa-25.0"; NotFound names both.
absl::StatusOr<NirTarget> FindNirTarget(absl::string_view name);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_TARGET_H_

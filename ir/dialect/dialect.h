// The dialects of NIR. A dialect defines what ops, flags, literals, and predicates mean in a range of Mesa versions.
#ifndef REWROUGHT_IR_DIALECT_DIALECT_H_
#define REWROUGHT_IR_DIALECT_DIALECT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::ir {

enum class Dialect : uint8_t {
  kNir25,  // Mesa 22.3 to 25.x; described by docs/float_contract.md and ir/match/matcher_model.h
  kNir26,  // Mesa 26.0 to 26.2; docs/nir26.md lists the differences
};

// Returns the dialect to use if the user names neither a dialect nor a tree: nir-25 if the user names a machine,
// because machine programs can be verified only in nir-25, and otherwise the newest dialect.
constexpr Dialect DefaultDialect(bool has_machine) { return has_machine ? Dialect::kNir25 : Dialect::kNir26; }

// Returns "nir-25" or "nir-26".
absl::string_view NameOf(Dialect dialect);

// Parses a result of NameOf. Fails with InvalidArgument, listing the dialects, for any other text.
absl::StatusOr<Dialect> ParseDialect(absl::string_view name);

// The version of the dialect nir-26; part of the keys of its verdicts. Raise it when a verdict in nir-26 can change but
// the digest of the semantics (ir/semantics.h), which describes nir-25, does not.
inline constexpr absl::string_view kNir26Version = "nir-26-5";

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_DIALECT_H_

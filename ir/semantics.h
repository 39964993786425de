// The version of the semantics: a digest of the op table, the predicates, the float contract, the lowering of terms and
// the lemmas. A verdict is valid only under the digest under which it was obtained.
#ifndef REWROUGHT_IR_SEMANTICS_H_
#define REWROUGHT_IR_SEMANTICS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "ir/dialect/dialect.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// The version of the lowering of terms by ir::Dag. Raise it when terms are lowered to different values
// (ir/ops/lowering_test.cc detects this), because stored proofs contain queries over the old values.
inline constexpr absl::string_view kLoweringVersion = "lowering-5";

// Returns the SHA-256 of all fields of a row. Also used for the instruction rows of machines.
std::string DigestOfRow(const OpRow& row);

// Returns the digest of the semantics in hex.
const std::string& SemanticsDigest();

// Returns the digest for verdicts in a dialect: SemanticsDigest for nir-25, and a digest that also covers
// kNir26Version for nir-26.
std::string SemanticsDigestIn(Dialect dialect);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SEMANTICS_H_

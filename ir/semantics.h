// The version of all meaning: one digest over the op table, the predicates, the float contract, how terms are lowered
// and the lemmas. A verdict holds under the digest it was reached with.
#ifndef REWROUGHT_IR_SEMANTICS_H_
#define REWROUGHT_IR_SEMANTICS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Names what ir::Dag makes of terms. Raise it when that becomes other values (ir/ops/lowering_test.cc says so): stored
// proofs hold queries of them.
inline constexpr absl::string_view kLoweringVersion = "lowering-4";

// SHA-256 over everything that a row says; machines digest their instruction rows with it too.
std::string DigestOfRow(const OpRow& row);

// The digest of NIR's semantics as this program has it, hex.
const std::string& SemanticsDigest();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SEMANTICS_H_

// The version of all meaning: one digest over the op table, the predicates, the float contract and the lemmas. A
// verdict holds under the digest it was reached with.
#ifndef REWROUGHT_IR_SEMANTICS_H_
#define REWROUGHT_IR_SEMANTICS_H_

#include <string>

#include "ir/op_row.h"

namespace rewrought::ir {

// SHA-256 over everything that a row says; machines digest their instruction rows with it too.
std::string DigestOfRow(const OpRow& row);

// The digest of NIR's semantics as this program has it, hex.
const std::string& SemanticsDigest();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SEMANTICS_H_

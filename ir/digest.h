// SHA-256, by libcrypto: names of rules, queries and of the semantics itself.
#ifndef REWROUGHT_IR_DIGEST_H_
#define REWROUGHT_IR_DIGEST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

// 64 lower-case hex digits.
std::string Sha256Hex(absl::string_view bytes);

// The id of a rule, as Sha256Hex: of machine ("" for a rule of the IR), line end, canonical text. It lives across runs.
std::string RuleId(absl::string_view canonical_text, absl::string_view machine);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIGEST_H_

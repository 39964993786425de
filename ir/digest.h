// SHA-256, by libcrypto: names of rules, queries, shaders and of the semantics itself.
#ifndef REWROUGHT_IR_DIGEST_H_
#define REWROUGHT_IR_DIGEST_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

// 64 lower-case hex digits.
std::string Sha256Hex(absl::string_view bytes);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIGEST_H_

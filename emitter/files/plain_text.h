// Checks the parts of an entry that writers copy verbatim into files. Packs are untrusted, so no part may end a comment
// or a string in any language.
#ifndef REWROUGHT_EMITTER_FILES_PLAIN_TEXT_H_
#define REWROUGHT_EMITTER_FILES_PLAIN_TEXT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

// Fails with FailedPrecondition if a rule's id contains characters other than letters and digits.
absl::Status CheckPlainId(absl::string_view id);

// Fails with FailedPrecondition if a condition contains anything but C names, numbers, operators, and parentheses.
absl::Status CheckPlainCondition(absl::string_view condition);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_PLAIN_TEXT_H_

// What of an entry may be written into a file as it stands: nothing in it may end a comment or a string of another
// language, wherever the pack comes from.
#ifndef REWROUGHT_EMITTER_FILES_PLAIN_TEXT_H_
#define REWROUGHT_EMITTER_FILES_PLAIN_TEXT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::emitter {

// FailedPrecondition if a rule's id holds anything but letters and digits.
absl::Status CheckPlainId(absl::string_view id);

// FailedPrecondition if a condition holds anything but names, numbers, operators and parentheses of C.
absl::Status CheckPlainCondition(absl::string_view condition);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_PLAIN_TEXT_H_

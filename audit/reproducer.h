// Writes shell commands that reproduce the findings of an audit.
#ifndef REWROUGHT_AUDIT_REPRODUCER_H_
#define REWROUGHT_AUDIT_REPRODUCER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::audit {

// Returns the command "printf '%s\n' '…' | rewrought check - --dialect nir-26 --explain", with `rule` quoted for a
// POSIX shell. Omits --dialect if `dialect` is empty.
std::string Reproducer(absl::string_view rule, absl::string_view dialect);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_REPRODUCER_H_

// Defines messages about rules that this installation verifies before it uses them.
#ifndef REWROUGHT_CLI_VERIFIED_NOTE_H_
#define REWROUGHT_CLI_VERIFIED_NOTE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "cli/progress.h"

namespace rewrought::cli {

// Returns a callback that shows how many rules have been verified. `progress` must outlive the callback.
std::function<void(size_t, size_t)> ShowVerified(Progress* progress);

// Returns a note that explains why the next command must verify the rules again, or "" if it need not.
std::string SecretNote();

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_VERIFIED_NOTE_H_

// Messages about rules that this installation verifies before it uses them.
#ifndef REWROUGHT_CLI_VERIFIED_NOTE_H_
#define REWROUGHT_CLI_VERIFIED_NOTE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "cli/progress.h"

namespace rewrought::cli {

// Returns a callback that shows the number of rules verified. `progress` must outlive it.
std::function<void(size_t, size_t)> ShowVerified(Progress* progress);

// Returns the reason why the rules must be verified again next time, or "" if they need not be.
std::string SecretNote();

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_VERIFIED_NOTE_H_

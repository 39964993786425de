// What commands say of rules that this installation verifies before it uses them.
#ifndef REWROUGHT_CLI_VERIFIED_NOTE_H_
#define REWROUGHT_CLI_VERIFIED_NOTE_H_

#include <cstddef>
#include <functional>
#include <string>

#include "cli/progress.h"

namespace rewrought::cli {

// Shows how many of how many rules were verified. `progress` outlives it.
std::function<void(size_t, size_t)> ShowVerified(Progress* progress);

// Why what was verified will be verified again the next time; "" if it will not.
std::string SecretNote();

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_VERIFIED_NOTE_H_

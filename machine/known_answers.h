// Counts the known answers (machine/known_answers/<id>.txt) against which a built-in machine is tested.
#ifndef REWROUGHT_MACHINE_KNOWN_ANSWERS_H_
#define REWROUGHT_MACHINE_KNOWN_ANSWERS_H_

#include "absl/strings/string_view.h"

namespace rewrought::machine {

// Returns the number of known answers, or 0 for a machine that is not built in.
int KnownAnswersOf(absl::string_view id);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_KNOWN_ANSWERS_H_

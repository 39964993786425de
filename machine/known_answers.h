// How well a built-in machine is pinned down by known answers (machine/known_answers/<id>.txt).
#ifndef REWROUGHT_MACHINE_KNOWN_ANSWERS_H_
#define REWROUGHT_MACHINE_KNOWN_ANSWERS_H_

#include "absl/strings/string_view.h"

namespace rewrought::machine {

// The number of known answers that the machine is tested with; 0 for a machine that is not built in.
int KnownAnswersOf(absl::string_view id);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_KNOWN_ANSWERS_H_

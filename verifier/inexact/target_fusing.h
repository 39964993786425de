// Tells the check of inexact rules which products a machine's driver fuses into sums.
#ifndef REWROUGHT_VERIFIER_INEXACT_TARGET_FUSING_H_
#define REWROUGHT_VERIFIER_INEXACT_TARGET_FUSING_H_

#include "machine/machine.h"
#include "verifier/inexact/inexact.h"

namespace rewrought::verifier {

// Sets the options that specify which products `machine`'s driver fuses. `machine` must outlive the options.
void SetFusing(const machine::Machine& machine, InexactOptions* options);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_TARGET_FUSING_H_

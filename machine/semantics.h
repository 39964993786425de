// What a verdict about a machine rests on, as a digest: NIR's rows and the machine's description.
#ifndef REWROUGHT_MACHINE_SEMANTICS_H_
#define REWROUGHT_MACHINE_SEMANTICS_H_

#include "ir/digest.h"
#include "machine/machine.h"

namespace rewrought::machine {

// The same for the same program and description; kept, so cheap. Thread-safe.
ir::Digest SemanticsOf(const Machine& machine);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_SEMANTICS_H_

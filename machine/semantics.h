// Computes the digest of everything that a proof about a machine depends on: NIR's op rows and the machine's
// description.
#ifndef REWROUGHT_MACHINE_SEMANTICS_H_
#define REWROUGHT_MACHINE_SEMANTICS_H_

#include "ir/digest.h"
#include "machine/machine.h"

namespace rewrought::machine {

// Returns a digest that depends only on this program's version and the description. Cached and thread-safe.
ir::Digest SemanticsOf(const Machine& machine);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_SEMANTICS_H_

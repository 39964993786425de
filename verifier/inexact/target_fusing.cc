#include "verifier/inexact/target_fusing.h"

#include "machine/base/base_selection.h"

namespace rewrought::verifier {

void SetFusing(const machine::Machine& machine, InexactOptions* options) {
  options->fuses = [&machine](int bits) { return machine::FusesProducts(machine, bits); };
  options->keeps_products_of_constants = machine.keeps_products_of_constants();
}

}  // namespace rewrought::verifier

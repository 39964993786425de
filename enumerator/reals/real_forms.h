// Finds cheaper forms of float terms that are equal to the terms over the reals. Saturates an e-graph with the
// identities of real_identities.h, and extracts the forms whose ops have the lowest total price. The caller must prove
// the forms.
#ifndef REWROUGHT_ENUMERATOR_REALS_REAL_FORMS_H_
#define REWROUGHT_ENUMERATOR_REALS_REAL_FORMS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "ir/term.h"

namespace rewrought::enumerator {

struct RealFormsOptions {
  size_t max_nodes = 250;  // Saturation stops after the round in which the graph reaches this size.
  int max_rounds = 5;
  size_t forms = 6;  // The maximum number of forms kept per class, and of forms returned.
  std::stop_token stop;
};

// Returns the price of one op without its operands, in any unit, or infinity if the machine does not support the op.
// Called for the ops of the term and of the identities.
using OpPrice = std::function<double(const ir::OpRow& op, int bits)>;

// Returns forms of `term` other than the term itself, cheapest by `price` first. The term must be scalar, its sizes
// must be known, and all values except Booleans must be floats of the same size; otherwise, the result is empty.
// Variables marked `#` are symbols: ops on symbols and literals are folded when the rule is applied, so they are nearly
// free. `symbols` contains sample values of the symbols, which affect only decisions about signs. A contracted
// multiply-add costs as much as one ffma. It is returned as an fmul and an fadd, which the driver fuses, or as an ffma
// if the term already contains an ffma. The result is deterministic.
std::vector<ir::Term> FormsOverTheReals(const ir::Term& term, const std::map<std::string, double>& symbols,
                                        const OpPrice& price, const RealFormsOptions& options = {});

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_FORMS_H_

// Cheaper forms of float terms that are equal over the reals: equality saturation with real_identities, then the
// cheapest trees by a price per op. Proposals; whoever uses them proves them.
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
  size_t max_nodes = 250;  // of the graph: saturation ends with the round that reaches it
  int max_rounds = 5;
  size_t forms = 6;  // kept of each class, and given
  std::stop_token stop;
};

// What one op of this size costs beside its operands, in any unit; infinity: the machine cannot do it. Asked of ops
// that the term or an identity has.
using OpPrice = std::function<double(const ir::OpRow& op, int bits)>;

// Forms of `term` (scalar, sizes known, one float size beside Booleans), the cheapest by `price` first, without the
// term itself. Its `#` variables are symbols: ops on them and on literals alone are computed beforehand and nearly
// free; `symbols` says what they are at the place in question, which decides nothing but signs. A contracted
// multiplication and addition costs one ffma and is given as fmul and fadd, which the driver fuses; where the term has
// an ffma, the driver did so before, and it is given as ffma. Empty: nothing known, or sizes that do not
// fit. Deterministic.
std::vector<ir::Term> FormsOverTheReals(const ir::Term& term, const std::map<std::string, double>& symbols,
                                        const OpPrice& price, const RealFormsOptions& options = {});

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_FORMS_H_

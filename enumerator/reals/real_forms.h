// Finds cheaper forms of float terms that are equal over the reals, by equality saturation with real_identities and
// extraction with a price per op. The caller must prove the forms.
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
  size_t max_nodes = 250;  // A limit of the graph; saturation stops after the round that reaches it.
  int max_rounds = 5;
  size_t forms = 6;  // The number of forms kept per class, and returned.
  std::stop_token stop;
};

// Returns the price of one op without its operands, in any unit, or infinity if the machine does not support it.
// Called for ops of the term and of identities.
using OpPrice = std::function<double(const ir::OpRow& op, int bits)>;

// Returns forms of `term`, cheapest by `price` first, without the term itself. The term must be scalar, with known
// sizes and a single float size besides Booleans; otherwise the result is empty. `#` variables are symbols: ops on
// symbols and literals are folded beforehand and nearly free. `symbols` contains sample values of the symbols, which
// affect only decisions about signs. A contracted multiply-add costs one ffma. It is returned as fmul and fadd, which
// the driver fuses, or as ffma if the term already contains an ffma. Deterministic.
std::vector<ir::Term> FormsOverTheReals(const ir::Term& term, const std::map<std::string, double>& symbols,
                                        const OpPrice& price, const RealFormsOptions& options = {});

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_FORMS_H_

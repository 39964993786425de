// Finds cheaper forms of a fragment that are equal to it over the reals, as candidates for NIR rules. A constant
// becomes a symbol if the form does not depend on its value.
#ifndef REWROUGHT_ENUMERATOR_REALS_REAL_FORM_SEARCH_H_
#define REWROUGHT_ENUMERATOR_REALS_REAL_FORM_SEARCH_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ir/term.h"
#include "machine/candidate.h"
#include "machine/cost.h"
#include "machine/machine.h"

namespace rewrought::enumerator {

struct RealForm {
  // In this form, constants are symbols `#b`, and the replacement may contain ops on symbols, which can be folded.
  machine::Candidate general;
  machine::Candidate special;                    // The fragment itself, and the replacement folded with its constants.
  std::map<std::string, double> symbol_numbers;  // The values that the symbols in `general` have in the fragment.
  machine::Cost cost;                            // The cost of special.replace under tuned base selection.
};

// Computes and caches the costs of single ops on a machine. Thread-safe.
class OpPrices {
 public:
  explicit OpPrices(const machine::Machine& machine) : machine_(machine) {}

  // Returns the issue cycles of the program that tuned base selection produces for the op alone. Returns a fraction of
  // a cycle for ops that the machine folds as modifiers, and infinity for unsupported ops.
  double Of(const ir::OpRow& op, int bits);

 private:
  const machine::Machine& machine_;
  std::mutex mutex_;
  std::map<std::pair<const ir::OpRow*, int>, double> prices_;
};

// Returns at most `limit` forms of `term` (a fragment, whose flags are ignored) that are cheaper than `base`, cheapest
// first. Tries forms in which all constants are symbols, and then forms in which constants that also occur in
// identities keep their values; the latter must be cheaper than the former. Returns nothing if a value is neither a
// float of the root's size nor a Boolean, if a constant is infinite or NaN, or if no form is cheaper.
std::vector<RealForm> FindCheaperRealForms(const machine::Machine& machine, const ir::Term& term,
                                           const machine::Cost& base, OpPrices* prices, size_t limit,
                                           std::stop_token stop);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_FORM_SEARCH_H_

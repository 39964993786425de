// Cheaper forms of a fragment that are equal over the reals, as candidates of NIR rules: constants as symbols where the
// form does not need their values.
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
  machine::Candidate general;  // constants as symbols `#b`; ops on symbols stand in the replacement, to be folded
  machine::Candidate special;  // the fragment as it is, and what folding makes of the replacement with its constants
  std::map<std::string, double> symbol_numbers;  // of `general`: what they are in the fragment
  machine::Cost cost;                            // tuned baseline selection of special.replace
};

// What ops cost on a machine by themselves, cached. Thread-safe.
class OpPrices {
 public:
  explicit OpPrices(const machine::Machine& machine) : machine_(machine) {}

  // Issue cycles of tuned baseline selection of the op alone; a fraction for what the machine takes as modifiers,
  // infinity for what it cannot do.
  double Of(const ir::OpRow& op, int bits);

 private:
  const machine::Machine& machine_;
  std::mutex mutex_;
  std::map<std::pair<const ir::OpRow*, int>, double> prices_;
};

// Forms of `term` (a fragment; flags are ignored) cheaper than `base`, the cheapest first, at most `limit`: first with
// all constants as symbols, then, if that is cheaper, with the constants whose values identities speak of as they are.
// None: a value that is neither a float of the root's size nor a Boolean, an infinite or NaN constant, or nothing
// cheaper.
std::vector<RealForm> CheaperOverTheReals(const machine::Machine& machine, const ir::Term& term,
                                          const machine::Cost& base, OpPrices* prices, size_t limit,
                                          std::stop_token stop);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_REALS_REAL_FORM_SEARCH_H_

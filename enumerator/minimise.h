// Drops rules that the other rules derive.
#ifndef REWROUGHT_ENUMERATOR_MINIMISE_H_
#define REWROUGHT_ENUMERATOR_MINIMISE_H_

#include <vector>

#include "enumerator/generalise.h"
#include "enumerator/run_statistics.h"

namespace rewrought::enumerator {

// The rules that are needed, in their order. From the last to the first, a rule goes if rewriting the fragment it was
// found in with the rules still kept reaches a result no dearer: for NIR within 64 steps; for a machine in one step at
// the root. A bounded test in one direction: it never drops what it cannot derive, and may keep what saturation would
// derive.
std::vector<GeneralRule> Minimise(std::vector<GeneralRule> rules, RunStatistics* run_statistics);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_MINIMISE_H_

// Checks that the NIR rules of a pack form a terminating pass: each rule must decrease the measure that the pack
// states.
#ifndef REWROUGHT_EMITTER_PASS_PASS_CHECK_H_
#define REWROUGHT_EMITTER_PASS_PASS_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "emitter/pass/pass_order.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// For each entry that does not decrease the measure with the weights `stated`, returns its id and the reason. If there
// are no such entries, the pass terminates. Skips entries with a program and malformed entries. If `stated` is empty,
// uses the machine's costs, because older packs state no weights.
std::vector<std::pair<std::string, std::string>> CheckPassEnds(const v1::Pack& pack, const OpWeights& stated);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_PASS_CHECK_H_

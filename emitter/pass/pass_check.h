// Checks that the NIR rules of a pack form a terminating pass: each rule must lower the order that the pack states.
#ifndef REWROUGHT_EMITTER_PASS_PASS_CHECK_H_
#define REWROUGHT_EMITTER_PASS_PASS_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "emitter/pass/pass_order.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// Returns the ids of the entries that do not lower the order with the weights `stated`, with the reasons; an empty
// result means that the pass terminates. Skips entries with a program and entries that do not parse. If `stated` is
// empty, uses the costs of the pack's machine, because older packs do not state weights.
std::vector<std::pair<std::string, std::string>> CheckPassEnds(const v1::Pack& pack, const OpWeights& stated);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_PASS_CHECK_H_

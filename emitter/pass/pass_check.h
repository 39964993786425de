// Whether the rules of a pack, as it stands in its files, make a pass that ends: each lowers the order that the pack
// states.
#ifndef REWROUGHT_EMITTER_PASS_PASS_CHECK_H_
#define REWROUGHT_EMITTER_PASS_PASS_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "emitter/pass/pass_order.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// The ids of the entries that do not lower the order of `stated` weights, and why not; none: the pass ends. Entries
// whose right side is a program, or that do not parse, are left out. `stated` empty: the costs of the pack's machine,
// which packs were not told by before they stated any.
std::vector<std::pair<std::string, std::string>> CheckPassEnds(const v1::Pack& pack, const OpWeights& stated);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_PASS_CHECK_H_

// Checks each entry of a pack by itself: texts, id, legality, evidence, spelling. What is wrong is named by entry.
#ifndef REWROUGHT_EMITTER_PACK_ENTRY_CHECK_H_
#define REWROUGHT_EMITTER_PACK_ENTRY_CHECK_H_

#include <string>
#include <vector>

#include "emitter/json_writer.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

struct Finding {
  std::string entry;  // a rule's id; empty: the pack as a whole
  std::string file;   // relative to the folder; empty: pack.json
  std::string what;
};

// Findings about single entries, in order; none: every entry may stand in a pack of the manifest's target and class.
// Proofs are not solved again: that is the verifier's.
std::vector<Finding> CheckEntries(const v1::Pack& pack, const Manifest& manifest);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_ENTRY_CHECK_H_

// Checks each entry of a pack separately: its texts, id, legality, and evidence, and whether Mesa can express it.
#ifndef REWROUGHT_EMITTER_PACK_ENTRY_CHECK_H_
#define REWROUGHT_EMITTER_PACK_ENTRY_CHECK_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "emitter/json_writer.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

struct Finding {
  std::string entry;  // A rule's id; empty for the whole pack.
  std::string file;   // Relative to the folder; empty means pack.json.
  std::string what;
};

// Returns the findings in the order of the entries. Returns no findings if every entry may be part of a pack with the
// manifest's target and class. Does not repeat proofs.
std::vector<Finding> CheckEntries(const v1::Pack& pack, const Manifest& manifest);

// Returns the differences between two messages as one line, or "" if the messages are equal.
std::string DifferenceText(const google::protobuf::Message& stated, const google::protobuf::Message& wanted);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PACK_ENTRY_CHECK_H_

// Checks a pack's folder against itself, and tells two packs apart. What is wrong is named by entry.
#ifndef REWROUGHT_EMITTER_VERIFY_H_
#define REWROUGHT_EMITTER_VERIFY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::emitter {

struct Finding {
  std::string entry;  // a rule's id; empty: the pack as a whole
  std::string file;   // relative to the folder; empty: pack.json
  std::string what;
};

// Checks files against the manifest's digests and sizes; pack.json against the pack's digest and its own canonical
// bytes; every entry's texts, id, programs' legality, evidence and proved cases; that the rules terminate; and that
// each other file reads back as what pack.json gives, to the byte. Proofs are not solved again: that is the verifier's.
// NotFound if there is no manifest.json or pack.json, InvalidArgument if one of them cannot be read as such. No
// findings: the pack is as it was written.
absl::StatusOr<std::vector<Finding>> VerifyPack(const std::string& directory);

struct Difference {
  enum Kind { kAdded, kRemoved, kChanged, kMoved } kind = kAdded;
  std::string entry;  // a rule's id; empty: a field of the manifest
  std::string what;
};

// From the pack in folder `a` to the one in `b`: manifest's fields first, then entries in b's order, then those
// removed. Errors as VerifyPack.
absl::StatusOr<std::vector<Difference>> DiffPacks(const std::string& a, const std::string& b);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_VERIFY_H_

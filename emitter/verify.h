// Checks a pack's folder against itself. What is wrong is named by entry.
#ifndef REWROUGHT_EMITTER_VERIFY_H_
#define REWROUGHT_EMITTER_VERIFY_H_

#include <string>
#include <vector>

#include "emitter/pack_entry_check.h"
#include "emitter/pack_folder.h"

namespace rewrought::emitter {

// Checks what was read of `directory`, and the rest of it: files against the manifest's digests and sizes; pack.json
// against the pack's digest and its own canonical bytes; every entry's texts, id, programs' legality, evidence and
// proved cases; that each NIR rule lowers the order of its pass; and that each other file reads back as what pack.json
// gives, to the byte. Proofs are not solved again: that is the verifier's. No findings: the pack is as it was written.
std::vector<Finding> VerifyPack(const std::string& directory, const PackFolder& read);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_VERIFY_H_

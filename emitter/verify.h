// Checks the consistency of a pack's folder.
#ifndef REWROUGHT_EMITTER_VERIFY_H_
#define REWROUGHT_EMITTER_VERIFY_H_

#include <string>
#include <vector>

#include "emitter/pack_entry_check.h"
#include "emitter/pack_folder.h"

namespace rewrought::emitter {

// Checks the pack `read` from `directory`. The files must have the manifest's digests and sizes. pack.json must have
// the pack's digest and be in canonical form. Every entry must have valid texts, id, program, evidence, and proved
// cases, and each NIR rule must lower the order of its pass. Each other file must be identical to the file generated
// from pack.json. Does not repeat proofs. Returns no findings for an unchanged pack.
std::vector<Finding> VerifyPack(const std::string& directory, const PackFolder& read);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_VERIFY_H_

// Checks the consistency of a pack's folder.
#ifndef REWROUGHT_EMITTER_VERIFY_H_
#define REWROUGHT_EMITTER_VERIFY_H_

#include <string>
#include <vector>

#include "emitter/pack_entry_check.h"
#include "emitter/pack_folder.h"

namespace rewrought::emitter {

// Checks the folder `directory`, from which `read` was read. Compares files with the manifest's digests and sizes, and
// pack.json with the pack's digest and its own canonical form. Checks every entry's texts, id, program legality,
// evidence, and proved cases, and that each NIR rule lowers the order of its pass. Checks that each other file parses
// and is identical to the file generated from pack.json. Does not repeat proofs, which is the verifier's task. Returns
// no findings if the pack is unchanged since it was written.
std::vector<Finding> VerifyPack(const std::string& directory, const PackFolder& read);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_VERIFY_H_

// Checks the consistency of a pack's folder.
#ifndef REWROUGHT_EMITTER_VERIFY_H_
#define REWROUGHT_EMITTER_VERIFY_H_

#include <string>
#include <vector>

#include "emitter/pack_entry_check.h"
#include "emitter/pack_folder.h"

namespace rewrought::emitter {

// Checks the packs in `read`, which ReadPackFolders read from `directory`. Every file and link below the folder must be
// listed in a manifest, and the files must have the manifest's digests and sizes. pack.json and manifest.json must be
// in canonical form, and state what BuildPack derives from the entries: their order, costs, preconditions, passes, and
// tables. Every entry must have valid texts, id, program, evidence, places, and proved cases, and each NIR rule must
// decrease the measure of its pass. Each other file must be identical to the file generated from pack.json. Does not
// repeat proofs. Returns no findings for an unchanged pack.
std::vector<Finding> VerifyPacks(const std::string& directory, const std::vector<PackFolder>& read);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_VERIFY_H_

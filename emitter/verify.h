// Checks the consistency of a pack's folder.
#ifndef REWROUGHT_EMITTER_VERIFY_H_
#define REWROUGHT_EMITTER_VERIFY_H_

#include <string>
#include <vector>

#include "emitter/pack_entry_check.h"
#include "emitter/pack_folder.h"

namespace rewrought::emitter {

// Checks the pack `read` from `directory`: the files against the manifest's digests and sizes; pack.json against the
// pack's digest and its canonical form; every entry's texts, id, program legality, evidence, and proved cases; that
// each NIR rule lowers the order of its pass; and that each other file is identical to the file generated from
// pack.json. Does not repeat proofs. Returns no findings for an unchanged pack.
std::vector<Finding> VerifyPack(const std::string& directory, const PackFolder& read);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_VERIFY_H_

// A patch for `git am` that puts a pack's pass into a Mesa tree: its rule file, the build's entry, its declarations,
// and the driver's calls. What changes where is data of the target (emitter/targets); the lines around it are the
// tree's.
#ifndef REWROUGHT_EMITTER_PASS_TREE_PATCH_H_
#define REWROUGHT_EMITTER_PASS_TREE_PATCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"

namespace rewrought::emitter {

struct TreePass {
  std::string name;                 // NirPassName
  std::string machine;              // whose driver is to call it; empty: all drivers, where they know a place
  std::string python;               // the text of its rule file; empty: the patch brings none
  std::vector<std::string> places;  // NirPlaces
  std::string message;              // below the subject
};

// The patch for the tree whose root is `tree`, the same bytes for the same tree. Lines that name no pass and are there
// already, from another pass's patch, are left out. FailedPrecondition: the target knows
// of no call for one of the places; NotFound, with the file: it cannot be read, or does not have the lines at which the
// patch is put in exactly once.
absl::StatusOr<std::string> TreePatch(const std::string& tree, const NirTarget& target, const TreePass& pass);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_TREE_PATCH_H_

// Creates a patch for `git am` that adds a pack's pass to a Mesa tree: rule file, build entry, declarations, and the
// driver's calls. The target (emitter/targets) specifies the edits.
#ifndef REWROUGHT_EMITTER_PASS_TREE_PATCH_H_
#define REWROUGHT_EMITTER_PASS_TREE_PATCH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"

namespace rewrought::emitter {

struct TreePass {
  std::string name;     // See NirPassName.
  std::string machine;  // The machine whose driver calls the pass; empty means all drivers with a known place.
  std::string python;   // The rule file's text; empty omits the file.
  std::vector<std::string> places;  // See NirPlaces.
  std::string message;              // The commit message below the subject.
};

// Returns the patch for the tree with root `tree`; equal trees produce identical patches. Omits lines that do not
// contain the pass's name and that the patch of another pass has already added. Fails with FailedPrecondition if the
// target has no call site for a place, and with NotFound, naming the file, if a file cannot be read or does not contain
// the anchor exactly once.
absl::StatusOr<std::string> TreePatch(const std::string& tree, const NirTarget& target, const TreePass& pass);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_PASS_TREE_PATCH_H_

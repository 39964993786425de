// Reads the shader modules of a Fossilize archive (.foz), to which Vulkan layers write the shaders that a game
// compiles. Sizes in headers are checked against the available bytes.
#ifndef REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_
#define REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct FossilizeLimits {
  uint64_t module_bytes = uint64_t{64} << 20;  // unpacked size of a module; larger modules are skipped
  // Unpacked bytes allowed per byte of the archive, in addition to `slack`. proto::kArchiveLimits bounds their sum as
  // well.
  uint64_t ratio = 200, slack = uint64_t{64} << 20;
  uint64_t header_bytes = uint64_t{1} << 20;  // size of the JSON before a module's words
};

// Returns whether `bytes` begins like a Fossilize archive of any version.
bool LooksLikeFossilize(absl::string_view bytes);

// Calls `visit(name, words)` with the SPIR-V of each module in archive order, where the name is the module's hash and
// ".spv". Calls `skip(name, reason)` for a module that is damaged, too large, or in a format from before 2020. Stops
// when a callback returns false. Ignores other entries, such as pipelines and layouts. Fails with InvalidArgument if
// the bytes are not a Fossilize archive of version 5 or 6, contain no module (such as a driver's cache), or are
// truncated, e.g. because the game was killed; the modules before the cut have been visited. Fails with
// ResourceExhausted if a limit is reached, which the message names.
absl::Status ForEachFossilizeModule(
    absl::string_view archive, const FossilizeLimits& limits,
    const std::function<bool(const std::string& name, std::string bytes)>& visit,
    const std::function<bool(const std::string& name, const std::string& reason)>& skip);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_

// Reads the shader modules of a Fossilize archive (.foz), to which Vulkan layers write the shaders that a game
// compiles. The sizes in headers are checked against the number of available bytes.
#ifndef REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_
#define REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct FossilizeLimits {
  uint64_t module_bytes = uint64_t{64} << 20;  // maximum unpacked size of a module; larger modules are skipped
  // The modules may unpack to at most `slack` bytes plus `ratio` times the size of the archive. proto::kArchiveLimits
  // also bounds the total.
  uint64_t ratio = 200, slack = uint64_t{64} << 20;
  uint64_t header_bytes = uint64_t{1} << 20;  // maximum size of the JSON that precedes a module's words
};

// Returns whether `bytes` begins like a Fossilize archive of any version.
bool LooksLikeFossilize(absl::string_view bytes);

// Calls `visit(name, words)` with the SPIR-V of each module, in archive order. The name is the module's hash, followed
// by ".spv". Calls `skip(name, reason)` for a module that is damaged, too large, or in a format from before 2020. Stops
// when a callback returns false. Ignores other entries, such as pipelines and layouts. Fails with InvalidArgument if
// the bytes are not a Fossilize archive of version 5 or 6, if they contain no module (like a driver's cache), or if
// they are truncated, e.g. because the game was killed. In the last case, the modules before the cut have been visited.
// Fails with ResourceExhausted if a limit is reached; the message names the limit.
absl::Status ForEachFossilizeModule(
    absl::string_view archive, const FossilizeLimits& limits,
    const std::function<bool(const std::string& name, std::string bytes)>& visit,
    const std::function<bool(const std::string& name, const std::string& reason)>& skip);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_

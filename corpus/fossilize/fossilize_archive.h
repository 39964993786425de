// Reads the shader modules of a Fossilize archive (.foz), which Vulkan layers write of what a game compiles.
// Bounded as archives are: what a header claims is believed for not a byte more than is there.
#ifndef REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_
#define REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

struct FossilizeLimits {
  uint64_t module_bytes = uint64_t{64} << 20;  // of a module unpacked; a larger one is passed over
  // Bytes unpacked for each byte of the archive, beyond the slack; proto::kArchiveLimits bounds their sum as well.
  uint64_t ratio = 200, slack = uint64_t{64} << 20;
  uint64_t header_bytes = uint64_t{1} << 20;  // of the JSON before a module's words
};

// True if `bytes` begins as an archive of Fossilize's does, of whatever version.
bool LooksLikeFossilize(absl::string_view bytes);

// Calls `visit(name, words)` with the SPIR-V of each module in the order of the archive, the name its hash and ".spv",
// and `skip(name, reason)` for a module that is damaged, too large, or stored in a way of before 2020, until one of
// them returns false. Everything else (pipelines, layouts) is passed over. InvalidArgument: not such an archive, of
// another version than 5 and 6, cut off (as a game leaves it that was killed; modules before that have been visited),
// or without any module, as the caches of drivers are. ResourceExhausted: a limit was reached; which.
absl::Status ForEachFossilizeModule(
    absl::string_view archive, const FossilizeLimits& limits,
    const std::function<bool(const std::string& name, std::string bytes)>& visit,
    const std::function<bool(const std::string& name, const std::string& reason)>& skip);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_FOSSILIZE_FOSSILIZE_ARCHIVE_H_

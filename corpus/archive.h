// Walks the members of an archive (tar in any compression, zip, 7-zip, Fossilize, or one compressed file) held in
// memory.
#ifndef REWROUGHT_CORPUS_ARCHIVE_H_
#define REWROUGHT_CORPUS_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Beyond proto::kArchiveLimits, which count the bytes unpacked, passed over or not, the walk ends; so it does here, but
// for a member that is too large.
struct ArchiveLimits {
  uint64_t member_bytes = uint64_t{64} << 20;  // a larger member is passed over
  // Bytes unpacked for each byte of the archive, beyond the slack.
  uint64_t ratio = 200;
  uint64_t slack = uint64_t{64} << 20;
  double seconds = 60;  // of this thread's processor, for unpacking alone
};

// True if `bytes` begins as an archive or compressed file does.
bool LooksLikeArchive(absl::string_view bytes);

// Calls `visit(name, bytes)` for each regular file in the archive, in its order, and `skip(name, reason)` for each that
// is passed over, until one of them returns false. InvalidArgument: not an archive, or damaged; members before the
// damage have been visited. ResourceExhausted: it is compressed more than once, or a limit was reached; which.
absl::Status ForEachMember(absl::string_view archive, const ArchiveLimits& limits,
                           const std::function<bool(const std::string& name, std::string bytes)>& visit,
                           const std::function<bool(const std::string& name, const std::string& reason)>& skip);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_ARCHIVE_H_

// Visits the members of an archive in memory: tar with any compression, zip, 7-zip, Fossilize, or a single compressed
// file.
#ifndef REWROUGHT_CORPUS_ARCHIVE_H_
#define REWROUGHT_CORPUS_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Limits that apply in addition to proto::kArchiveLimits. Byte counts refer to unpacked bytes, including those of
// skipped members. Exceeding a limit ends the walk, except that a member larger than `member_bytes` is only skipped.
struct ArchiveLimits {
  uint64_t member_bytes = uint64_t{64} << 20;  // a larger member is skipped
  // The archive may unpack to at most `slack` bytes plus `ratio` times its own size.
  uint64_t ratio = 200;
  uint64_t slack = uint64_t{64} << 20;
  double seconds = 60;  // CPU time that this thread may use for unpacking
};

// Returns whether `bytes` begins like an archive or a compressed file.
bool LooksLikeArchive(absl::string_view bytes);

// Calls `visit(name, bytes)` for each regular file in the archive, in order, and `skip(name, reason)` for each file
// that is skipped, until a callback returns false. Fails with InvalidArgument if the bytes are not an archive, or,
// after visiting the members before the damage, if they are damaged. Fails with ResourceExhausted if the archive is
// compressed more than once or exceeds a limit; the message names the limit.
absl::Status ForEachMember(absl::string_view archive, const ArchiveLimits& limits,
                           const std::function<bool(const std::string& name, std::string bytes)>& visit,
                           const std::function<bool(const std::string& name, const std::string& reason)>& skip);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_ARCHIVE_H_

// Whether a file lies on a network file system, where SQLite's locks and shared memory are not to be relied on.
// What this project assumes of such file systems is that files can be copied and renamed, no more.
#ifndef REWROUGHT_STORE_SQLITE_NETWORK_FILE_SYSTEM_H_
#define REWROUGHT_STORE_SQLITE_NETWORK_FILE_SYSTEM_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace rewrought::store::sqlite {

// "NFS" and others for statfs(2)'s f_type of a file system whose files other machines change; null: none that is known.
const char* NetworkFileSystem(uint64_t type);

// The same for the file system of `path`, or of the nearest folder above it that exists; null also where the system
// does not say.
const char* NetworkFileSystemOf(const std::string& path);

// FailedPrecondition, with the remedy: `path` lies on a network file system.
absl::Status CheckLocalDisk(const std::string& path);

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_NETWORK_FILE_SYSTEM_H_

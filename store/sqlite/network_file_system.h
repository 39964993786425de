// Detects network file systems, on which SQLite's locks and shared memory are unreliable. This project relies on such
// file systems only for copying and renaming files.
#ifndef REWROUGHT_STORE_SQLITE_NETWORK_FILE_SYSTEM_H_
#define REWROUGHT_STORE_SQLITE_NETWORK_FILE_SYSTEM_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace rewrought::store::sqlite {

// Returns a name such as "NFS" if `type` (the f_type of statfs(2)) denotes a file system that other machines may
// modify, or null otherwise.
const char* NetworkFileSystem(uint64_t type);

// Like NetworkFileSystem, for the file system of `path` or of its nearest existing parent folder. Also returns null
// if the system does not report the type.
const char* NetworkFileSystemOf(const std::string& path);

// Fails with FailedPrecondition, naming a remedy, if `path` is on a network file system.
absl::Status CheckLocalDisk(const std::string& path);

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_NETWORK_FILE_SYSTEM_H_

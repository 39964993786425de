// Finds the process that holds a lock on an open file. The kernel does not report the holder directly (it returns -1),
// but it lists the locks of each process.
#ifndef REWROUGHT_STORE_LOCK_HOLDER_H_
#define REWROUGHT_STORE_LOCK_HOLDER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace rewrought::store {

struct LockedBytes {
  dev_t device = 0;
  ino_t inode = 0;
  int64_t first = 0, last = 0;
};

// Returns a description of the holder that includes its start time, such as "process 12 (rewrought serve --db a.db),
// since 2026-11-22 22:10:05". If this process may not see the holder's locks, returns "a process of another user or
// container".
std::string LockHolder(const LockedBytes& bytes);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_LOCK_HOLDER_H_

// Which process holds a lock of an open file: the kernel does not tell (it says -1), but lists each process's locks.
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

// "process 12 (rewrought serve --db a.db), since 2026-11-22 22:10:05", the time that of the process's start; of a
// process whose locks this one may not see (another user's, another container's): "a process of another user or
// container".
std::string LockHolder(const LockedBytes& bytes);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_LOCK_HOLDER_H_

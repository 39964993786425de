// Drops privileges of a process before it reads untrusted bytes, so that a compromised parser can only compute. Uses a
// seccomp filter, which exists only on Linux.
#ifndef REWROUGHT_CORPUS_GLSL_LOCKDOWN_H_
#define REWROUGHT_CORPUS_GLSL_LOCKDOWN_H_

#include "absl/status/status.h"

namespace rewrought::corpus {

enum class Forks { kNo, kYes };  // whether the process may fork; it may always create threads

// Installs a filter for the process, its threads, and all their children. Any of them is killed (SIGSYS) if it creates
// or connects a socket, starts a program, opens a file for writing, modifies the file system by path (except to remove
// a file), traces a process, or uses rarely needed parts of the kernel. Removing a file fails with EPERM, and so does
// signaling other processes if forks are not allowed. Open descriptors stay usable, so the caller must open files
// before the call and pass their descriptors. The filter cannot be removed. Fails with Unavailable if the system has no
// seccomp.
absl::Status LockDown(Forks forks);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_LOCKDOWN_H_

// What a process gives up before it reads bytes that nobody vouches for: a parser that such bytes take over can then
// compute, and nothing else. Linux, by a seccomp filter.
#ifndef REWROUGHT_CORPUS_GLSL_LOCKDOWN_H_
#define REWROUGHT_CORPUS_GLSL_LOCKDOWN_H_

#include "absl/status/status.h"

namespace rewrought::corpus {

enum class Forks { kNo, kYes };  // whether the process may make processes like itself; threads it always may

// From now on the process, all its threads and all processes that they make are killed (SIGSYS) when they make or
// connect a socket, start a program, open or change anything by name other than to read it, trace a process, or ask for
// one of the kernel's less tried parts. Removing a file fails with EPERM, and without forks signalling others, too.
// Descriptors that are open stay open: hand files over by opening them before. Cannot be undone. Unavailable: this
// system has no seccomp.
absl::Status LockDown(Forks forks);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_LOCKDOWN_H_

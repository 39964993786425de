// States whether tests and commands can limit a child process's address space. A program built with a sanitizer maps
// terabytes at startup and fails under RLIMIT_AS, so such builds set no limit and skip the tests of that limit.
#ifndef REWROUGHT_PROTO_ADDRESS_SPACE_H_
#define REWROUGHT_PROTO_ADDRESS_SPACE_H_

namespace rewrought::proto {

#if defined(__SANITIZE_ADDRESS__) || defined(REWROUGHT_THREAD_SANITIZER)
inline constexpr bool kLimitsAddressSpace = false;
#else
inline constexpr bool kLimitsAddressSpace = true;
#endif

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_ADDRESS_SPACE_H_

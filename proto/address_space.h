// Whether a child's address space can be limited. A program built with a sanitizer maps terabytes before it begins and
// does not start below RLIMIT_AS; there children go unlimited and the tests of that limit are skipped.
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

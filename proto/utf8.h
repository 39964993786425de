// Bytes of unknown origin (names of shaders, pieces of a caller's text) made fit for protobuf strings, which are UTF-8.
#ifndef REWROUGHT_PROTO_UTF8_H_
#define REWROUGHT_PROTO_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought {

// Valid UTF-8 as it is; each byte that belongs to none as U+FFFD.
std::string ToUtf8(absl::string_view bytes);

}  // namespace rewrought

#endif  // REWROUGHT_PROTO_UTF8_H_

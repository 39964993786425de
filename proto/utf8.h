// Converts bytes of unknown origin, such as shader names or user input, to the UTF-8 that protobuf strings require.
#ifndef REWROUGHT_PROTO_UTF8_H_
#define REWROUGHT_PROTO_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought {

// Copies valid UTF-8 and replaces each invalid byte with U+FFFD.
std::string ToUtf8(absl::string_view bytes);

}  // namespace rewrought

#endif  // REWROUGHT_PROTO_UTF8_H_

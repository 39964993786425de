// Parses untrusted JSON with nlohmann::json. The text's size and nesting are checked first, because the library prints
// and destroys values recursively.
#ifndef REWROUGHT_PROTO_JSON_TEXT_H_
#define REWROUGHT_PROTO_JSON_TEXT_H_

#include <nlohmann/json.hpp>

#include "absl/strings/string_view.h"
#include "proto/parse_limits.h"

namespace rewrought::proto {

// Returns the value of `text`, or a discarded value if the text is malformed or exceeds kJsonLimits.
inline nlohmann::json ParseJson(absl::string_view text) {
  if (!CheckJson(text).ok()) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_JSON_TEXT_H_

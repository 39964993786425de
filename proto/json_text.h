// JSON from outside as nlohmann holds it, bounded before it is read: what that library prints and destroys again is
// recursive.
#ifndef REWROUGHT_PROTO_JSON_TEXT_H_
#define REWROUGHT_PROTO_JSON_TEXT_H_

#include <nlohmann/json.hpp>

#include "absl/strings/string_view.h"
#include "proto/parse_limits.h"

namespace rewrought::proto {

// The value of `text`; is_discarded() if that is malformed or beyond kJsonLimits.
inline nlohmann::json ParseJson(absl::string_view text) {
  if (!CheckJson(text).ok()) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_JSON_TEXT_H_

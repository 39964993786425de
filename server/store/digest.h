// SHA-256 digests: what names content in the database and in rule ids.
#ifndef REWROUGHT_SERVER_STORE_DIGEST_H_
#define REWROUGHT_SERVER_STORE_DIGEST_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::store {

struct Digest {
  std::array<uint8_t, 32> bytes = {};

  static Digest Of(absl::string_view content);
  // From 64 hex digits; InvalidArgument otherwise.
  static absl::StatusOr<Digest> FromHex(absl::string_view hex);

  std::string hex() const;  // 64 lower-case digits
  absl::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Digest& digest) {
    return H::combine(std::move(h), digest.bytes);
  }
};

// ir::RuleId as a digest.
Digest RuleId(absl::string_view canonical_text, absl::string_view machine);

}  // namespace rewrought::store

#endif  // REWROUGHT_SERVER_STORE_DIGEST_H_

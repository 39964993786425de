// SHA-256 digests, which identify contents, rules, queries, and versions of the semantics.
#ifndef REWROUGHT_IR_DIGEST_H_
#define REWROUGHT_IR_DIGEST_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::ir {

struct Digest {
  std::array<uint8_t, 32> bytes = {};

  static Digest Of(absl::string_view content);
  // Parses 64 hex digits; fails with InvalidArgument for any other text.
  static absl::StatusOr<Digest> FromHex(absl::string_view hex);

  std::string hex() const;  // 64 lowercase hex digits
  absl::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Digest& digest) {
    return H::combine(std::move(h), digest.bytes);
  }
};

std::string Sha256Hex(absl::string_view bytes);

// Returns the id of a rule: the digest of the machine's name ("" for a rule of the IR), a line feed, and the rule's
// canonical text. The id is the same in every run.
Digest RuleId(absl::string_view canonical_text, absl::string_view machine);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIGEST_H_

#include "ir/digest.h"

#include <openssl/sha.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace rewrought::ir {
Digest Digest::Of(absl::string_view content) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.bytes.data());
  return digest;
}

absl::StatusOr<Digest> Digest::FromHex(absl::string_view hex) {
  const auto is_digit = [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); };
  if (hex.size() != 64 || !std::all_of(hex.begin(), hex.end(), is_digit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a digest of 64 hex digits, got \"", absl::CHexEscape(hex.substr(0, 80)), "\""));
  }
  Digest digest;
  for (size_t i = 0; i < digest.bytes.size(); ++i) {
    uint32_t byte = 0;
    (void)absl::SimpleHexAtoi(hex.substr(2 * i, 2), &byte);
    digest.bytes[i] = static_cast<uint8_t>(byte);
  }
  return digest;
}

std::string Digest::hex() const { return absl::BytesToHexString(view()); }

std::string Sha256Hex(absl::string_view bytes) { return Digest::Of(bytes).hex(); }

Digest RuleId(absl::string_view canonical_text, absl::string_view machine) {
  return Digest::Of(absl::StrCat(machine, "\n", canonical_text));
}

}  // namespace rewrought::ir

#include "ir/digest.h"

#include <openssl/sha.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace rewrought::ir {

std::string Sha256Hex(absl::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

std::string RuleId(absl::string_view canonical_text, absl::string_view machine) {
  return Sha256Hex(absl::StrCat(machine, "\n", canonical_text));
}

}  // namespace rewrought::ir

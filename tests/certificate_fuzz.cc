// Any text as a certificate and as a copy: nothing crashes, and what parses is written and parsed again to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "verifier/certificate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::verifier;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto copy = ParseCopy(text);
  if (copy.ok() && SpellCopy(*copy) != text) std::abort();
  const auto certificate = ParseCertificate(text);
  if (!certificate.ok()) return 0;
  const std::string written = SerializeCertificate(*certificate);
  const auto again = ParseCertificate(written);
  if (!again.ok() || SerializeCertificate(*again) != written) std::abort();
  (void)ArguedLemmas(*certificate);
  return 0;
}

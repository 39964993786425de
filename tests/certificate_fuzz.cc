// Fuzzes the parser of certificate copies with arbitrary text. The parser must not crash, and printing a parsed copy
// must reproduce the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "verifier/message/copy_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::verifier;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto copy = ParseCopy(text);
  if (copy.ok() && FormatCopy(*copy) != text) std::abort();
  return 0;
}

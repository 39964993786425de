// Fuzzes the reader of the entries in machine.py. No input may crash, and loops must not exceed the size limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "emitter/machine/families.h"
#include "emitter/machine/pattern.h"
#include "emitter/testing/machine_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::emitter;
  constexpr size_t kMostBytes = 1u << 16;
  static const auto& pack = *new rewrought::v1::Pack(EntriesPack());
  static const auto& wanted = *new std::vector<Pattern>(*PatternsOf(pack));
  absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto patterns = ReadPatterns(&text, kMostBytes);
  if (!patterns.ok()) return 0;
  size_t bytes = 0;
  for (const std::string& pattern : *patterns) {
    bytes += pattern.size();
    for (size_t i = 0; i < wanted.size() && patterns->size() < 100; ++i) (void)ComparePattern(pattern, wanted[i]);
  }
  if (bytes > kMostBytes) std::abort();
  return 0;
}

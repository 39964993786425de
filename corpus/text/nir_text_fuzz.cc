// Reads arbitrary text as NIR and extracts fragments from the result. Neither step may crash.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "corpus/fragment.h"
#include "corpus/text/nir_text_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto shaders = rewrought::corpus::ReadNirText(text, "fuzz", "fuzz");
  if (!shaders.ok()) return 0;
  for (const auto& shader : *shaders) {
    rewrought::corpus::ForEachFragment(shader, rewrought::corpus::ShaderFacts(shader), {.max_per_root = 4},
                                       [](const rewrought::corpus::Fragment&) {});
  }
  return 0;
}

// Reads arbitrary bytes as SPIR-V and extracts fragments from the result. Neither step may crash.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "corpus/fragment.h"
#include "corpus/spirv/spirv_mutator.h"
#include "corpus/spirv/spirv_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto shader = rewrought::corpus::ReadSpirv(bytes, "fuzz", "fuzz");
  if (!shader.ok()) return 0;
  rewrought::corpus::ForEachFragment(*shader, rewrought::corpus::ShaderFacts(*shader), {.max_per_root = 4},
                                     [](const rewrought::corpus::Fragment&) {});
  return 0;
}

// Replaces libFuzzer's own mutator, whose mutants rarely pass the validator.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  const std::string mutant =
      rewrought::corpus::MutateSpirv(absl::string_view(reinterpret_cast<const char*>(data), size), max_size, seed);
  if (mutant.size() > max_size) return size;
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}

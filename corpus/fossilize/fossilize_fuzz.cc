// Reads arbitrary bytes as a Fossilize archive under small limits. Nothing may crash, and the output must not exceed
// the limits. The fuzzer is unlikely to guess a checksum, so each input is also tried without a checksum.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "corpus/fossilize/fossilize_archive.h"

namespace {

void Read(absl::string_view bytes) {
  using namespace rewrought::corpus;
  FossilizeLimits limits;
  limits.module_bytes = 1 << 14;
  limits.slack = 1 << 16;
  limits.ratio = 10;
  size_t given = 0;
  (void)ForEachFossilizeModule(
      bytes, limits,
      [&](const std::string&, std::string module) {
        if (module.size() > limits.module_bytes || module.size() % 4 != 0) std::abort();
        given += module.size();
        return true;
      },
      [](const std::string&, const std::string&) { return true; });
  // The encoding of a four-byte word takes at least one byte.
  if (given > 4 * (limits.slack + limits.ratio * bytes.size())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Read(bytes);
  // Clears the checksum of the first entry, which follows 16 magic bytes, a name of 40 bytes, and two words.
  for (size_t at = 64; at < 68 && at < size; ++at) bytes[at] = 0;
  Read(bytes);
  return 0;
}

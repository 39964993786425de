// Any bytes as a Fossilize archive, within small limits: nothing crashes, and no more is given than the limits allow.
// Checksums are the fuzzer's wall, so that it is also given each input without them.
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
  // A word takes a byte at least.
  if (given > 4 * (limits.slack + limits.ratio * bytes.size())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Read(bytes);
  // The checksum of the first entry: 16 bytes of magic, a name of 40, two words.
  for (size_t at = 64; at < 68 && at < size; ++at) bytes[at] = 0;
  Read(bytes);
  return 0;
}

// Any bytes: reading never crashes, and what was read can be cut into fragments.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "corpus/fragment.h"
#include "corpus/spirv/spirv_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto shader = rewrought::corpus::ReadSpirv(bytes, "fuzz", "fuzz");
  if (!shader.ok()) return 0;
  rewrought::corpus::FragmentTable table({.max_per_root = 4});
  table.Add(*shader);
  return 0;
}

// Fuzzes the loader of machine descriptions: nothing may crash.
#include <cstddef>
#include <cstdint>

#include "machine/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)rewrought::machine::ParseMachine(absl::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  return 0;
}

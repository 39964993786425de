// Fuzzes the loader of machine descriptions. The loader must not crash.
#include <cstddef>
#include <cstdint>

#include "machine/machine.h"

// A machine's rows are never freed (machine/machine.h).
extern "C" const char* __lsan_default_suppressions() { return "leak:rewrought::machine::Loader::Make\n"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)rewrought::machine::ParseMachine(absl::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  return 0;
}

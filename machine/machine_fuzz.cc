// Fuzzes the loader of machine descriptions: nothing may crash.
#include <cstddef>
#include <cstdint>

#include "machine/machine.h"

// A machine's rows outlive it: what is known of a row is kept by its address for the life of the program
// (ir/meaning.h).
extern "C" const char* __lsan_default_suppressions() { return "leak:rewrought::machine::Loader::Make\n"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)rewrought::machine::ParseMachine(absl::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  return 0;
}

// Fuzzes ReadInterface with arbitrary bytes: it must terminate and not crash.
#include <cstddef>
#include <cstdint>

#include "tools/driver_rig/runner/spirv_interface.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  driver_rig::Interface interface;
  driver_rig::ReadInterface(std::string_view(reinterpret_cast<const char*>(data), size), interface);
  return 0;
}

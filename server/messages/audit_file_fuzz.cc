// Reads arbitrary text as the output of `rewrought audit --json`. Neither deep nesting nor fields of unexpected types
// may cause a crash.
#include <cstddef>
#include <cstdint>

#include "server/messages/audit_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const rewrought::rpc::AuditFile file(std::string(reinterpret_cast<const char*>(data), size), "fuzz", absl::Time());
  for (size_t i = 0; i < file.size(); ++i) {
    (void)file.HasOp(i, "fadd");
    (void)file.Whole(i).SerializeAsString();
  }
  return 0;
}

// Reads arbitrary bytes as an archive under small limits. Nothing may crash, and the output must not exceed the limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "corpus/archive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rewrought::corpus;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!LooksLikeArchive(bytes)) return 0;
  ArchiveLimits limits;
  limits.member_bytes = 1 << 12;
  limits.slack = 1 << 16;
  limits.ratio = 10;
  size_t given = 0;
  const auto visit = [&](const std::string&, std::string member) {
    if (member.size() > limits.member_bytes) std::abort();
    given += member.size();
    return true;
  };
  (void)ForEachMember(bytes, limits, visit, [](const std::string&, const std::string&) { return true; });
  if (given > limits.slack + limits.ratio * size) std::abort();
  return 0;
}

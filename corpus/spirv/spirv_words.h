// SPIR-V as words, before anything is known of them: bytes in either order, instructions one after another, text.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_WORDS_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// The words of `bytes` in host order, from either byte order. InvalidArgument: too short, size no multiple of 4, no
// SPIR-V magic number; ResourceExhausted: longer than proto::kSpirvLimits.
absl::StatusOr<std::vector<uint32_t>> SpirvWords(absl::string_view bytes);

// True if `bytes` begins with SPIR-V's magic number in either byte order.
bool LooksLikeSpirv(absl::string_view bytes);

// The module without the text, files and lines that it comes from, so that texts that differ in comments alone give the
// same. Bytes that are no module stay as they are.
std::string WithoutSource(absl::string_view bytes);

// The literal string that begins at words[first].
std::string SpirvText(const std::vector<uint32_t>& words, size_t first);

// Calls visit(i, length) for each instruction, words[i] to words[i + length - 1]; false where one is cut short.
template <typename Visit>
bool ForEachSpirvInstruction(const std::vector<uint32_t>& words, Visit visit) {
  constexpr size_t kHeader = 5;
  for (size_t i = kHeader; i < words.size();) {
    const size_t length = words[i] >> 16;
    if (length == 0 || i + length > words.size()) return false;
    visit(i, length);
    i += length;
  }
  return true;
}

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_WORDS_H_

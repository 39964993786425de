// Handles SPIR-V as a sequence of words: byte order, instruction boundaries, and text.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_WORDS_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Returns the words of `bytes` in host byte order; `bytes` may have either byte order. Fails with InvalidArgument if
// the bytes are too short, if their number is not a multiple of 4, or if they do not start with the SPIR-V magic
// number, and with ResourceExhausted if they exceed proto::kSpirvLimits.
absl::StatusOr<std::vector<uint32_t>> SpirvWords(absl::string_view bytes);

// Returns whether `bytes` begins with SPIR-V's magic number in either byte order.
bool LooksLikeSpirv(absl::string_view bytes);

// Removes source text, file names, and lines from a module, so that sources that differ only in comments produce equal
// results. If the bytes are not a module, returns them unchanged.
std::string WithoutSource(absl::string_view bytes);

// Returns the literal string that begins in words[first].
std::string SpirvText(const std::vector<uint32_t>& words, size_t first);

// Calls visit(i, length) for each instruction, which consists of words[i] to words[i + length - 1]. Returns false if an
// instruction is truncated.
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

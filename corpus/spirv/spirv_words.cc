#include "corpus/spirv/spirv_words.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "glslang/SPIRV/spirv.hpp"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;

uint32_t Swap(uint32_t word) { return word >> 24 | (word >> 8 & 0xff00u) | (word << 8 & 0xff0000u) | word << 24; }

bool IsAboutSource(uint32_t opcode) {
  return opcode == spv::OpSource || opcode == spv::OpSourceContinued || opcode == spv::OpSourceExtension ||
         opcode == spv::OpString || opcode == spv::OpLine || opcode == spv::OpNoLine ||
         opcode == spv::OpModuleProcessed;
}

}  // namespace

bool LooksLikeSpirv(absl::string_view bytes) {
  if (bytes.size() < 4) return false;
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), 4);
  return word == kMagic || word == kSwappedMagic;
}

absl::StatusOr<std::vector<uint32_t>> SpirvWords(absl::string_view bytes) {
  if (!LooksLikeSpirv(bytes)) return absl::InvalidArgumentError("no SPIR-V magic number");
  if (bytes.size() % 4 != 0 || bytes.size() < 20) return absl::InvalidArgumentError("SPIR-V is truncated");
  if (absl::Status bounded = proto::CheckLength(bytes, proto::kSpirvLimits); !bounded.ok()) return bounded;
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (words[0] == kSwappedMagic) {
    for (uint32_t& word : words) word = Swap(word);
  }
  return words;
}

std::string WithoutSource(absl::string_view bytes) {
  const absl::StatusOr<std::vector<uint32_t>> words = SpirvWords(bytes);
  if (!words.ok()) return std::string(bytes);
  std::vector<bool> kept(words->size(), true);
  const bool whole = ForEachSpirvInstruction(*words, [&](size_t i, size_t length) {
    if (!IsAboutSource((*words)[i] & 0xffffu)) return;
    std::fill_n(kept.begin() + static_cast<ptrdiff_t>(i), length, false);
  });
  if (!whole) return std::string(bytes);
  std::string module;
  for (size_t i = 0; i < words->size(); ++i) {
    if (kept[i]) module.append(bytes.data() + i * sizeof(uint32_t), sizeof(uint32_t));
  }
  return module;
}

std::string SpirvText(const std::vector<uint32_t>& words, size_t first) {
  std::string text;
  for (size_t i = first; i < words.size(); ++i) {
    for (int shift = 0; shift < 32; shift += 8) {
      const char character = static_cast<char>(words[i] >> shift & 0xffu);
      if (character == '\0') return text;
      text.push_back(character);
    }
  }
  return text;
}

}  // namespace rewrought::corpus

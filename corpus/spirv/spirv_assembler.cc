#include "corpus/spirv/spirv_assembler.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_simplify.h"
#include "spirv-tools/libspirv.hpp"

namespace rewrought::corpus {

absl::StatusOr<std::vector<uint32_t>> AssembleSpirv(absl::string_view text) {
  spvtools::SpirvTools tools(kSpirvEnvironment);
  std::string message;
  tools.SetMessageConsumer([&message](spv_message_level_t, const char*, const spv_position_t& place, const char* said) {
    if (message.empty()) message = absl::StrCat("line ", place.line + 1, ": ", said);
  });
  std::vector<uint32_t> words;
  if (!tools.Assemble(text.data(), text.size(), &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) {
    return absl::InvalidArgumentError(absl::StrCat("SPIR-V assembly is invalid: ", message));
  }
  return words;
}

}  // namespace rewrought::corpus

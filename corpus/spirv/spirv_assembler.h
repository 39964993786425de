// Assembles SPIR-V text with SPIRV-Tools.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_ASSEMBLER_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_ASSEMBLER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

// Returns the module that `text` describes, in host byte order. The text does not state the version of SPIR-V, so the
// module has the version of kSpirvEnvironment. Fails with InvalidArgument "SPIR-V assembly is invalid: line N: ...".
absl::StatusOr<std::vector<uint32_t>> AssembleSpirv(absl::string_view text);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_ASSEMBLER_H_

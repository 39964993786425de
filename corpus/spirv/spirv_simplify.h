// Converts SPIR-V to plain SSA form with SPIRV-Tools. The result is valid and not folded, has all functions inlined,
// and has no local variables.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_SIMPLIFY_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_SIMPLIFY_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "spirv-tools/libspirv.h"

namespace rewrought::corpus {

inline constexpr spv_target_env kSpirvEnvironment = SPV_ENV_UNIVERSAL_1_6;

// Validates a module (with the universal 1.6 rules and relaxed layout rules), then runs only the passes that are needed
// for SSA form. It does not use -O, which would fold the patterns that the search looks for. Fails with InvalidArgument
// and the validator's message if the module is not valid, with ResourceExhausted if the module would exceed
// proto::kSpirvLimits after inlining (which is checked before inlining), and with Internal if a pass fails.
absl::StatusOr<std::vector<uint32_t>> SimplifySpirv(const std::vector<uint32_t>& words);

// The type of SimplifySpirv, and of functions that run it in another process (corpus/glsl/glsl_compilers.h).
using SpirvSimplifier = std::function<absl::StatusOr<std::vector<uint32_t>>(const std::vector<uint32_t>& words)>;

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_SIMPLIFY_H_

// Brings SPIR-V into plain SSA form by SPIRV-Tools: valid, inlined, without variables of its own, nothing folded.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_SIMPLIFY_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_SIMPLIFY_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "spirv-tools/libspirv.h"

namespace rewrought::corpus {

inline constexpr spv_target_env kSpirvEnvironment = SPV_ENV_UNIVERSAL_1_6;

// Validates (universal 1.6 rules, layout rules relaxed), then runs the SSA-only passes (never -O: it folds the patterns
// that are looked for). InvalidArgument with the validator's words: not valid. ResourceExhausted: inlined it is longer
// than proto::kSpirvLimits; counted before it is done. Internal: a pass failed.
absl::StatusOr<std::vector<uint32_t>> SimplifySpirv(const std::vector<uint32_t>& words);

// SimplifySpirv, or what has it done elsewhere (corpus/glsl/glsl_compilers.h).
using SpirvSimplifier = std::function<absl::StatusOr<std::vector<uint32_t>>(const std::vector<uint32_t>& words)>;

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_SIMPLIFY_H_

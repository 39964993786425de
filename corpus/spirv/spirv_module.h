// Loads a SPIR-V module: has SPIRV-Tools validate it and convert it to plain SSA form, and then parses it into
// instructions.
#ifndef REWROUGHT_CORPUS_SPIRV_SPIRV_MODULE_H_
#define REWROUGHT_CORPUS_SPIRV_SPIRV_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "corpus/spirv/spirv_simplify.h"

namespace rewrought::corpus {

struct SpirvInstruction {
  uint16_t opcode = 0;
  uint32_t type = 0;               // id, or 0
  uint32_t result = 0;             // id, or 0
  std::vector<uint32_t> operands;  // the words after type and result
  std::vector<bool> is_id;         // for each operand word, whether it is an id
};

struct SpirvDecorations {
  bool no_contraction = false;
  bool relaxed_precision = false;
  bool block = false;
  bool buffer_block = false;
  bool has_fast_math_mode = false;
  uint32_t fast_math_mode = 0;  // bits of FPFastMathMode
};

struct SpirvModule {
  uint32_t id_bound = 0;
  std::vector<SpirvInstruction> instructions;
  absl::flat_hash_map<uint32_t, size_t> definitions;  // maps a result id to its index in `instructions`
  absl::flat_hash_map<uint32_t, SpirvDecorations> decorations;
  uint32_t glsl450_set = 0;  // id of the OpExtInstImport of GLSL.std.450, or 0
  std::string entry_point;
  std::string stage;  // stage of the first entry point: "vertex", "fragment", "compute", …
  // The widths with the execution mode SignedZeroInfNanPreserve: bits 0, 1, and 2 stand for 16, 32, and 64 bits.
  uint8_t preserve_signed_zero_inf_nan = 0;
  std::vector<std::string> notes;  // the float controls as text
};

// Simplifies a module and parses the result. Fails with the errors of `simplify`, and with Internal if the result does
// not parse.
absl::StatusOr<SpirvModule> LoadSpirvModule(const std::vector<uint32_t>& words,
                                            const SpirvSimplifier& simplify = SimplifySpirv);

// Returns the labels that the last instruction of a block may branch to. Returns no labels for other instructions.
std::vector<uint32_t> Successors(const SpirvInstruction& last);

// Returns the loop depth of each block, by label id, in the function that consists of the module's instructions from
// `begin` up to but excluding `end`. A loop consists of the blocks that are reachable from its header without passing
// its merge block (SPIR-V 1.6, section 2.11, structured loops).
absl::flat_hash_map<uint32_t, int> LoopDepths(const SpirvModule& module, size_t begin, size_t end);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SPIRV_SPIRV_MODULE_H_

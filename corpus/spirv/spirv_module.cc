#include "corpus/spirv/spirv_module.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_words.h"
#include "glslang/SPIRV/spirv.hpp"
#include "spirv-tools/libspirv.hpp"

namespace rewrought::corpus {
namespace {

// The maximum number of block visits. After that, the remaining loop depths stay 0. A hostile module could nest
// thousands of loops.
constexpr size_t kMaxLoopVisits = size_t{1} << 24;

std::string StageName(uint32_t model) {
  switch (static_cast<spv::ExecutionModel>(model)) {
    case spv::ExecutionModelVertex:
      return "vertex";
    case spv::ExecutionModelTessellationControl:
      return "tess_ctrl";
    case spv::ExecutionModelTessellationEvaluation:
      return "tess_eval";
    case spv::ExecutionModelGeometry:
      return "geometry";
    case spv::ExecutionModelFragment:
      return "fragment";
    case spv::ExecutionModelGLCompute:
      return "compute";
    case spv::ExecutionModelKernel:
      return "kernel";
    default:
      return absl::StrCat("model_", model);
  }
}

void ReadExecutionMode(const SpirvInstruction& instruction, SpirvModule& module) {
  if (instruction.operands.size() < 3) return;
  const uint32_t width = instruction.operands[2];
  const char* name = nullptr;
  switch (static_cast<spv::ExecutionMode>(instruction.operands[1])) {
    case spv::ExecutionModeDenormPreserve:
      name = "denorm_preserve";
      break;
    case spv::ExecutionModeDenormFlushToZero:
      name = "denorm_flush";
      break;
    case spv::ExecutionModeRoundingModeRTE:
      name = "rounding_rte";
      break;
    case spv::ExecutionModeRoundingModeRTZ:
      name = "rounding_rtz";
      break;
    case spv::ExecutionModeSignedZeroInfNanPreserve:
      name = "signed_zero_inf_nan_preserve";
      module.preserve_signed_zero_inf_nan |= width == 16 ? 1 : width == 32 ? 2 : width == 64 ? 4 : 0;
      break;
    default:
      return;
  }
  module.notes.push_back(absl::StrCat("float_controls ", name, " ", width));
}

void ReadDecoration(const SpirvInstruction& instruction, SpirvModule& module) {
  if (instruction.operands.size() < 2) return;
  SpirvDecorations& decorations = module.decorations[instruction.operands[0]];
  switch (static_cast<spv::Decoration>(instruction.operands[1])) {
    case spv::DecorationNoContraction:
      decorations.no_contraction = true;
      break;
    case spv::DecorationRelaxedPrecision:
      decorations.relaxed_precision = true;
      break;
    case spv::DecorationBlock:
      decorations.block = true;
      break;
    case spv::DecorationBufferBlock:
      decorations.buffer_block = true;
      break;
    case spv::DecorationFPFastMathMode:
      if (instruction.operands.size() > 2) {
        decorations.has_fast_math_mode = true;
        decorations.fast_math_mode = instruction.operands[2];
      }
      break;
    default:
      break;
  }
}

void ReadModuleLevel(const SpirvInstruction& instruction, SpirvModule& module) {
  switch (static_cast<spv::Op>(instruction.opcode)) {
    case spv::OpExtInstImport:
      if (SpirvText(instruction.operands, 0) == "GLSL.std.450") module.glsl450_set = instruction.result;
      break;
    case spv::OpEntryPoint:
      if (module.stage.empty() && instruction.operands.size() > 2) {
        module.stage = StageName(instruction.operands[0]);
        module.entry_point = SpirvText(instruction.operands, 2);
      }
      break;
    case spv::OpExecutionMode:
      ReadExecutionMode(instruction, module);
      break;
    case spv::OpDecorate:
      ReadDecoration(instruction, module);
      break;
    default:
      break;
  }
}

spv_result_t OnInstruction(void* user_data, const spv_parsed_instruction_t* parsed) {
  auto& module = *static_cast<SpirvModule*>(user_data);
  SpirvInstruction instruction;
  instruction.opcode = parsed->opcode;
  instruction.type = parsed->type_id;
  instruction.result = parsed->result_id;
  for (uint16_t i = 0; i < parsed->num_operands; ++i) {
    const spv_parsed_operand_t& operand = parsed->operands[i];
    if (operand.type == SPV_OPERAND_TYPE_TYPE_ID || operand.type == SPV_OPERAND_TYPE_RESULT_ID) continue;
    for (uint16_t word = 0; word < operand.num_words; ++word) {
      instruction.operands.push_back(parsed->words[operand.offset + word]);
      instruction.is_id.push_back(operand.type == SPV_OPERAND_TYPE_ID ||
                                  operand.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
                                  operand.type == SPV_OPERAND_TYPE_SCOPE_ID);
    }
  }
  if (instruction.result != 0) module.definitions[instruction.result] = module.instructions.size();
  module.instructions.push_back(std::move(instruction));
  ReadModuleLevel(module.instructions.back(), module);
  return SPV_SUCCESS;
}

spv_result_t OnHeader(void* user_data, spv_endianness_t, uint32_t, uint32_t, uint32_t, uint32_t id_bound, uint32_t) {
  static_cast<SpirvModule*>(user_data)->id_bound = id_bound;
  return SPV_SUCCESS;
}

}  // namespace

std::vector<uint32_t> Successors(const SpirvInstruction& last) {
  std::vector<uint32_t> labels;
  const spv::Op op = static_cast<spv::Op>(last.opcode);
  if (op == spv::OpBranch && !last.operands.empty()) {
    labels.push_back(last.operands[0]);
  } else if (op == spv::OpBranchConditional && last.operands.size() >= 3) {
    labels = {last.operands[1], last.operands[2]};
  } else if (op == spv::OpSwitch) {
    for (size_t i = 1; i < last.operands.size(); ++i) {
      if (last.is_id[i]) labels.push_back(last.operands[i]);
    }
  }
  return labels;
}

absl::StatusOr<SpirvModule> LoadSpirvModule(const std::vector<uint32_t>& words, const SpirvSimplifier& simplify) {
  const absl::StatusOr<std::vector<uint32_t>> simple = simplify(words);
  if (!simple.ok()) return simple.status();
  SpirvModule module;
  const spvtools::Context context(kSpirvEnvironment);
  const spv_result_t parsed =
      spvBinaryParse(context.CContext(), &module, simple->data(), simple->size(), OnHeader, OnInstruction, nullptr);
  if (parsed != SPV_SUCCESS) return absl::InternalError("the SSA passes produced SPIR-V that does not parse");
  return module;
}

absl::flat_hash_map<uint32_t, int> LoopDepths(const SpirvModule& module, size_t begin, size_t end) {
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> successors;
  std::vector<std::pair<uint32_t, uint32_t>> loops;  // pairs of a header and its merge block
  absl::flat_hash_map<uint32_t, int> depths;
  uint32_t label = 0;
  for (size_t i = begin; i < end; ++i) {
    const SpirvInstruction& instruction = module.instructions[i];
    const spv::Op op = static_cast<spv::Op>(instruction.opcode);
    if (op == spv::OpLabel) {
      label = instruction.result;
      depths[label] = 0;
    } else if (op == spv::OpLoopMerge && !instruction.operands.empty()) {
      loops.emplace_back(label, instruction.operands[0]);
    } else {
      std::vector<uint32_t> targets = Successors(instruction);
      if (!targets.empty()) successors[label] = std::move(targets);
    }
  }
  if (loops.size() * depths.size() > kMaxLoopVisits) return depths;
  for (const auto& [header, merge] : loops) {
    absl::flat_hash_set<uint32_t> inside = {header};
    std::vector<uint32_t> pending = {header};
    while (!pending.empty()) {
      const uint32_t block = pending.back();
      pending.pop_back();
      for (uint32_t next : successors[block]) {
        if (next != merge && inside.insert(next).second) pending.push_back(next);
      }
    }
    for (uint32_t block : inside) ++depths[block];
  }
  return depths;
}

}  // namespace rewrought::corpus

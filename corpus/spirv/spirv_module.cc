#include "corpus/spirv/spirv_module.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glslang/SPIRV/spirv.hpp"
#include "spirv-tools/libspirv.hpp"
#include "spirv-tools/optimizer.hpp"

namespace rewrought::corpus {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;
constexpr spv_target_env kEnvironment = SPV_ENV_UNIVERSAL_1_6;
// Beyond this many block visits loop depths are left at 0 (a hostile module could nest loops by the thousand).
constexpr size_t kMaxLoopVisits = size_t{1} << 24;

uint32_t Swap(uint32_t word) { return word >> 24 | (word >> 8 & 0xff00u) | (word << 8 & 0xff0000u) | word << 24; }

// The passes in order. They inline and promote to SSA form, and fold nothing.
const std::vector<std::string>& SsaPasses() {
  static const auto* const passes = new std::vector<std::string>{
      "--wrap-opkill",
      "--eliminate-dead-branches",
      "--merge-return",
      "--inline-entry-points-exhaustive",
      "--eliminate-dead-functions",
      "--private-to-local",
      "--scalar-replacement=100",
      "--convert-local-access-chains",
      "--eliminate-local-single-block",
      "--eliminate-local-single-store",
      "--ssa-rewrite",
      "--eliminate-dead-code-aggressive",
      "--compact-ids",
  };
  return *passes;
}

// Calls visit(i, length) for each instruction, words[i] to words[i + length - 1]; false where one is cut short.
template <typename Visit>
bool ForEachInstruction(const std::vector<uint32_t>& words, Visit visit) {
  constexpr size_t kHeader = 5;
  for (size_t i = kHeader; i < words.size();) {
    const size_t length = words[i] >> 16;
    if (length == 0 || i + length > words.size()) return false;
    visit(i, length);
    i += length;
  }
  return true;
}

// OpenGL keeps bare uniforms in UniformConstant, Boolean ones too; the validator refuses those in every environment.
// This copy, for the validator alone, has all pointers and variables of that class that lead to no image in Private.
std::vector<uint32_t> WithoutBareUniforms(std::vector<uint32_t> words) {
  absl::flat_hash_set<uint32_t> images, moved_pointers;
  ForEachInstruction(words, [&](size_t i, size_t length) {
    const uint32_t opcode = words[i] & 0xffffu;
    const auto word = [&](size_t k) -> uint32_t { return k < length ? words[i + k] : 0; };
    if (opcode == spv::OpTypeImage || opcode == spv::OpTypeSampler || opcode == spv::OpTypeSampledImage) {
      images.insert(word(1));
    } else if (opcode == spv::OpTypeArray || opcode == spv::OpTypeRuntimeArray || opcode == spv::OpTypeStruct) {
      for (size_t k = 2; k < length; ++k) {
        if (images.contains(word(k))) images.insert(word(1));
      }
    } else if (opcode == spv::OpTypePointer && length == 4 && word(2) == spv::StorageClassUniformConstant &&
               !images.contains(word(3))) {
      moved_pointers.insert(word(1));
      words[i + 2] = spv::StorageClassPrivate;
    } else if (opcode == spv::OpVariable && length >= 4 && moved_pointers.contains(word(1))) {
      words[i + 3] = spv::StorageClassPrivate;
    }
  });
  return words;
}

std::string LiteralText(const std::vector<uint32_t>& words, size_t first) {
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

// Whether the module imports a set of instructions for debugging ("OpenCL.DebugInfo.100",
// "NonSemantic.Shader.DebugInfo.100").
bool HasDebugInstructions(const std::vector<uint32_t>& words) {
  bool found = false;
  ForEachInstruction(words, [&](size_t i, size_t length) {
    if ((words[i] & 0xffffu) != spv::OpExtInstImport) return;
    const auto begin = words.begin() + static_cast<ptrdiff_t>(i);
    const std::vector<uint32_t> instruction(begin, begin + static_cast<ptrdiff_t>(length));
    found = found || absl::StrContains(LiteralText(instruction, 2), "DebugInfo");
  });
  return found;
}

bool IsAboutSource(uint32_t opcode) {
  return opcode == spv::OpSource || opcode == spv::OpSourceContinued || opcode == spv::OpSourceExtension ||
         opcode == spv::OpString || opcode == spv::OpLine || opcode == spv::OpNoLine ||
         opcode == spv::OpModuleProcessed;
}

absl::Status Validate(const std::vector<uint32_t>& words) {
  spvtools::SpirvTools tools(kEnvironment);
  std::string message;
  tools.SetMessageConsumer([&message](spv_message_level_t, const char*, const spv_position_t&, const char* text) {
    if (message.empty()) message = text;
  });
  spvtools::ValidatorOptions options;
  options.SetRelaxStructStore(true);
  options.SetRelaxLogicalPointer(true);
  options.SetSkipBlockLayout(true);
  options.SetBeforeHlslLegalization(true);
  if (!tools.Validate(words.data(), words.size(), options)) {
    return absl::InvalidArgumentError(absl::StrCat("not valid SPIR-V: ", message.substr(0, message.find('\n'))));
  }
  return absl::OkStatus();
}

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
      if (LiteralText(instruction.operands, 0) == "GLSL.std.450") module.glsl450_set = instruction.result;
      break;
    case spv::OpEntryPoint:
      if (module.stage.empty() && instruction.operands.size() > 2) {
        module.stage = StageName(instruction.operands[0]);
        module.entry_point = LiteralText(instruction.operands, 2);
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

// The labels that a block's last instruction may go to.
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

}  // namespace

bool LooksLikeSpirv(absl::string_view bytes) {
  if (bytes.size() < 4) return false;
  uint32_t word = 0;
  std::memcpy(&word, bytes.data(), 4);
  return word == kMagic || word == kSwappedMagic;
}

absl::StatusOr<std::vector<uint32_t>> SpirvWords(absl::string_view bytes) {
  if (!LooksLikeSpirv(bytes)) return absl::InvalidArgumentError("no SPIR-V magic number");
  if (bytes.size() % 4 != 0 || bytes.size() < 20) return absl::InvalidArgumentError("SPIR-V is cut short");
  if (bytes.size() > kMaxBytes) return absl::InvalidArgumentError("SPIR-V of more than 64 MiB");
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
  const bool whole = ForEachInstruction(*words, [&](size_t i, size_t length) {
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

absl::StatusOr<SpirvModule> LoadSpirvModule(const std::vector<uint32_t>& words) {
  const absl::Status valid = Validate(words);
  if (!valid.ok() && !Validate(WithoutBareUniforms(words)).ok()) return valid;
  spvtools::Optimizer optimizer(kEnvironment);
  std::string message;
  optimizer.SetMessageConsumer([&message](spv_message_level_t, const char*, const spv_position_t&, const char* text) {
    if (message.empty()) message = text;
  });
  // Passes carry lines along; instructions of an extended set for debugging would be in the way.
  const bool lines = !HasDebugInstructions(words);
  if ((!lines && !optimizer.RegisterPassFromFlag("--strip-debug")) || !optimizer.RegisterPassesFromFlags(SsaPasses())) {
    return absl::InternalError(absl::StrCat("this SPIRV-Tools lacks a pass: ", message));
  }
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  std::vector<uint32_t> simple;
  if (!optimizer.Run(words.data(), words.size(), &simple, options)) {
    return absl::InternalError(absl::StrCat("SSA passes failed: ", message));
  }
  SpirvModule module;
  const spvtools::Context context(kEnvironment);
  const spv_result_t parsed =
      spvBinaryParse(context.CContext(), &module, simple.data(), simple.size(), OnHeader, OnInstruction, nullptr);
  if (parsed != SPV_SUCCESS) return absl::InternalError("SPIR-V of the SSA passes does not parse");
  return module;
}

absl::flat_hash_map<uint32_t, int> LoopDepths(const SpirvModule& module, size_t begin, size_t end) {
  absl::flat_hash_map<uint32_t, std::vector<uint32_t>> successors;
  std::vector<std::pair<uint32_t, uint32_t>> loops;  // header, merge
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

#include "corpus/spirv/spirv_simplify.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_words.h"
#include "glslang/SPIRV/spirv.hpp"
#include "proto/parse_limits.h"
#include "spirv-tools/libspirv.hpp"
#include "spirv-tools/optimizer.hpp"

namespace rewrought::corpus {
namespace {

// Returns the passes, in order. They inline functions and convert the module to SSA form, but do not fold.
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

// Returns a copy, only for the validator, in which pointers and variables of the storage class UniformConstant that
// contain no images are moved to Private. OpenGL keeps bare uniforms, including Boolean ones, in UniformConstant, which
// the validator rejects in every environment.
std::vector<uint32_t> WithoutBareUniforms(std::vector<uint32_t> words) {
  absl::flat_hash_set<uint32_t> images, moved_pointers;
  ForEachSpirvInstruction(words, [&](size_t i, size_t length) {
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

// Returns a copy, only for the validator, with the added capability that device scope requires in Vulkan's memory
// model. glslang omits it, and drivers accept such modules, e.g. Mesa's own ray-tracing shaders.
std::vector<uint32_t> WithDeviceScope(std::vector<uint32_t> words) {
  constexpr uint32_t kCapability = 2 << 16 | spv::OpCapability;
  bool vulkan = false;
  ForEachSpirvInstruction(words, [&](size_t i, size_t) {
    vulkan = vulkan || (words[i] == kCapability && words[i + 1] == spv::CapabilityVulkanMemoryModelKHR);
  });
  if (vulkan) words.insert(words.begin() + 5, {kCapability, spv::CapabilityVulkanMemoryModelDeviceScopeKHR});
  return words;
}

// Returns whether the module imports an instruction set for debugging, such as "OpenCL.DebugInfo.100" or
// "NonSemantic.Shader.DebugInfo.100".
bool HasDebugInstructions(const std::vector<uint32_t>& words) {
  bool found = false;
  ForEachSpirvInstruction(words, [&](size_t i, size_t length) {
    if ((words[i] & 0xffffu) != spv::OpExtInstImport) return;
    const auto begin = words.begin() + static_cast<ptrdiff_t>(i);
    const std::vector<uint32_t> instruction(begin, begin + static_cast<ptrdiff_t>(length));
    found = found || absl::StrContains(SpirvText(instruction, 2), "DebugInfo");
  });
  return found;
}

absl::Status Validate(const std::vector<uint32_t>& words) {
  spvtools::SpirvTools tools(kSpirvEnvironment);
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

// Checks the size that all functions will have after --inline-entry-points-exhaustive. If each of twelve functions
// calls the previous one twice, inlining creates 4,096 copies of the first one.
absl::Status CheckCalls(const std::vector<uint32_t>& words) {
  struct Function {
    uint64_t own = 0;
    std::vector<uint32_t> calls;
    uint64_t inlined = 0;  // number of instructions after inlining, or 0 if not known yet
    bool open = false;
  };
  absl::flat_hash_map<uint32_t, Function> functions;
  std::vector<uint32_t> order;
  ForEachSpirvInstruction(words, [&](size_t i, size_t length) {
    const uint32_t opcode = words[i] & 0xffffu;
    if (opcode == spv::OpFunction && length > 2) order.push_back(words[i + 2]);
    if (order.empty()) return;
    Function& function = functions[order.back()];
    ++function.own;
    if (opcode == spv::OpFunctionCall && length > 3) function.calls.push_back(words[i + 3]);
  });
  proto::ParseBudget budget(proto::kSpirvLimits);
  std::vector<uint32_t> pending = order;
  while (!pending.empty()) {
    const uint32_t id = pending.back();
    Function& function = functions[id];
    if (function.inlined != 0) {
      pending.pop_back();
      continue;
    }
    const bool back = std::exchange(function.open, true);  // whether the callees have already been counted
    uint64_t inlined = function.own;
    for (const uint32_t callee : function.calls) {
      const auto called = functions.find(callee);
      if (called == functions.end()) continue;
      if (called->second.inlined == 0) {
        if (called->second.open) return absl::InvalidArgumentError("not valid SPIR-V: a function calls itself");
        if (!back) pending.push_back(callee);
      }
      inlined += called->second.inlined;
    }
    if (!back && pending.back() != id) continue;
    function.inlined = inlined;
    if (!budget.TakeItems(inlined)) return budget.status();
    pending.pop_back();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> SimplifySpirv(const std::vector<uint32_t>& words) {
  const absl::Status valid = Validate(words);
  if (!valid.ok() && !Validate(WithDeviceScope(WithoutBareUniforms(words))).ok()) return valid;
  if (absl::Status bounded = CheckCalls(words); !bounded.ok()) return bounded;
  spvtools::Optimizer optimizer(kSpirvEnvironment);
  std::string message;
  optimizer.SetMessageConsumer([&message](spv_message_level_t, const char*, const spv_position_t&, const char* text) {
    if (message.empty()) message = text;
  });
  // The passes preserve lines, but do not support extended instruction sets for debugging.
  const bool lines = !HasDebugInstructions(words);
  if ((!lines && !optimizer.RegisterPassFromFlag("--strip-debug")) || !optimizer.RegisterPassesFromFlags(SsaPasses())) {
    return absl::InternalError(absl::StrCat("this version of SPIRV-Tools lacks a pass: ", message));
  }
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  std::vector<uint32_t> simple;
  if (!optimizer.Run(words.data(), words.size(), &simple, options)) {
    return absl::InternalError(absl::StrCat("SSA passes failed: ", message));
  }
  return simple;
}

}  // namespace rewrought::corpus

#include "tools/driver_rig/runner/vulkan_compiler.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tools/driver_rig/runner/vulkan_graphics.h"

namespace driver_rig {
namespace {

constexpr uint32_t kUnsizedCount = 64;  // number of descriptors to assume for an array without a size
constexpr VkPipelineCreateFlags kCapture = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
constexpr VkPipelineCreateFlags kCaptureText = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;

VkDescriptorType TypeOf(DescriptorKind kind) {
  switch (kind) {
    case DescriptorKind::kUniformBuffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case DescriptorKind::kStorageBuffer:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    case DescriptorKind::kSampler:
      return VK_DESCRIPTOR_TYPE_SAMPLER;
    case DescriptorKind::kSampledImage:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case DescriptorKind::kCombinedImageSampler:
      return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case DescriptorKind::kStorageImage:
      return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case DescriptorKind::kUniformTexelBuffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case DescriptorKind::kStorageTexelBuffer:
      return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    case DescriptorKind::kInputAttachment:
      return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    case DescriptorKind::kAccelerationStructure:
      return VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
  }
  return VK_DESCRIPTOR_TYPE_MAX_ENUM;
}

// Returns the names of the stages in execution order, such as "vertex+geometry".
std::string NamesOf(VkShaderStageFlags flags) {
  std::string names;
  for (const Stage stage : {Stage::kVertex, Stage::kTessControl, Stage::kTessEvaluation, Stage::kGeometry,
                            Stage::kFragment, Stage::kCompute}) {
    if (flags & FlagOf(stage)) names += std::string(names.empty() ? "" : "+") + NameOf(stage);
  }
  return names.empty() ? "none" : names;
}

// Returns the rows of a Vulkan query that is called twice, first for the number of rows and then for the rows.
template <typename Row, typename Call>
std::vector<Row> ListOf(VkStructureType type, const Call& call) {
  uint32_t count = 0;
  call(&count, static_cast<Row*>(nullptr));
  std::vector<Row> rows(count);
  for (Row& row : rows) row.sType = type;
  call(&count, rows.data());
  return rows;
}

std::string ValueOf(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      return statistic.value.b32 ? "1" : "0";
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return std::to_string(statistic.value.i64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
      return std::to_string(statistic.value.u64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
      return std::to_string(statistic.value.f64);
    default:
      return "?";
  }
}

}  // namespace

struct VulkanCompiler::Parts {
  std::vector<Interface> interfaces;  // one per stage, in stage order
  std::vector<VkShaderModule> modules;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  std::vector<VkDescriptorSetLayout> sets;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipelineCache cache = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

std::string VulkanCompiler::Open() {
  const char* library = std::getenv("RIG_VULKAN");
  if (library == nullptr) return "RIG_VULKAN is not set; set it to the library of a Vulkan driver";
  prints_ = std::getenv("RIG_PRINTED") != nullptr;
  const std::string error = device_.Open(library);
  if (!error.empty()) return error;
  const auto find = [&](auto& call, const char* name) {
    call = device_.Find<std::remove_reference_t<decltype(call)>>(name);
  };
  find(calls_.create_module, "vkCreateShaderModule");
  find(calls_.destroy_module, "vkDestroyShaderModule");
  find(calls_.create_set_layout, "vkCreateDescriptorSetLayout");
  find(calls_.destroy_set_layout, "vkDestroyDescriptorSetLayout");
  find(calls_.create_layout, "vkCreatePipelineLayout");
  find(calls_.destroy_layout, "vkDestroyPipelineLayout");
  find(calls_.create_cache, "vkCreatePipelineCache");
  find(calls_.destroy_cache, "vkDestroyPipelineCache");
  find(calls_.create_compute, "vkCreateComputePipelines");
  find(calls_.create_graphics, "vkCreateGraphicsPipelines");
  find(calls_.destroy_pipeline, "vkDestroyPipeline");
  find(calls_.executables, "vkGetPipelineExecutablePropertiesKHR");
  find(calls_.statistics, "vkGetPipelineExecutableStatisticsKHR");
  find(calls_.representations, "vkGetPipelineExecutableInternalRepresentationsKHR");
  return "";
}

std::string VulkanCompiler::Description() {
  const uint32_t version = device_.properties().apiVersion;
  return std::string(device_.properties().deviceName) + ", Vulkan " + std::to_string(VK_API_VERSION_MAJOR(version)) +
         "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." + std::to_string(VK_API_VERSION_PATCH(version));
}

std::string VulkanCompiler::Read(const std::vector<std::string>& files, Program& program) {
  for (const std::string& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    if (!file) return path + ": cannot be read";
    Interface interface;
    const std::string error = ReadInterface(content.str(), interface);
    if (!error.empty()) return path + ": " + error;
    if (!program.emplace(interface.stage, content.str()).second) {
      return path + ": a second " + NameOf(interface.stage) + " shader";
    }
  }
  return "";
}

bool VulkanCompiler::StandsAlone(Stage stage) {
  const bool library = stage == Stage::kVertex || stage == Stage::kFragment;
  return stage == Stage::kCompute || (library && device_.Has(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME));
}

std::optional<Outcome> VulkanCompiler::Compile(const Program& program, Api, bool alone) {
  Outcome outcome;
  if (alone && !StandsAlone(program.begin()->first)) {
    outcome.error = std::string("a ") + NameOf(program.begin()->first) +
                    " shader needs the other stages of its program; give their files the same name";
    return outcome;
  }
  Parts parts;
  device_.TakeMessages();
  outcome.error = MakeParts(program, parts);
  if (outcome.error.empty()) {
    const VkResult result = MakePipeline(alone, parts);
    if (result != VK_SUCCESS || parts.pipeline == VK_NULL_HANDLE) {
      outcome.error = "pipeline: " + driver_rig::NameOf(result);
      for (const std::string& message : device_.TakeMessages()) outcome.error += "\n" + message;
    } else {
      outcome.messages = MessagesOf(parts.pipeline);
    }
  }
  Destroy(parts);
  return outcome;
}

std::string VulkanCompiler::MakeParts(const Program& program, Parts& parts) {
  for (const auto& [stage, text] : program) {
    const std::string error = ReadInterface(text, parts.interfaces.emplace_back());
    if (!error.empty()) return error;
    const std::vector<uint32_t> words = WordsOf(text);
    VkShaderModuleCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = text.size();
    info.pCode = words.data();
    const VkResult result =
        calls_.create_module(device_.device(), &info, nullptr, &parts.modules.emplace_back(VK_NULL_HANDLE));
    if (result != VK_SUCCESS) return "vkCreateShaderModule: " + driver_rig::NameOf(result);
  }
  for (size_t index = 0; index < parts.modules.size(); ++index) {
    VkPipelineShaderStageCreateInfo& stage = parts.stages.emplace_back();
    stage = {};
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.stage = FlagOf(parts.interfaces[index].stage);
    stage.module = parts.modules[index];
    stage.pName = parts.interfaces[index].entry_point.c_str();
  }
  return MakeLayout(parts);
}

// Creates one layout for all stages: the descriptors of every stage, and push constants if any stage uses them.
std::string VulkanCompiler::MakeLayout(Parts& parts) {
  std::map<uint32_t, std::map<uint32_t, VkDescriptorSetLayoutBinding>> sets;
  bool push_constants = false;
  for (const Interface& interface : parts.interfaces) {
    push_constants |= interface.push_constants;
    for (const auto& [place, descriptor] : interface.descriptors) {
      if (place.first >= device_.properties().limits.maxBoundDescriptorSets) {
        return "set " + std::to_string(place.first) + ": the driver has " +
               std::to_string(device_.properties().limits.maxBoundDescriptorSets);
      }
      VkDescriptorSetLayoutBinding& binding = sets[place.first][place.second];
      binding.binding = place.second;
      binding.descriptorType = TypeOf(descriptor.kind);
      const uint32_t count = descriptor.count == 0 ? kUnsizedCount : descriptor.count;
      binding.descriptorCount = std::max(binding.descriptorCount, count);
      binding.stageFlags |= FlagOf(interface.stage);
    }
  }
  for (uint32_t set = 0; set < (sets.empty() ? 0 : sets.rbegin()->first + 1); ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const auto& [number, binding] : sets[set]) bindings.push_back(binding);
    VkDescriptorSetLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    const VkResult result =
        calls_.create_set_layout(device_.device(), &info, nullptr, &parts.sets.emplace_back(VK_NULL_HANDLE));
    if (result != VK_SUCCESS) return "vkCreateDescriptorSetLayout: " + driver_rig::NameOf(result);
  }
  const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, device_.properties().limits.maxPushConstantsSize};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(parts.sets.size());
  info.pSetLayouts = parts.sets.data();
  info.pushConstantRangeCount = push_constants ? 1 : 0;
  info.pPushConstantRanges = &range;
  const VkResult result = calls_.create_layout(device_.device(), &info, nullptr, &parts.layout);
  return result == VK_SUCCESS ? "" : "vkCreatePipelineLayout: " + driver_rig::NameOf(result);
}

VkResult VulkanCompiler::MakePipeline(bool alone, Parts& parts) {
  // Use a new, empty cache, so that the driver does not return results that it compiled under other settings.
  VkPipelineCacheCreateInfo cache = {};
  cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  const VkResult cached = calls_.create_cache(device_.device(), &cache, nullptr, &parts.cache);
  if (cached != VK_SUCCESS) return cached;
  if (parts.interfaces.front().stage != Stage::kCompute) return MakeGraphics(alone, parts);
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = kCapture | (prints_ ? kCaptureText : 0);
  info.stage = parts.stages.front();
  info.layout = parts.layout;
  return calls_.create_compute(device_.device(), parts.cache, 1, &info, nullptr, &parts.pipeline);
}

VkResult VulkanCompiler::MakeGraphics(bool alone, Parts& parts) {
  GraphicsState state(parts.interfaces, alone);
  VkGraphicsPipelineCreateInfo& info = state.info();
  info.flags |= kCapture | (prints_ ? kCaptureText : 0);
  info.stageCount = static_cast<uint32_t>(parts.stages.size());
  info.pStages = parts.stages.data();
  info.layout = parts.layout;
  return calls_.create_graphics(device_.device(), parts.cache, 1, &info, nullptr, &parts.pipeline);
}

void VulkanCompiler::Destroy(Parts& parts) {
  const VkDevice device = device_.device();
  if (parts.pipeline != VK_NULL_HANDLE) calls_.destroy_pipeline(device, parts.pipeline, nullptr);
  if (parts.cache != VK_NULL_HANDLE) calls_.destroy_cache(device, parts.cache, nullptr);
  if (parts.layout != VK_NULL_HANDLE) calls_.destroy_layout(device, parts.layout, nullptr);
  for (const VkDescriptorSetLayout set : parts.sets) calls_.destroy_set_layout(device, set, nullptr);
  for (const VkShaderModule module : parts.modules) calls_.destroy_module(device, module, nullptr);
}

std::vector<std::string> VulkanCompiler::MessagesOf(VkPipeline pipeline) {
  std::vector<std::string> messages;
  VkPipelineInfoKHR of = {};
  of.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR;
  of.pipeline = pipeline;
  const auto executables = ListOf<VkPipelineExecutablePropertiesKHR>(
      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR,
      [&](uint32_t* count, auto* into) { calls_.executables(device_.device(), &of, count, into); });
  for (uint32_t index = 0; index < executables.size(); ++index) {
    VkPipelineExecutableInfoKHR executable = {};
    executable.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
    executable.pipeline = pipeline;
    executable.executableIndex = index;
    const auto statistics = ListOf<VkPipelineExecutableStatisticKHR>(
        VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR,
        [&](uint32_t* count, auto* into) { calls_.statistics(device_.device(), &executable, count, into); });
    const std::string title = NamesOf(executables[index].stages) + " [" + executables[index].name + "]";
    std::string numbers;
    for (const auto& one : statistics) numbers += (numbers.empty() ? "" : " | ") + ValueOf(one) + " " + one.name;
    messages.push_back(title + ": " + numbers);
    if (prints_) PrintRepresentations(pipeline, index, title);
  }
  return messages;
}

void VulkanCompiler::PrintRepresentations(VkPipeline pipeline, uint32_t index, const std::string& title) {
  VkPipelineExecutableInfoKHR executable = {};
  executable.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  executable.pipeline = pipeline;
  executable.executableIndex = index;
  auto found = ListOf<VkPipelineExecutableInternalRepresentationKHR>(
      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR,
      [&](uint32_t* count, auto* into) { calls_.representations(device_.device(), &executable, count, into); });
  uint32_t count = static_cast<uint32_t>(found.size());
  std::vector<std::string> texts;
  for (const auto& one : found) texts.emplace_back(one.dataSize, '\0');
  for (size_t at = 0; at < found.size(); ++at) found[at].pData = texts[at].data();
  calls_.representations(device_.device(), &executable, &count, found.data());
  for (const auto& one : found) {
    if (!one.isText) continue;
    std::printf("RIG %s: %s\n%s\n", title.c_str(), one.name, static_cast<const char*>(one.pData));
  }
}

}  // namespace driver_rig

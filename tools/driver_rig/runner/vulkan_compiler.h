// Compiles programs of SPIR-V modules with a Vulkan driver: pipelines whose layout, inputs and outputs are those that
// the modules declare, and the statistics of VK_KHR_pipeline_executable_properties as one line of text for each
// executable.
#pragma once

#include <vulkan/vulkan.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/driver_rig/runner/session.h"
#include "tools/driver_rig/runner/spirv_interface.h"
#include "tools/driver_rig/runner/vulkan_device.h"

namespace driver_rig {

class VulkanCompiler : public Compiler {
 public:
  // Loads the library that RIG_VULKAN names.
  std::string Open() override;
  std::string Description() override;

  // The stage of a file is that of its module's first entry point.
  std::string Read(const std::vector<std::string>& files, Program& program) override;
  std::vector<Api> ApisFor(const Program&) override { return {Api::kVulkan}; }

  // Others get their inputs from the stage before them.
  bool StandsAlone(Stage stage) override;

  // Compute, or all stages of a graphics pipeline. Of such a pipeline a stage alone is a library
  // (VK_EXT_graphics_pipeline_library). A message: "STAGES [NAME]: VALUE STATISTIC | VALUE STATISTIC ...", NAME being
  // the driver's for the executable. With RIG_PRINTED it also prints "RIG STAGES [NAME]: REPRESENTATION" and that text
  // for each internal representation that the driver gives (its assembly, for example).
  std::optional<Outcome> Compile(const Program& program, Api api, bool alone) override;

 private:
  struct Calls {
    PFN_vkCreateShaderModule create_module;
    PFN_vkDestroyShaderModule destroy_module;
    PFN_vkCreateDescriptorSetLayout create_set_layout;
    PFN_vkDestroyDescriptorSetLayout destroy_set_layout;
    PFN_vkCreatePipelineLayout create_layout;
    PFN_vkDestroyPipelineLayout destroy_layout;
    PFN_vkCreatePipelineCache create_cache;
    PFN_vkDestroyPipelineCache destroy_cache;
    PFN_vkCreateComputePipelines create_compute;
    PFN_vkCreateGraphicsPipelines create_graphics;
    PFN_vkDestroyPipeline destroy_pipeline;
    PFN_vkGetPipelineExecutablePropertiesKHR executables;
    PFN_vkGetPipelineExecutableStatisticsKHR statistics;
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR representations;
  };
  struct Parts;  // the objects of one compilation

  std::string MakeParts(const Program& program, Parts& parts);
  std::string MakeLayout(Parts& parts);
  VkResult MakePipeline(bool alone, Parts& parts);
  VkResult MakeGraphics(bool alone, Parts& parts);
  void Destroy(Parts& parts);
  std::vector<std::string> MessagesOf(VkPipeline pipeline);
  void PrintRepresentations(VkPipeline pipeline, uint32_t index, const std::string& title);

  VulkanDevice device_;
  Calls calls_ = {};
  bool prints_ = false;
};

}  // namespace driver_rig

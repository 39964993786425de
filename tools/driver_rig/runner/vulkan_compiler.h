// Compiles programs of SPIR-V modules with a Vulkan driver. The pipelines have the layouts, inputs and outputs that
// the modules declare. Each executable's statistics from VK_KHR_pipeline_executable_properties become one line of
// text.
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

  // Reads the modules. A file's stage is the stage of its module's first entry point.
  std::string Read(const std::vector<std::string>& files, Program& program) override;
  std::vector<Api> ApisFor(const Program&) override { return {Api::kVulkan}; }

  // Returns whether the stage does not need the outputs of a previous stage.
  bool StandsAlone(Stage stage) override;

  // Compiles a compute pipeline, or all stages of a graphics pipeline; a single graphics stage is compiled as a
  // library (VK_EXT_graphics_pipeline_library). A message has the form "STAGES [NAME]: VALUE STATISTIC | VALUE
  // STATISTIC ...", where NAME is the driver's name for the executable. If RIG_PRINTED is set, prints "RIG STAGES
  // [NAME]: REPRESENTATION" and the text of each internal representation that the driver provides, such as its
  // assembly.
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
  struct Parts;  // the Vulkan objects of one compilation

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

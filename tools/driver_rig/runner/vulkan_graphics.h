// The state of a graphics pipeline around its shaders: the attributes that they read, the colors that they write, and
// simple choices for the rest (triangles, one sample, no blending, rendering without a render pass).
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/driver_rig/runner/spirv_interface.h"

namespace driver_rig {

VkShaderStageFlagBits FlagOf(Stage stage);

// Returns a module's text as aligned words.
std::vector<uint32_t> WordsOf(std::string_view module);

class GraphicsState {
 public:
  // If `alone` is set, creates the state of a pipeline library with one stage, which contains only the parts that
  // belong to that stage.
  GraphicsState(const std::vector<Interface>& stages, bool alone);
  GraphicsState(const GraphicsState&) = delete;
  GraphicsState& operator=(const GraphicsState&) = delete;

  // Returns the state without stages and layout. It is valid as long as this object exists.
  VkGraphicsPipelineCreateInfo& info() { return info_; }

 private:
  void SetAttributes(const Interface& vertex);
  void SetColours(const Interface& fragment);

  std::vector<VkVertexInputAttributeDescription> attributes_;
  VkVertexInputBindingDescription binding_ = {};
  VkPipelineVertexInputStateCreateInfo vertex_input_ = {};
  VkPipelineInputAssemblyStateCreateInfo assembly_ = {};
  VkPipelineTessellationStateCreateInfo tessellation_ = {};
  VkPipelineViewportStateCreateInfo viewport_ = {};
  VkPipelineRasterizationStateCreateInfo rasterization_ = {};
  VkPipelineMultisampleStateCreateInfo multisample_ = {};
  VkPipelineDepthStencilStateCreateInfo depth_ = {};
  std::vector<VkPipelineColorBlendAttachmentState> blend_attachments_;
  VkPipelineColorBlendStateCreateInfo blend_ = {};
  VkPipelineDynamicStateCreateInfo dynamic_ = {};
  std::vector<VkFormat> formats_;
  VkPipelineRenderingCreateInfo rendering_ = {};
  VkGraphicsPipelineLibraryCreateInfoEXT library_ = {};
  VkGraphicsPipelineCreateInfo info_ = {};
};

}  // namespace driver_rig

#include "tools/driver_rig/runner/vulkan_graphics.h"

#include <algorithm>

namespace driver_rig {
namespace {

constexpr uint32_t kAttributeBytes = 32;  // four 64-bit components
constexpr uint32_t kPatchVertices = 3;
constexpr VkDynamicState kDynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};

// Returns an attribute's format: as many components as the shader reads, at full width.
VkFormat AttributeFormat(const Location& location) {
  const bool wide = location.bits == 64;
  const uint32_t index = std::clamp<uint32_t>(location.components, 1, 4) - 1;
  switch (location.kind) {
    case Location::Kind::kFloat: {
      constexpr VkFormat narrow[] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT,
                                     VK_FORMAT_R32G32B32A32_SFLOAT};
      constexpr VkFormat doubles[] = {VK_FORMAT_R64_SFLOAT, VK_FORMAT_R64G64_SFLOAT, VK_FORMAT_R64G64B64_SFLOAT,
                                      VK_FORMAT_R64G64B64A64_SFLOAT};
      return wide ? doubles[index] : narrow[index];
    }
    case Location::Kind::kSigned: {
      constexpr VkFormat formats[] = {VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT,
                                      VK_FORMAT_R32G32B32A32_SINT};
      return formats[index];
    }
    case Location::Kind::kUnsigned: {
      constexpr VkFormat formats[] = {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT,
                                      VK_FORMAT_R32G32B32A32_UINT};
      return formats[index];
    }
  }
  return VK_FORMAT_UNDEFINED;
}

VkFormat ColourFormat(const Location& location) {
  switch (location.kind) {
    case Location::Kind::kFloat:
      return VK_FORMAT_R8G8B8A8_UNORM;
    case Location::Kind::kSigned:
      return VK_FORMAT_R32G32B32A32_SINT;
    case Location::Kind::kUnsigned:
      return VK_FORMAT_R32G32B32A32_UINT;
  }
  return VK_FORMAT_UNDEFINED;
}

bool Has(const std::vector<Interface>& stages, Stage stage) {
  return std::any_of(stages.begin(), stages.end(), [&](const Interface& one) { return one.stage == stage; });
}

}  // namespace

VkShaderStageFlagBits FlagOf(Stage stage) {
  switch (stage) {
    case Stage::kVertex:
      return VK_SHADER_STAGE_VERTEX_BIT;
    case Stage::kTessControl:
      return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    case Stage::kTessEvaluation:
      return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    case Stage::kGeometry:
      return VK_SHADER_STAGE_GEOMETRY_BIT;
    case Stage::kFragment:
      return VK_SHADER_STAGE_FRAGMENT_BIT;
    case Stage::kCompute:
      return VK_SHADER_STAGE_COMPUTE_BIT;
  }
  return VK_SHADER_STAGE_FLAG_BITS_MAX_ENUM;
}

std::vector<uint32_t> WordsOf(std::string_view module) {
  std::vector<uint32_t> words(module.size() / sizeof(uint32_t));
  module.copy(reinterpret_cast<char*>(words.data()), words.size() * sizeof(uint32_t));
  return words;
}

GraphicsState::GraphicsState(const std::vector<Interface>& stages, bool alone) {
  const bool tessellates = Has(stages, Stage::kTessControl) || Has(stages, Stage::kTessEvaluation);
  vertex_input_.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  assembly_.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly_.topology = tessellates ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  tessellation_.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
  tessellation_.patchControlPoints = kPatchVertices;
  viewport_.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewport_.viewportCount = viewport_.scissorCount = 1;
  rasterization_.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  rasterization_.lineWidth = 1;
  // Without a fragment shader, discard primitives after the last stage. A library of a single stage has no such state.
  rasterization_.rasterizerDiscardEnable = !alone && !Has(stages, Stage::kFragment);
  multisample_.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  multisample_.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  depth_.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth_.depthTestEnable = depth_.depthWriteEnable = VK_TRUE;
  depth_.depthCompareOp = VK_COMPARE_OP_LESS;
  blend_.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  dynamic_.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic_.dynamicStateCount = std::size(kDynamic);
  dynamic_.pDynamicStates = kDynamic;
  rendering_.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering_.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  for (const Interface& stage : stages) {
    if (stage.stage == Stage::kVertex) SetAttributes(stage);
    if (stage.stage == Stage::kFragment) SetColours(stage);
  }
  info_.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info_.pNext = &rendering_;
  info_.pVertexInputState = &vertex_input_;
  info_.pInputAssemblyState = &assembly_;
  info_.pTessellationState = tessellates ? &tessellation_ : nullptr;
  info_.pViewportState = &viewport_;
  info_.pRasterizationState = &rasterization_;
  info_.pMultisampleState = &multisample_;
  info_.pDepthStencilState = &depth_;
  info_.pColorBlendState = &blend_;
  info_.pDynamicState = &dynamic_;
  if (!alone) return;
  library_.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
  library_.flags = Has(stages, Stage::kFragment) ? VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                                                       VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT
                                                 : VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                                                       VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  rendering_.pNext = &library_;
  info_.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
}

void GraphicsState::SetAttributes(const Interface& vertex) {
  for (const auto& [location, what] : vertex.inputs) {
    attributes_.push_back({location, 0, AttributeFormat(what), location * kAttributeBytes});
    binding_.stride = (location + 1) * kAttributeBytes;
  }
  vertex_input_.vertexBindingDescriptionCount = attributes_.empty() ? 0 : 1;
  vertex_input_.pVertexBindingDescriptions = &binding_;
  vertex_input_.vertexAttributeDescriptionCount = static_cast<uint32_t>(attributes_.size());
  vertex_input_.pVertexAttributeDescriptions = attributes_.data();
}

void GraphicsState::SetColours(const Interface& fragment) {
  const size_t count = fragment.outputs.empty() ? 0 : std::min<size_t>(fragment.outputs.rbegin()->first + 1, 8);
  formats_.assign(count, VK_FORMAT_UNDEFINED);
  VkPipelineColorBlendAttachmentState all = {};
  all.colorWriteMask =
      VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  blend_attachments_.assign(count, all);
  for (const auto& [location, what] : fragment.outputs) {
    if (location < count) formats_[location] = ColourFormat(what);
  }
  blend_.attachmentCount = static_cast<uint32_t>(count);
  blend_.pAttachments = blend_attachments_.data();
  rendering_.colorAttachmentCount = static_cast<uint32_t>(count);
  rendering_.pColorAttachmentFormats = formats_.data();
}

}  // namespace driver_rig

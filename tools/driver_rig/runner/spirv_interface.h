// What a pipeline must offer a SPIR-V module: its entry point, descriptors, inputs and outputs, and push constants,
// read from the module's own declarations. Instructions that are not about these are passed over, of whatever version.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "tools/driver_rig/runner/shader_file.h"

namespace driver_rig {

enum class DescriptorKind {
  kUniformBuffer,
  kStorageBuffer,
  kSampler,
  kSampledImage,
  kCombinedImageSampler,
  kStorageImage,
  kUniformTexelBuffer,
  kStorageTexelBuffer,
  kInputAttachment,
  kAccelerationStructure,
};

struct Descriptor {
  DescriptorKind kind = DescriptorKind::kUniformBuffer;
  uint32_t count = 1;  // 0: an array without a size
};

// What stands at a location.
struct Location {
  enum class Kind { kFloat, kSigned, kUnsigned } kind = Kind::kFloat;
  uint32_t components = 4;
  uint32_t bits = 32;  // of a component
};

struct Interface {
  Stage stage = Stage::kCompute;
  std::string entry_point;
  std::map<std::pair<uint32_t, uint32_t>, Descriptor> descriptors;  // by set and binding
  std::map<uint32_t, Location> inputs, outputs;
  bool push_constants = false;
  uint32_t patch_vertices = 0;  // that tessellation control makes; 0: another stage
};

// Reads a module's first entry point of a stage that pipelines have. Returns "" or what is wrong.
std::string ReadInterface(std::string_view module, Interface& interface);

}  // namespace driver_rig

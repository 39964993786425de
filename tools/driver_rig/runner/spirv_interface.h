// Reads the interface of a SPIR-V module from its declarations: its entry point, descriptors, inputs and outputs, and
// push constants. A pipeline must provide these. Ignores all other instructions, whatever their SPIR-V version.
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
  uint32_t count = 1;  // 0 for an array without a size
};

// The type of the value at a location.
struct Location {
  enum class Kind { kFloat, kSigned, kUnsigned } kind = Kind::kFloat;
  uint32_t components = 4;
  uint32_t bits = 32;  // the width of each component
};

struct Interface {
  Stage stage = Stage::kCompute;
  std::string entry_point;
  std::map<std::pair<uint32_t, uint32_t>, Descriptor> descriptors;  // by set and binding
  std::map<uint32_t, Location> inputs, outputs;
  bool push_constants = false;
  uint32_t patch_vertices = 0;  // the output patch size of tessellation control; 0 in other stages
};

// Reads the first entry point for a graphics or compute stage. Returns "" or the error.
std::string ReadInterface(std::string_view module, Interface& interface);

}  // namespace driver_rig

#include "tools/driver_rig/runner/spirv_interface.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace driver_rig {
namespace {

constexpr size_t kHeaderWords = 5;
// The maximum number of descriptors in one binding. Without a limit, a specialization constant could request any
// number.
constexpr uint32_t kMostDescriptors = 4096;
constexpr uint32_t kMostLocations = 64;

// One instruction; words[0] is the first operand.
struct Instruction {
  spv::Op op = spv::Op::OpNop;
  const uint32_t* words = nullptr;
  size_t count = 0;
};

struct Decorations {
  std::optional<uint32_t> set, binding, location;
  bool block = false, buffer_block = false, built_in = false;
};

struct Variable {
  uint32_t id = 0, pointer_type = 0;
  spv::StorageClass storage = spv::StorageClass::Function;
};

std::optional<Stage> StageOf(spv::ExecutionModel model) {
  switch (model) {
    case spv::ExecutionModel::Vertex:
      return Stage::kVertex;
    case spv::ExecutionModel::TessellationControl:
      return Stage::kTessControl;
    case spv::ExecutionModel::TessellationEvaluation:
      return Stage::kTessEvaluation;
    case spv::ExecutionModel::Geometry:
      return Stage::kGeometry;
    case spv::ExecutionModel::Fragment:
      return Stage::kFragment;
    case spv::ExecutionModel::GLCompute:
      return Stage::kCompute;
    default:  // other APIs, and mesh and ray tracing pipelines
      return std::nullopt;
  }
}

class Reader {
 public:
  explicit Reader(Interface& interface) : interface_(interface) {}

  std::string Read(std::string_view module) {
    std::vector<uint32_t> words(module.size() / sizeof(uint32_t));
    module.copy(reinterpret_cast<char*>(words.data()), words.size() * sizeof(uint32_t));
    if (module.size() % sizeof(uint32_t) != 0 || words.size() < kHeaderWords || words[0] != spv::MagicNumber) {
      return "is not a SPIR-V module of this machine's byte order";
    }
    for (size_t at = kHeaderWords; at < words.size();) {
      const size_t length = words[at] >> spv::WordCountShift;
      if (length == 0 || length > words.size() - at) return "ends within an instruction, at word " + std::to_string(at);
      Take({static_cast<spv::Op>(words[at] & spv::OpCodeMask), &words[at] + 1, length - 1});
      at += length;
    }
    if (!found_) return "has no entry point for a graphics or compute stage";
    for (const Variable& variable : variables_) Declare(variable);
    return error_;
  }

 private:
  // Processes an instruction. In a module, declarations precede their uses, decorations precede types, and all of them
  // precede the first function.
  void Take(const Instruction& one) {
    switch (one.op) {
      case spv::Op::OpEntryPoint:
        if (one.count >= 3) TakeEntryPoint(one);
        break;
      case spv::Op::OpExecutionMode:
        if (one.count >= 3 && one.words[1] == static_cast<uint32_t>(spv::ExecutionMode::OutputVertices)) {
          interface_.patch_vertices = one.words[2];
        }
        break;
      case spv::Op::OpDecorate:
        if (one.count >= 2) Decorate(decorations_[one.words[0]], one.words[1], one.count > 2 ? one.words[2] : 0);
        break;
      case spv::Op::OpMemberDecorate:
        if (one.count >= 3 && one.words[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn)) {
          decorations_[one.words[0]].built_in = true;
        }
        break;
      case spv::Op::OpConstant:
      case spv::Op::OpSpecConstant:
        if (one.count >= 3) constants_[one.words[1]] = one.words[2];
        break;
      case spv::Op::OpVariable:
        if (one.count >= 3 && one.words[2] != static_cast<uint32_t>(spv::StorageClass::Function)) {
          variables_.push_back({one.words[1], one.words[0], static_cast<spv::StorageClass>(one.words[2])});
        }
        break;
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeImage:
      case spv::Op::OpTypeSampler:
      case spv::Op::OpTypeSampledImage:
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
      case spv::Op::OpTypeStruct:
      case spv::Op::OpTypePointer:
      case spv::Op::OpTypeAccelerationStructureKHR:
        if (one.count >= 1) TakeType(one);
        break;
      default:
        break;
    }
  }

  // Processes a type declaration. A type follows the types that it consists of, so no type in types_ contains itself.
  void TakeType(const Instruction& one) {
    const bool has_part = one.op == spv::Op::OpTypeVector || one.op == spv::Op::OpTypeMatrix ||
                          one.op == spv::Op::OpTypeSampledImage || one.op == spv::Op::OpTypeArray ||
                          one.op == spv::Op::OpTypeRuntimeArray;
    if (has_part && (one.count < 2 || !types_.contains(one.words[1]))) return;
    types_.emplace(one.words[0], Type{one.op, {one.words + 1, one.words + one.count}});
  }

  void TakeEntryPoint(const Instruction& one) {
    const std::optional<Stage> stage = StageOf(static_cast<spv::ExecutionModel>(one.words[0]));
    if (found_ || !stage.has_value()) return;
    const char* name = reinterpret_cast<const char*>(one.words + 2);
    const size_t most = (one.count - 2) * sizeof(uint32_t);
    const size_t length = strnlen(name, most);
    interface_.stage = *stage;
    interface_.entry_point.assign(name, length);
    for (size_t at = 2 + length / sizeof(uint32_t) + 1; at < one.count; ++at) used_.insert(one.words[at]);
    found_ = true;
  }

  static void Decorate(Decorations& of, uint32_t decoration, uint32_t value) {
    switch (static_cast<spv::Decoration>(decoration)) {
      case spv::Decoration::DescriptorSet:
        of.set = value;
        break;
      case spv::Decoration::Binding:
        of.binding = value;
        break;
      case spv::Decoration::Location:
        of.location = value;
        break;
      case spv::Decoration::Block:
        of.block = true;
        break;
      case spv::Decoration::BufferBlock:
        of.buffer_block = true;
        break;
      case spv::Decoration::BuiltIn:
        of.built_in = true;
        break;
      default:
        break;
    }
  }

  struct Type {
    spv::Op op = spv::Op::OpTypeVoid;
    std::vector<uint32_t> operands;
  };

  const Type& TypeOf(uint32_t id) const {
    static const Type none;
    const auto found = types_.find(id);
    return found == types_.end() ? none : found->second;
  }

  uint32_t OperandOf(const Type& type, size_t index) const {
    return index < type.operands.size() ? type.operands[index] : 0;
  }

  void Declare(const Variable& variable) {
    const Type& pointer = TypeOf(variable.pointer_type);
    const uint32_t type = OperandOf(pointer, 1);
    const Decorations& decorations = decorations_[variable.id];
    switch (variable.storage) {
      case spv::StorageClass::PushConstant:
        interface_.push_constants = true;
        break;
      case spv::StorageClass::Input:
      case spv::StorageClass::Output:
        if (used_.contains(variable.id) && decorations.location.has_value() && !decorations.built_in) {
          auto& locations = variable.storage == spv::StorageClass::Input ? interface_.inputs : interface_.outputs;
          AddLocations(type, *decorations.location, locations);
        }
        break;
      case spv::StorageClass::Uniform:
      case spv::StorageClass::StorageBuffer:
      case spv::StorageClass::UniformConstant:
        if (decorations.binding.has_value()) {
          AddDescriptor(type, variable.storage, {decorations.set.value_or(0), *decorations.binding});
        } else {
          error_ = "has a uniform without a binding; compile it for Vulkan instead of OpenGL";
        }
        break;
      default:
        break;
    }
  }

  // Assigns locations, starting at `at`, to a value of the type. Returns the next free location.
  uint32_t AddLocations(uint32_t id, uint32_t at, std::map<uint32_t, Location>& locations) const {
    const Type& type = TypeOf(id);
    uint32_t times = 1;
    if (type.op == spv::Op::OpTypeArray) times = ConstantOf(OperandOf(type, 1));
    if (type.op == spv::Op::OpTypeMatrix) times = OperandOf(type, 1);
    times = std::min(times, kMostLocations);
    if (type.op == spv::Op::OpTypeArray || type.op == spv::Op::OpTypeMatrix) {
      for (uint32_t part = 0; part < times && at < kMostLocations; ++part) {
        at = AddLocations(OperandOf(type, 0), at, locations);
      }
      return at;
    }
    Location location;
    location.components = type.op == spv::Op::OpTypeVector ? OperandOf(type, 1) : 1;
    const Type& component = type.op == spv::Op::OpTypeVector ? TypeOf(OperandOf(type, 0)) : type;
    if (component.op == spv::Op::OpTypeInt) {
      location.kind = OperandOf(component, 1) != 0 ? Location::Kind::kSigned : Location::Kind::kUnsigned;
    }
    location.bits = OperandOf(component, 0);
    const auto [found, is_new] = locations.emplace(at, location);
    if (!is_new) found->second.components = 4;  // several variables share the location's components
    return at + (location.bits == 64 && location.components > 2 ? 2 : 1);
  }

  uint32_t ConstantOf(uint32_t id) const {
    const auto found = constants_.find(id);
    return found == constants_.end() ? 1 : found->second;
  }

  void AddDescriptor(uint32_t id, spv::StorageClass storage, std::pair<uint32_t, uint32_t> place) {
    Descriptor descriptor;
    for (const Type* type = &TypeOf(id); type->op == spv::Op::OpTypeArray || type->op == spv::Op::OpTypeRuntimeArray;
         type = &TypeOf(id)) {
      const uint32_t size = type->op == spv::Op::OpTypeArray ? ConstantOf(OperandOf(*type, 1)) : 0;
      descriptor.count = std::min(kMostDescriptors, size) * descriptor.count;
      id = OperandOf(*type, 0);
    }
    const std::optional<DescriptorKind> kind = KindOf(id, storage);
    if (!kind.has_value()) {
      error_ = "has a uniform outside of a block; compile it for Vulkan instead of OpenGL";
      return;
    }
    descriptor.kind = *kind;
    descriptor.count = std::min(kMostDescriptors, descriptor.count);
    const auto [found, is_new] = interface_.descriptors.emplace(place, descriptor);
    if (!is_new) found->second.count = std::max(found->second.count, descriptor.count);
  }

  std::optional<DescriptorKind> KindOf(uint32_t id, spv::StorageClass storage) {
    const Type& type = TypeOf(id);
    switch (type.op) {
      case spv::Op::OpTypeStruct:
        return storage == spv::StorageClass::StorageBuffer || decorations_[id].buffer_block
                   ? DescriptorKind::kStorageBuffer
                   : DescriptorKind::kUniformBuffer;
      case spv::Op::OpTypeSampler:
        return DescriptorKind::kSampler;
      case spv::Op::OpTypeAccelerationStructureKHR:
        return DescriptorKind::kAccelerationStructure;
      case spv::Op::OpTypeSampledImage:
        return DimensionOf(TypeOf(OperandOf(type, 0))) == spv::Dim::Buffer ? DescriptorKind::kUniformTexelBuffer
                                                                           : DescriptorKind::kCombinedImageSampler;
      case spv::Op::OpTypeImage: {
        const bool is_storage = OperandOf(type, 5) == 2;  // the operand Sampled is 1 with a sampler and 2 without one
        if (DimensionOf(type) == spv::Dim::SubpassData) return DescriptorKind::kInputAttachment;
        if (DimensionOf(type) == spv::Dim::Buffer) {
          return is_storage ? DescriptorKind::kStorageTexelBuffer : DescriptorKind::kUniformTexelBuffer;
        }
        return is_storage ? DescriptorKind::kStorageImage : DescriptorKind::kSampledImage;
      }
      default:
        return std::nullopt;
    }
  }

  spv::Dim DimensionOf(const Type& image) const { return static_cast<spv::Dim>(OperandOf(image, 1)); }

  Interface& interface_;
  bool found_ = false;
  std::string error_;
  std::set<uint32_t> used_;  // the variables that the entry point lists
  std::map<uint32_t, Decorations> decorations_;
  std::map<uint32_t, uint32_t> constants_;
  std::map<uint32_t, Type> types_;
  std::vector<Variable> variables_;
};

}  // namespace

std::string ReadInterface(std::string_view module, Interface& interface) { return Reader(interface).Read(module); }

}  // namespace driver_rig

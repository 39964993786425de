#include "tools/driver_rig/runner/spirv_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <spirv-tools/libspirv.hpp>

namespace driver_rig {
namespace {

using ::testing::HasSubstr;

std::string Assemble(const std::string& text) {
  std::vector<uint32_t> words;
  const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_5);
  EXPECT_TRUE(tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) << text;
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
}

// Returns a module with these decorations, and with these declarations after some common types.
std::string Module(const std::string& entry, const std::string& decorations, const std::string& declarations) {
  return Assemble("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint " + entry + "\n" + decorations +
                  R"(
      %void = OpTypeVoid
      %function = OpTypeFunction %void
      %bool = OpTypeBool
      %float = OpTypeFloat 32
      %double = OpTypeFloat 64
      %int = OpTypeInt 32 1
      %uint = OpTypeInt 32 0
      %vec2 = OpTypeVector %float 2
      %vec4 = OpTypeVector %float 4
      %ivec3 = OpTypeVector %int 3
      %dvec3 = OpTypeVector %double 3
      %three = OpConstant %uint 3
      %specialized = OpSpecConstant %uint 5
  )" + declarations +
                  "\n%main = OpFunction %void None %function\n%label = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

Interface Read(const std::string& module) {
  Interface interface;
  EXPECT_EQ(ReadInterface(module, interface), "");
  return interface;
}

std::string ErrorOf(const std::string& module) {
  Interface interface;
  return ReadInterface(module, interface);
}

TEST(SpirvInterface, DescriptorsOfEachKind) {
  // The name of the variable's type, its storage class, and the expected kind.
  struct Case {
    std::string declaration, storage;
    DescriptorKind kind;
  };
  for (const Case& one : {
           Case{"%what = OpTypeStruct %float", "Uniform", DescriptorKind::kUniformBuffer},
           Case{"%what = OpTypeStruct %float", "StorageBuffer", DescriptorKind::kStorageBuffer},
           Case{"%what = OpTypeSampler", "UniformConstant", DescriptorKind::kSampler},
           Case{"%what = OpTypeImage %float 2D 0 0 0 1 Unknown", "UniformConstant", DescriptorKind::kSampledImage},
           Case{"%what = OpTypeImage %float 2D 0 0 0 2 Rgba8", "UniformConstant", DescriptorKind::kStorageImage},
           Case{"%what = OpTypeImage %float Buffer 0 0 0 1 Unknown", "UniformConstant",
                DescriptorKind::kUniformTexelBuffer},
           Case{"%what = OpTypeImage %float Buffer 0 0 0 2 R32f", "UniformConstant",
                DescriptorKind::kStorageTexelBuffer},
           Case{"%what = OpTypeImage %float SubpassData 0 0 0 2 Unknown", "UniformConstant",
                DescriptorKind::kInputAttachment},
           Case{"%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%what = OpTypeSampledImage %image", "UniformConstant",
                DescriptorKind::kCombinedImageSampler},
           Case{"%what = OpTypeAccelerationStructureKHR", "UniformConstant", DescriptorKind::kAccelerationStructure},
       }) {
    const Interface found =
        Read(Module("GLCompute %main \"main\"", "OpDecorate %variable DescriptorSet 2\nOpDecorate %variable Binding 7",
                    one.declaration + "\n%pointer = OpTypePointer " + one.storage +
                        " %what\n%variable = OpVariable %pointer " + one.storage));
    ASSERT_TRUE(found.descriptors.contains({2, 7})) << one.declaration;
    EXPECT_EQ(found.descriptors.at({2, 7}).kind, one.kind) << one.declaration;
    EXPECT_EQ(found.descriptors.at({2, 7}).count, 1u);
    EXPECT_EQ(found.descriptors.size(), 1u);
  }
}

TEST(SpirvInterface, ABufferBlockIsAStorageBuffer) {
  const Interface found =
      Read(Module("GLCompute %main \"main\"", "OpDecorate %what BufferBlock\nOpDecorate %variable Binding 0",
                  "%what = OpTypeStruct %float\n%pointer = OpTypePointer Uniform %what\n"
                  "%variable = OpVariable %pointer Uniform"));
  EXPECT_EQ(found.descriptors.at({0, 0}).kind, DescriptorKind::kStorageBuffer);
}

TEST(SpirvInterface, ArraysOfDescriptors) {
  const std::string rest =
      "\n%pointer = OpTypePointer UniformConstant %array\n%variable = OpVariable %pointer "
      "UniformConstant";
  const auto count = [&](const std::string& types) {
    return Read(Module("Fragment %main \"main\"", "OpDecorate %variable Binding 1", types + rest))
        .descriptors.at({0, 1})
        .count;
  };
  EXPECT_EQ(count("%what = OpTypeSampler\n%array = OpTypeArray %what %three"), 3u);
  EXPECT_EQ(count("%what = OpTypeSampler\n%array = OpTypeArray %what %specialized"), 5u);
  EXPECT_EQ(count("%what = OpTypeSampler\n%row = OpTypeArray %what %three\n%array = OpTypeArray %row %specialized"),
            15u);
  EXPECT_EQ(count("%what = OpTypeSampler\n%array = OpTypeRuntimeArray %what"), 0u);
  EXPECT_EQ(count("%most = OpConstant %uint 4000000000\n%what = OpTypeSampler\n%array = OpTypeArray %what %most"),
            4096u);
}

TEST(SpirvInterface, InputsAndOutputsByLocation) {
  const Interface found = Read(
      Module("Vertex %main \"start\" %position %index %matrix %built_in",
             "OpDecorate %position Location 2\nOpDecorate %index Location 4\nOpDecorate %matrix Location 5\n"
             "OpDecorate %built_in BuiltIn VertexIndex\nOpDecorate %other Location 9",
             "%in2 = OpTypePointer Input %vec2\n%position = OpVariable %in2 Input\n%in3 = OpTypePointer Input %ivec3\n"
             "%index = OpVariable %in3 Input\n%mat3 = OpTypeMatrix %vec4 3\n%out = OpTypePointer Output %mat3\n"
             "%matrix = OpVariable %out Output\n%in = OpTypePointer Input %int\n%built_in = OpVariable %in Input\n"
             "%other = OpVariable %in3 Input"));
  EXPECT_EQ(found.stage, Stage::kVertex);
  EXPECT_EQ(found.entry_point, "start");
  ASSERT_EQ(found.inputs.size(), 2u);  // without the built-in and the unlisted variable
  EXPECT_EQ(found.inputs.at(2).components, 2u);
  EXPECT_EQ(found.inputs.at(2).kind, Location::Kind::kFloat);
  EXPECT_EQ(found.inputs.at(4).components, 3u);
  EXPECT_EQ(found.inputs.at(4).kind, Location::Kind::kSigned);
  ASSERT_EQ(found.outputs.size(), 3u);
  EXPECT_EQ(found.outputs.rbegin()->first, 7u);
}

TEST(SpirvInterface, ThreeDoublesTakeTwoLocations) {
  const Interface found = Read(Module("Vertex %main \"main\" %both", "OpDecorate %both Location 1",
                                      "%array = OpTypeArray %dvec3 %three\n%in = OpTypePointer Input %array\n"
                                      "%both = OpVariable %in Input"));
  ASSERT_EQ(found.inputs.size(), 3u);
  EXPECT_EQ(found.inputs.rbegin()->first, 5u);
  EXPECT_EQ(found.inputs.at(3).bits, 64u);
}

TEST(SpirvInterface, PushConstants) {
  EXPECT_FALSE(Read(Module("GLCompute %main \"main\"", "", "")).push_constants);
  EXPECT_TRUE(Read(Module("GLCompute %main \"main\"", "",
                          "%what = OpTypeStruct %float\n%pointer = OpTypePointer PushConstant %what\n"
                          "%variable = OpVariable %pointer PushConstant"))
                  .push_constants);
}

TEST(SpirvInterface, WhatIsNoModuleForVulkan) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("not a SPIR-V module"));
  EXPECT_THAT(ErrorOf("#version 450\nvoid main() {}\n\n"), HasSubstr("not a SPIR-V module"));
  std::string module = Module("GLCompute %main \"main\"", "", "");
  EXPECT_EQ(ErrorOf(module), "");
  EXPECT_THAT(ErrorOf(module.substr(0, module.size() - 2)), HasSubstr("not a SPIR-V module"));
  EXPECT_THAT(ErrorOf(module.substr(0, module.size() - 12)), HasSubstr("ends within an instruction, at word"));
  EXPECT_THAT(ErrorOf(Module("Kernel %main \"main\"", "", "")), HasSubstr("no entry point"));
  const std::string uniform =
      "%pointer = OpTypePointer UniformConstant %float\n"
      "%variable = OpVariable %pointer UniformConstant";
  EXPECT_THAT(ErrorOf(Module("Fragment %main \"main\"", "", uniform)), HasSubstr("without a binding"));
  EXPECT_THAT(ErrorOf(Module("Fragment %main \"main\"", "OpDecorate %variable Binding 0", uniform)),
              HasSubstr("outside of a block"));
}

// Modules that no compiler writes: a type that contains itself, and huge sizes.
TEST(SpirvInterface, HostileTypesEnd) {
  std::string module = Module("Vertex %main \"main\" %variable", "OpDecorate %variable Location 0",
                              "%most = OpConstant %uint 4294967295\n%array = OpTypeArray %float %most\n"
                              "%rows = OpTypeArray %array %most\n%in = OpTypePointer Input %rows\n"
                              "%variable = OpVariable %in Input");
  EXPECT_EQ(Read(module).inputs.size(), 64u);
  // Let the element type of OpTypeArray be the array itself.
  auto* const words = reinterpret_cast<uint32_t*>(module.data());
  bool changed = false;
  for (size_t at = 5; at < module.size() / 4; at += words[at] >> 16) {
    if ((words[at] & 0xffff) == 28) {
      words[at + 2] = words[at + 1];
      changed = true;
    }
  }
  EXPECT_TRUE(changed);
  EXPECT_LE(Read(module).inputs.size(), 1u);
}

}  // namespace
}  // namespace driver_rig

#include "corpus/spirv/spirv_reader.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/spirv/spirv_module.h"
#include "corpus/spirv/spirv_words.h"
#include "gtest/gtest.h"
#include "spirv-tools/libspirv.hpp"

namespace rewrought::corpus {
namespace {

std::string Sample(const std::string& name) {
  std::ifstream file("corpus/samples/spirv/" + name + ".spv", std::ios::binary);
  EXPECT_TRUE(file) << name;
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// Returns a fragment shader that contains `decorations` and `body`, which may use the declarations below.
std::string Assemble(const std::string& decorations, const std::string& body, const std::string& capability = "",
                     const std::string& mode = "") {
  const std::string text = absl::StrCat("OpCapability Shader\n", capability, R"(
      %std = OpExtInstImport "GLSL.std.450"
      OpMemoryModel Logical GLSL450
      OpEntryPoint Fragment %main "main" %in %out
      OpExecutionMode %main OriginUpperLeft
  )",
                                        mode, R"(
      OpDecorate %block Block
      OpDecorate %buffer DescriptorSet 0
      OpDecorate %buffer Binding 0
      OpMemberDecorate %block 0 Offset 0
      OpDecorate %in Location 0
      OpDecorate %out Location 0
  )",
                                        decorations, R"(
      %void = OpTypeVoid
      %function = OpTypeFunction %void
      %bool = OpTypeBool
      %float = OpTypeFloat 32
      %int = OpTypeInt 32 1
      %uint = OpTypeInt 32 0
      %vec2 = OpTypeVector %float 2
      %vec3 = OpTypeVector %float 3
      %vec4 = OpTypeVector %float 4
      %block = OpTypeStruct %vec4
      %to_block = OpTypePointer Uniform %block
      %to_uniform = OpTypePointer Uniform %vec4
      %to_uniform_float = OpTypePointer Uniform %float
      %to_in = OpTypePointer Input %vec4
      %to_out = OpTypePointer Output %vec4
      %zero = OpConstant %int 0
      %one = OpConstant %int 1
      %ten = OpConstant %int 10
      %f0 = OpConstant %float 0
      %f1 = OpConstant %float 1
      %undef = OpUndef %vec4
      %buffer = OpVariable %to_block Uniform
      %in = OpVariable %to_in Input
      %out = OpVariable %to_out Output
      %main = OpFunction %void None %function
      %start = OpLabel
      %a = OpLoad %vec4 %in
      %place = OpAccessChain %to_uniform %buffer %zero
      %b = OpLoad %vec4 %place
      %x = OpCompositeExtract %float %a 0
      %y = OpCompositeExtract %float %b 1
  )",
                                        body, R"(
      OpReturn
      OpFunctionEnd
  )");
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  std::string message;
  tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* what) {
    message = absl::StrCat(at.line, ": ", what);
  });
  std::vector<uint32_t> words;
  EXPECT_TRUE(tools.Assemble(text, &words)) << message;
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * 4);
}

std::string StoreFloat(const std::string& value) {
  return absl::StrCat("%result = OpCompositeConstruct %vec4 ", value, " ", value, " ", value, " ", value,
                      "\nOpStore %out %result\n");
}

ir::Shader Read(const std::string& bytes) {
  auto shader = ReadSpirv(bytes, "x", "test");
  EXPECT_TRUE(shader.ok()) << shader.status();
  return shader.ok() ? *shader : ir::Shader();
}

std::vector<ir::Node> Ops(const ir::Shader& shader, absl::string_view op = "") {
  std::vector<ir::Node> found;
  for (const ir::Node& node : shader.values.nodes) {
    if (node.kind == ir::NodeKind::kOp && (op.empty() || node.op->name == op)) found.push_back(node);
  }
  return found;
}

TEST(SpirvReader, ScalarisesAndLooksThroughComposites) {
  const ir::Shader shader = Read(Assemble("", R"(
      %s = OpVectorShuffle %vec4 %a %b 3 2 5 0
      %p = OpFSub %vec4 %s %a
      %i = OpCompositeInsert %vec4 %f1 %p 1
      %q = OpFAdd %vec4 %i %b
      OpStore %out %q)"));
  EXPECT_EQ(shader.stage, "fragment");
  EXPECT_TRUE(shader.notes.empty());
  EXPECT_EQ(Ops(shader, "fsub").size(), 4u);
  const auto sums = Ops(shader, "fadd");
  ASSERT_EQ(sums.size(), 4u);
  // The inserted 1.0 replaced the second difference.
  EXPECT_EQ(shader.values.at(sums[1].sources[0].node).kind, ir::NodeKind::kConstant);
  const ir::Node& difference = shader.values.at(sums[2].sources[0].node);
  // Component 2 of the shuffle is component 1 of b.
  EXPECT_EQ(shader.info[difference.sources[0].node].opaque, "load_ubo");
  EXPECT_EQ(difference.sources[0].swizzle[0], 1);
  EXPECT_EQ(difference.sources[1].swizzle[0], 2);
  EXPECT_EQ(Ops(shader).size(), 8u);
}

TEST(SpirvReader, ComparisonsAreExactAndFastMathIsFree) {
  const ir::Shader shader = Read(Assemble("", R"(
      %c = OpFOrdLessThan %bool %x %y
      %u = OpFUnordLessThan %bool %x %y
      %both = OpLogicalAnd %bool %c %u
      %m = OpFMul %float %x %y
      %r = OpSelect %float %both %m %x
  )" + StoreFloat("%r")));
  const uint8_t fast = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;
  EXPECT_EQ(Ops(shader, "flt")[0].flags, fast | ir::kExact);
  EXPECT_EQ(Ops(shader, "fmul")[0].flags, fast);
  // The comparison "less, or a NaN" is the negation of >=.
  ASSERT_EQ(Ops(shader, "fge").size(), 1u);
  EXPECT_EQ(Ops(shader, "inot").size(), 1u);
  EXPECT_EQ(Ops(shader, "bcsel")[0].flags, 0);
}

TEST(SpirvReader, NoContractionIsExact) {
  const std::string body = "%m = OpFMul %float %x %y\n%n = OpFMul %float %m %y\n" + StoreFloat("%n");
  const ir::Shader shader = Read(Assemble("OpDecorate %m NoContraction", body));
  EXPECT_EQ(Ops(shader, "fmul")[0].flags & ir::kExact, ir::kExact);
  EXPECT_EQ(Ops(shader, "fmul")[1].flags & ir::kExact, 0);
}

TEST(SpirvReader, CountsRelaxedPrecision) {
  const std::string body = "%m = OpFMul %float %x %y\n" + StoreFloat("%m");
  EXPECT_EQ(Read(Assemble("OpDecorate %m RelaxedPrecision", body)).notes,
            (std::vector<ir::ShaderNote>{{"relaxed precision", 0}}));
}

TEST(SpirvReader, ExecutionModesPreserve) {
  const ir::Shader shader = Read(Assemble("", "%m = OpFMul %float %x %y\n" + StoreFloat("%m"),
                                          "OpCapability SignedZeroInfNanPreserve\n"
                                          "OpExtension \"SPV_KHR_float_controls\"\n",
                                          "OpExecutionMode %main SignedZeroInfNanPreserve 32\n"));
  ASSERT_EQ(Ops(shader, "fmul").size(), 1u);
  EXPECT_EQ(Ops(shader, "fmul")[0].flags, 0);
  EXPECT_EQ(shader.notes, (std::vector<ir::ShaderNote>{{"float_controls signed_zero_inf_nan_preserve 32", 0}}));
}

TEST(SpirvReader, ExpandsDotAndNormalize) {
  const ir::Shader shader = Read(Assemble("", R"(
      %v = OpVectorShuffle %vec3 %a %a 0 1 2
      %n = OpExtInst %vec3 %std Normalize %v
      %d = OpDot %float %n %v
  )" + StoreFloat("%d")));
  // v.v has 3 products and 2 sums, which are shared; the scaling has 3 products; and n.v has 3 products and 2 sums.
  EXPECT_EQ(Ops(shader, "frsq").size(), 1u);
  EXPECT_EQ(Ops(shader, "fmul").size(), 9u);
  EXPECT_EQ(Ops(shader, "fadd").size(), 4u);
  // The sum starts at the last component, so the root adds the first product to the sum of the others.
  const ir::Node sum = Ops(shader, "fadd").back();
  EXPECT_EQ(shader.values.at(sum.sources[0].node).op->name, "fmul");
  EXPECT_EQ(shader.values.at(sum.sources[1].node).op->name, "fadd");
}

TEST(SpirvReader, ExpandsStepSmoothStepAndClamp) {
  const ir::Shader shader = Read(Assemble("", R"(
      %s = OpExtInst %float %std Step %x %y
      %t = OpExtInst %float %std SmoothStep %f0 %f1 %s
      %c = OpExtInst %float %std FClamp %t %f0 %f1
      %m = OpExtInst %float %std FMix %c %x %y
  )" + StoreFloat("%m")));
  // The comparison y < edge is exact, so the result is correct for a NaN.
  ASSERT_EQ(Ops(shader, "flt").size(), 1u);
  EXPECT_NE(Ops(shader, "flt")[0].flags & ir::kExact, 0);
  EXPECT_EQ(shader.info[Ops(shader, "flt")[0].sources[0].node].opaque, "load_ubo");
  EXPECT_EQ(Ops(shader, "fsat").size(), 1u);
  EXPECT_EQ(Ops(shader, "fmax").size(), 1u);
  EXPECT_EQ(Ops(shader, "fmin").size(), 1u);
  EXPECT_EQ(Ops(shader, "flrp").size(), 1u);
  EXPECT_TRUE(shader.notes.empty()) << shader.notes.front().text;
}

TEST(SpirvReader, SharesLoadsOfWhatNothingWrites) {
  const ir::Shader shader = Read(Assemble("", R"(
      %again = OpLoad %vec4 %in
      %component = OpAccessChain %to_uniform_float %buffer %zero %one
      %y2 = OpLoad %float %component
      %x2 = OpCompositeExtract %float %again 0
      %m = OpFMul %float %x %y
      %n = OpFMul %float %x2 %y2
      %r = OpFAdd %float %m %n
  )" + StoreFloat("%r")));
  // x * y and x2 * y2 are the same value.
  EXPECT_EQ(Ops(shader, "fmul").size(), 1u);
  size_t variables = 0;
  for (size_t i = 0; i < shader.info.size(); ++i) {
    if (shader.values.nodes[i].kind != ir::NodeKind::kVariable) continue;
    ++variables;
    EXPECT_EQ(shader.info[i].uniform, shader.info[i].opaque == "load_ubo");
  }
  EXPECT_EQ(variables, 2u);
}

TEST(SpirvReader, KeepsLoopDepthAndOpaquePhis) {
  const ir::Shader shader = Read(Assemble("", R"(
      OpBranch %header
      %header = OpLabel
      %i = OpPhi %int %zero %start %next %continue
      %sum = OpPhi %float %f0 %start %more %continue
      OpLoopMerge %merge %continue None
      OpBranch %test
      %test = OpLabel
      %c = OpSLessThan %bool %i %ten
      OpBranchConditional %c %continue %merge
      %continue = OpLabel
      %more = OpFAdd %float %sum %x
      %next = OpIAdd %int %i %one
      OpBranch %header
      %merge = OpLabel
      %after = OpFMul %float %sum %y
  )" + StoreFloat("%after")));
  const auto depth = [&](absl::string_view op) {
    for (size_t i = 0; i < shader.values.nodes.size(); ++i) {
      const ir::Node& node = shader.values.nodes[i];
      if (node.kind == ir::NodeKind::kOp && node.op->name == op) {
        return shader.blocks[shader.info[i].block].loop_depth;
      }
    }
    return -1;
  };
  EXPECT_EQ(depth("fadd"), 1);
  std::string dominators;
  for (const ir::ShaderBlock& block : shader.blocks) {
    dominators += block.dominator.has_value() ? " " + std::to_string(*block.dominator) : " -";
  }
  EXPECT_EQ(dominators, " - - 1 2 3 3");
  EXPECT_EQ(depth("ilt"), 1);
  EXPECT_EQ(depth("fmul"), 0);
  EXPECT_EQ(std::count_if(shader.info.begin(), shader.info.end(),
                          [](const ir::ShaderValueInfo& info) { return info.opaque == "phi"; }),
            2);
}

TEST(SpirvReader, LinesHoldToTheEndOfTheirBlock) {
  const ir::Shader shader = Read(Assemble("", R"(
      OpLine %file 7 1
      %p = OpFMul %float %x %y
      OpNoLine
      %q = OpFAdd %float %x %y
      OpLine %file 9 1
      %r = OpExtInst %float %std Sqrt %p
      OpBranch %next
      %next = OpLabel
      %s = OpFSub %float %q %r
  )" + StoreFloat("%s"),
                                          "", "%file = OpString \"a.frag\"\n"));
  std::map<std::string, int> lines;
  for (size_t i = 0; i < shader.values.nodes.size(); ++i) {
    const ir::Node& node = shader.values.nodes[i];
    if (node.kind == ir::NodeKind::kOp) lines[std::string(node.op->name)] = shader.info[i].line;
  }
  EXPECT_EQ(lines["fmul"], 7);
  EXPECT_EQ(lines["fadd"], 0);
  EXPECT_EQ(lines["fsqrt"], 9);
  EXPECT_EQ(lines["fsub"], 0);
}

// Lines of an included file must not be mistaken for lines of the main file. If the main file is unknown, no line is
// set.
TEST(SpirvReader, LinesAreOfTheMainFile) {
  for (const bool named : {true, false}) {
    const ir::Shader shader = Read(Assemble("", R"(
      OpLine %included 7 1
      %p = OpFMul %float %x %y
      OpLine %file 9 1
      %q = OpFAdd %float %p %y
  )" + StoreFloat("%q"),
                                            "",
                                            absl::StrCat("%file = OpString \"a.frag\"\n%included = OpString \"b.h\"\n",
                                                         named ? "OpSource GLSL 450 %file\n" : "")));
    std::map<std::string, int> lines;
    for (size_t i = 0; i < shader.values.nodes.size(); ++i) {
      const ir::Node& node = shader.values.nodes[i];
      if (node.kind == ir::NodeKind::kOp) lines[std::string(node.op->name)] = shader.info[i].line;
    }
    EXPECT_EQ(lines["fmul"], 0);
    EXPECT_EQ(lines["fadd"], named ? 9 : 0);
  }
}

TEST(SpirvReader, WithoutSourceIsTheSameModule) {
  const auto module = [](const std::string& line, const std::string& value) {
    return Assemble("", absl::StrCat("OpLine %file ", line, " 1\n", StoreFloat(value)), "", "%file = OpString \"a\"\n");
  };
  EXPECT_NE(module("7", "%x"), module("8", "%x"));
  EXPECT_EQ(WithoutSource(module("7", "%x")), WithoutSource(module("8", "%x")));
  EXPECT_NE(WithoutSource(module("7", "%x")), WithoutSource(module("7", "%y")));
  EXPECT_EQ(WithoutSource(module("7", "%x").substr(0, 41)), module("7", "%x").substr(0, 41));
  EXPECT_EQ(WithoutSource("no module"), "no module");
}

TEST(SpirvReader, ChecksInlinedSizeBeforeInlining) {
  // Function i calls function i - 1 twice, and main calls the last function.
  const auto doubling = [](int functions) {
    std::string text =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\"\n"
        "OpExecutionMode %main OriginUpperLeft\n%void = OpTypeVoid\n%f = OpTypeFunction %void\n";
    for (int i = 0; i <= functions; ++i) {
      const std::string name = i == functions ? "%main" : absl::StrCat("%f", i);
      absl::StrAppend(&text, name, " = OpFunction %void None %f\n%l", i, " = OpLabel\n");
      for (int call = 0; i > 0 && call < 2; ++call) {
        absl::StrAppend(&text, "%c", i, "_", call, " = OpFunctionCall %void %f", i - 1, "\n");
      }
      absl::StrAppend(&text, "OpReturn\nOpFunctionEnd\n");
    }
    std::vector<uint32_t> words;
    spvtools::SpirvTools tools(kSpirvEnvironment);
    EXPECT_TRUE(tools.Assemble(text, &words)) << text;
    return words;
  };
  EXPECT_TRUE(SimplifySpirv(doubling(4)).ok());
  for (const int functions : {20, 63, 64, 2000}) {
    EXPECT_EQ(SimplifySpirv(doubling(functions)).status().message(),
              "more than 100000 instructions with its calls inlined, the limit for SPIR-V; give the module fewer calls")
        << functions;
  }
}

// glslang omits the capability VulkanMemoryModelDeviceScope, which drivers accept. Modules with other errors are still
// rejected.
TEST(SpirvReader, DeviceScopeNeedsNoCapability) {
  const auto read = [](const std::string& addend) {
    const std::string text = absl::StrCat(R"(
        OpCapability Shader
        OpCapability VulkanMemoryModelKHR
        OpMemoryModel Logical VulkanKHR
        OpEntryPoint GLCompute %main "main" %buffer
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %block = OpTypeStruct %uint
        %to_block = OpTypePointer StorageBuffer %block
        %to_uint = OpTypePointer StorageBuffer %uint
        %buffer = OpVariable %to_block StorageBuffer
        %zero = OpConstant %uint 0
        %device = OpConstant %uint 1
        %half = OpConstant %float 0.5
        %main = OpFunction %void None %function
        %entry = OpLabel
        %place = OpAccessChain %to_uint %buffer %zero
        %old = OpAtomicIAdd %uint %place %device %zero )",
                                          addend, "\nOpReturn\nOpFunctionEnd\n");
    spvtools::SpirvTools tools(kSpirvEnvironment);
    std::vector<uint32_t> words;
    EXPECT_TRUE(tools.Assemble(text, &words));
    return SimplifySpirv(words).status();
  };
  EXPECT_EQ(read("%device"), absl::OkStatus());
  EXPECT_EQ(read("%half").code(), absl::StatusCode::kInvalidArgument);
}

TEST(SpirvReader, ReadsEitherByteOrder) {
  const std::string bytes = Sample("gl-transitions__burn0_frag");
  std::string swapped = bytes;
  for (size_t i = 0; i + 4 <= swapped.size(); i += 4) std::reverse(swapped.begin() + i, swapped.begin() + i + 4);
  EXPECT_EQ(Read(bytes).values.nodes.size(), Read(swapped).values.nodes.size());
}

TEST(SpirvReader, ReadsTheSamples) {
  EXPECT_GE(Ops(Read(Sample("gl-transitions__Dreamy_frag")), "flrp").size(), 4u);
  // The shader has a Boolean uniform outside of any block, which OpenGL's dialect allows.
  EXPECT_FALSE(Ops(Read(Sample("gl-transitions__SimpleZoomOut_frag"))).empty());
  EXPECT_EQ(Read(Sample("three__LineDashedMaterial_flat_015363c0_vert")).stage, "vertex");
}

TEST(SpirvReader, RefusesWhatIsNoModule) {
  const std::string bytes = Sample("gl-transitions__circle_frag");
  EXPECT_FALSE(ReadSpirv("", "x", "test").ok());
  EXPECT_FALSE(ReadSpirv("OpCapability Shader\n", "x", "test").ok());
  EXPECT_FALSE(ReadSpirv(bytes.substr(0, 10), "x", "test").ok());
  EXPECT_FALSE(ReadSpirv(bytes.substr(0, bytes.size() - 2), "x", "test").ok());
  for (size_t length = 0; length < bytes.size(); length += 36) {
    EXPECT_FALSE(ReadSpirv(absl::string_view(bytes).substr(0, length), "x", "test").ok()) << length;
  }
}

TEST(SpirvReader, ChangedWordsNeverCrash) {
  const std::string bytes = Sample("gl-transitions__circle_frag");
  for (size_t place = 20; place < bytes.size(); place += 8) {
    for (int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ (1 << bit));
      const auto shader = ReadSpirv(changed, "x", "test");
      EXPECT_TRUE(shader.ok() || !shader.status().message().empty());
    }
  }
}

}  // namespace
}  // namespace rewrought::corpus

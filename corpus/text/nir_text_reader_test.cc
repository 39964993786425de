#include "corpus/text/nir_text_reader.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

std::string Sample(const std::string& name) {
  std::ifstream file("corpus/samples/nir/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

ir::Shader ReadSample(const std::string& name) {
  auto shaders = ReadNirText(Sample(name), name, "test");
  EXPECT_TRUE(shaders.ok()) << shaders.status();
  EXPECT_EQ(shaders->size(), 1u);
  return shaders->front();
}

std::vector<ir::NodeIndex> Ops(const ir::Shader& shader, absl::string_view op) {
  std::vector<ir::NodeIndex> found;
  for (ir::NodeIndex i = 0; i < shader.values.nodes.size(); ++i) {
    if (shader.values.nodes[i].kind == ir::NodeKind::kOp && shader.values.nodes[i].op->name == op) found.push_back(i);
  }
  return found;
}

std::vector<ir::NodeIndex> Opaque(const ir::Shader& shader, absl::string_view what) {
  std::vector<ir::NodeIndex> found;
  for (ir::NodeIndex i = 0; i < shader.values.nodes.size(); ++i) {
    if (shader.info[i].opaque == what) found.push_back(i);
  }
  return found;
}

TEST(NirTextReader, ReadsScalarCode) {
  const ir::Shader shader = ReadSample("scalar_fragment.nir");
  EXPECT_EQ(shader.stage, "fragment");
  EXPECT_TRUE(shader.notes.empty()) << shader.notes.front();
  // mov and vec4 only route lanes, so fneg reads fmin directly.
  EXPECT_TRUE(Ops(shader, "mov").empty());
  EXPECT_TRUE(Ops(shader, "vec4").empty());
  const auto minimum = Ops(shader, "fmin");
  const auto negation = Ops(shader, "fneg");
  ASSERT_EQ(minimum.size(), 1u);
  ASSERT_EQ(negation.size(), 1u);
  EXPECT_EQ(shader.values.at(negation[0]).sources[0].node, minimum[0]);
  // The swizzle selects a component of a vector.
  const ir::Node& product = shader.values.at(Ops(shader, "fmul")[0]);
  EXPECT_EQ(shader.info[product.sources[0].node].opaque, "load_interpolated_input");
  EXPECT_EQ(product.sources[0].swizzle[0], 0);
  EXPECT_EQ(product.sources[1].swizzle[0], 3);
  EXPECT_EQ(shader.info[Ops(shader, "fmul")[0]].line, 18);
}

TEST(NirTextReader, MarksExactAndFastMath) {
  const ir::Shader shader = ReadSample("scalar_fragment.nir");
  const auto products = Ops(shader, "fmul");
  ASSERT_EQ(products.size(), 2u);
  const uint8_t fast = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;
  EXPECT_EQ(shader.values.at(products[0]).flags, fast);
  EXPECT_EQ(shader.values.at(products[1]).flags, fast | ir::kExact);
  EXPECT_EQ(shader.values.at(Ops(shader, "flt")[0]).flags, fast | ir::kExact);
  // bcsel only passes bits through, so it has no float flags.
  EXPECT_EQ(shader.values.at(Ops(shader, "bcsel")[0]).flags, 0);
}

TEST(NirTextReader, AssumesNoFastMathInKernels) {
  for (const bool kernel : {true, false}) {
    std::string text = Sample("scalar_fragment.nir");
    text.replace(text.find("GLSL7"), 5, "vk_0x");
    if (kernel) text.replace(text.find("FRAGMENT"), 8, "KERNEL");
    const auto shaders = ReadNirText(text, "x", "test");
    ASSERT_TRUE(shaders.ok());
    const uint8_t flags = shaders->front().values.at(Ops(shaders->front(), "fadd")[0]).flags;
    EXPECT_EQ(flags, kernel ? 0 : ir::kNoSignedZero | ir::kNoNan | ir::kNoInf);
  }
}

TEST(NirTextReader, PreserveBitsTakeFastMathAway) {
  // 0x12 preserves the sign of zero and infinities of 32-bit floats.
  const std::string text = absl::StrCat("shader: MESA_SHADER_FRAGMENT\nfloat_controls_execution_mode: 0x12\n",
                                        Sample("scalar_fragment.nir").substr(29));
  const auto shaders = ReadNirText(text, "x", "test");
  ASSERT_TRUE(shaders.ok());
  EXPECT_EQ(shaders->front().values.at(Ops(shaders->front(), "fadd")[0]).flags, ir::kNoNan);
}

TEST(NirTextReader, CountsUsesOutside) {
  const ir::Shader shader = ReadSample("scalar_fragment.nir");
  // fmin is written to the .w of the output (through mov); flt is not used.
  EXPECT_EQ(ir::OutsideUses(shader)[Ops(shader, "fmin")[0]], 1u);
  EXPECT_EQ(ir::OutsideUses(shader)[Ops(shader, "flt")[0]], 0u);
  EXPECT_EQ(Opaque(shader, "undef").size(), 1u);
}

TEST(NirTextReader, KeepsLoopDepth) {
  const ir::Shader shader = ReadSample("loop.nir");
  const auto depth = [&](absl::string_view op) {
    return shader.blocks[shader.info[Ops(shader, op)[0]].block].loop_depth;
  };
  EXPECT_EQ(depth("fadd"), 1);
  EXPECT_EQ(depth("ige"), 1);
  EXPECT_EQ(Opaque(shader, "phi").size(), 2u);
  std::string dominators;
  for (const ir::ShaderBlock& block : shader.blocks) {
    absl::StrAppend(&dominators, " ", block.dominator.has_value() ? absl::StrCat(*block.dominator) : "-");
  }
  EXPECT_EQ(dominators, " - 0 1 1 3 2 -");
  // A phi reads the fadd, which is defined later in the text.
  EXPECT_EQ(ir::OutsideUses(shader)[Ops(shader, "fadd")[0]], 1u);
  // The branch reads ige.
  EXPECT_EQ(ir::OutsideUses(shader)[Ops(shader, "ige")[0]], 1u);
}

// Uses by instructions other than ALU ops are recorded where the values are read: at the position of a branch or store,
// and at the end of a phi's predecessors.
TEST(NirTextReader, UsesArePositionedWhereTheyRead) {
  const ir::Shader shader = ReadSample("loop.nir");
  ASSERT_EQ(shader.blocks.size(), 7u);
  std::vector<std::string> uses;
  for (const ir::ShaderUse& use : shader.uses) uses.push_back(absl::StrCat(use.what, " in block ", use.block));
  EXPECT_EQ(uses, (std::vector<std::string>{"load_push_constant in block 0", "phi in block 0", "if in block 1",
                                            "phi in block 4", "mix_unknown_op in block 5", "store_ssbo in block 5"}));
  const ir::ShaderUse& back = shader.uses[3];
  const std::vector<ir::NodeIndex> sums = Ops(shader, "iadd");
  EXPECT_EQ(back.reads, (std::vector<ir::ShaderLane>{{sums[1], 0}, {Ops(shader, "fadd")[0], 0}}));
  EXPECT_EQ(back.before, sums[1] + 1);
  EXPECT_EQ(shader.uses[4].gives, Opaque(shader, "mix_unknown_op"));
  ir::NodeIndex before = 0;
  for (const ir::ShaderUse& use : shader.uses) {
    EXPECT_GE(use.before, before);
    before = use.before;
    for (const ir::ShaderLane& read : use.reads) EXPECT_LT(read.node, use.before);
    for (const ir::NodeIndex given : use.gives) EXPECT_GE(given, use.before);
  }
}

// Before nir_lower_io, inputs and outputs are accessed like other variables.
TEST(NirTextReader, VariablesOfTheInterfaceAreInputsAndOutputs) {
  const std::string text =
      "shader: MESA_SHADER_FRAGMENT\nimpl main {\n    block b0: // preds:\n"
      "    32 %0 = deref_var &a (shader_in vec4)\n    32x4 %1 = @load_deref (%0) (access=none)\n"
      "    32 %2 = deref_var &b(c (function_temp vec4)\n    32x4 %3 = @load_deref (%2) (access=none)\n"
      "    32 %4 = deref_var &o (shader_out vec4)\n    32x4 %5 = fadd %1, %3\n"
      "    @store_deref (%2, %5) (wrmask=xyzw)\n    @store_deref (%4, %5) (wrmask=xyzw)\n"
      "    @store_deref (%9, %5)\n    @store_deref ()\n    block b1: // preds: b0\n}\n";
  const auto shaders = ReadNirText(text, "x", "test");
  ASSERT_TRUE(shaders.ok()) << shaders.status();
  std::vector<std::string> uses;
  for (const ir::ShaderUse& use : shaders->front().uses) uses.push_back(use.what);
  EXPECT_EQ(uses, (std::vector<std::string>{"load_input", "load_deref", "store_deref", "store_output", "store_deref"}));
}

TEST(NirTextReader, UnknownOpIsOpaqueWithNote) {
  const ir::Shader shader = ReadSample("loop.nir");
  ASSERT_EQ(Opaque(shader, "mix_unknown_op").size(), 1u);
  EXPECT_EQ(shader.blocks[shader.info[Opaque(shader, "mix_unknown_op")[0]].block].loop_depth, 0);
  ASSERT_EQ(shader.notes.size(), 2u);
  EXPECT_EQ(shader.notes[0], "float_controls 0x2");
  EXPECT_EQ(shader.notes[1], "no row for op mix_unknown_op");
}

TEST(NirTextReader, MarksUniformLoads) {
  const ir::Shader shader = ReadSample("loop.nir");
  EXPECT_TRUE(shader.info[Opaque(shader, "load_push_constant")[0]].uniform);
  EXPECT_FALSE(shader.info[Opaque(shader, "load_local_invocation_id")[0]].uniform);
  // The phi is convergent, but may differ between the invocations of a draw.
  EXPECT_FALSE(shader.info[Opaque(shader, "phi")[0]].uniform);
}

TEST(NirTextReader, KeepsVectorsAndSwizzles) {
  const ir::Shader shader = ReadSample("vec4_vertex.nir");
  EXPECT_TRUE(shader.notes.empty()) << shader.notes.front();
  const ir::Node& product = shader.values.at(Ops(shader, "fmul")[0]);
  EXPECT_EQ(product.components, 3);
  EXPECT_EQ(product.sources[0].swizzle[2], 3);
  EXPECT_EQ(product.sources[1].swizzle[2], 1);
  const ir::Node& dot = shader.values.at(Ops(shader, "fdot3_replicated")[0]);
  EXPECT_EQ(dot.components, 1);
  EXPECT_EQ(dot.sources[0].swizzle[2], 2);
  // An operand that combines several nodes needs a vec4 node.
  const auto vectors = Ops(shader, "vec4");
  ASSERT_EQ(vectors.size(), 1u);
  EXPECT_EQ(shader.values.at(vectors[0]).sources[1].swizzle[0], 1);
  // Here, a swizzle follows a constant in parentheses.
  const ir::Node& scaled = shader.values.at(Ops(shader, "fmul")[1]);
  EXPECT_EQ(scaled.components, 2);
  EXPECT_EQ(scaled.sources[1].swizzle[0], 1);
  EXPECT_EQ(scaled.sources[0].swizzle[1], 2);
}

TEST(NirTextReader, SplitsWideVectors) {
  const ir::Shader shader = ReadSample("wide_load.nir");
  EXPECT_TRUE(shader.notes.empty()) << shader.notes.front();
  const auto loads = Opaque(shader, "load_ubo_uniform_block_intel");
  ASSERT_EQ(loads.size(), 4u);
  const ir::Node& fma = shader.values.at(Ops(shader, "ffma")[0]);
  EXPECT_EQ(fma.sources[0].node, loads[0]);
  EXPECT_EQ(fma.sources[1].node, loads[3]);
  EXPECT_EQ(fma.sources[1].swizzle[0], 3);  // component p
  EXPECT_EQ(fma.sources[2].node, loads[1]);
  EXPECT_TRUE(shader.info[loads[3]].uniform);
  EXPECT_EQ(shader.values.at(Ops(shader, "fadd")[0]).bits, 16);
  EXPECT_EQ(shader.values.at(Ops(shader, "fadd")[1]).bits, 64);
  const ir::Node& one = shader.values.at(shader.values.at(Ops(shader, "fadd")[1]).sources[0].node);
  EXPECT_EQ(one.values[0], 0x3ff0000000000000u);
}

TEST(NirTextReader, ReadsSeveralShadersOfOneText) {
  const std::string text = Sample("loop.nir") + Sample("vec4_vertex.nir");
  const auto shaders = ReadNirText(text, "both", "test");
  ASSERT_TRUE(shaders.ok());
  ASSERT_EQ(shaders->size(), 2u);
  EXPECT_EQ((*shaders)[1].name, "both#2");
  EXPECT_EQ((*shaders)[1].stage, "vertex");
}

TEST(NirTextReader, DamagedTextGivesNotesAndNoCrash) {
  const auto shaders = ReadNirText(Sample("damaged.nir"), "damaged", "test");
  ASSERT_TRUE(shaders.ok());
  EXPECT_FALSE(shaders->front().notes.empty());
}

TEST(NirTextReader, EveryPrefixOfEverySampleIsRead) {
  for (const char* name : {"scalar_fragment.nir", "loop.nir", "vec4_vertex.nir", "wide_load.nir", "damaged.nir"}) {
    const std::string text = Sample(name);
    for (size_t length = 64; length <= text.size(); length += 3) {
      const auto shaders = ReadNirText(absl::string_view(text).substr(0, length), name, "test");
      ASSERT_TRUE(shaders.ok());
      for (const ir::Shader& shader : *shaders) {
        for (ir::NodeIndex i = 0; i < shader.values.nodes.size(); ++i) {
          for (const ir::Source& source : shader.values.at(i).sources) ASSERT_LT(source.node, i);
        }
      }
    }
  }
}

TEST(NirTextReader, LoopsAndLinesAreCounted) {
  const auto text = [](int loops) {
    std::string lines = "shader: MESA_SHADER_FRAGMENT\nimpl main {\n";
    for (int i = 0; i < loops; ++i) absl::StrAppend(&lines, "loop {\nblock b", i, ":\n");
    return lines;
  };
  const auto deep = ReadNirText(text(1000), "x", "test");
  ASSERT_TRUE(deep.ok()) << deep.status();
  EXPECT_EQ(deep->front().blocks.back().loop_depth, 1000);
  EXPECT_EQ(ReadNirText(text(1001), "x", "test").status().message(),
            "more than 1000 levels of nesting, the limit for NIR text; split the file");
  const std::string blank(proto::kNirTextLimits.items + 1, '\n');
  EXPECT_TRUE(ReadNirText(absl::StrCat(text(1), blank), "x", "test").ok()) << "blank lines cost nothing";
  std::string lines = text(1);
  for (uint64_t i = 0; i <= proto::kNirTextLimits.items; ++i) lines += "block b:\n";
  EXPECT_TRUE(absl::StrContains(ReadNirText(lines, "x", "test").status().message(), "more than 1048576 lines"));
}

TEST(NirTextReader, RefusesOtherText) {
  EXPECT_FALSE(ReadNirText("", "x", "test").ok());
  EXPECT_FALSE(ReadNirText("void main() {}", "x", "test").ok());
  EXPECT_FALSE(LooksLikeNirText("void main() { /* shader: */ }"));
  EXPECT_TRUE(LooksLikeNirText(Sample("loop.nir")));
}

}  // namespace
}  // namespace rewrought::corpus

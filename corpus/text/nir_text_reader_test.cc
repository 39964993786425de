#include "corpus/text/nir_text_reader.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
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

// Returns the notes as lines "LINE: TEXT".
std::string Notes(const ir::Shader& shader) {
  std::string notes;
  for (const ir::ShaderNote& note : shader.notes) absl::StrAppend(&notes, note.line, ": ", note.text, "\n");
  return notes;
}

// Returns the only shader of `text`.
ir::Shader ReadText(absl::string_view text) {
  auto shaders = ReadNirText(text, "x", "test");
  EXPECT_TRUE(shaders.ok()) << shaders.status() << "\n" << text;
  return shaders.ok() && !shaders->empty() ? shaders->front() : ir::Shader();
}

// Returns a fragment shader of Mesa 26.1 whose block contains `lines` from line 6 on. The values %0 to %2 are 32-bit
// scalars, and %3 has three components.
std::string Mesa26(absl::string_view lines) {
  return absl::StrCat(
      "shader: MESA_SHADER_FRAGMENT\nmax_subgroup_size: 64\nimpl main {\n    block b0:  // preds:\n"
      "    32 %0 = @load_ubo () (access=none)\n",
      lines, "\n    32 %90 = fadd %0, %0 // exact\n    // succs: b1\n    block b1:\n}\n");
}

// Returns the error of reading the shader Mesa26(lines).
std::string Error26(absl::string_view lines) {
  const auto shaders = ReadNirText(Mesa26(lines), "x", "test");
  EXPECT_EQ(shaders.status().code(), absl::StatusCode::kInvalidArgument) << lines;
  return std::string(shaders.status().message());
}

// Returns the flags of the only node with this op.
uint8_t Flags(const ir::Shader& shader, absl::string_view op) {
  const std::vector<ir::NodeIndex> nodes = Ops(shader, op);
  EXPECT_EQ(nodes.size(), 1u) << op;
  return nodes.empty() ? 0 : shader.values.at(nodes[0]).flags;
}

TEST(NirTextReader, ReadsScalarCode) {
  const ir::Shader shader = ReadSample("scalar_fragment.nir");
  EXPECT_EQ(shader.stage, "fragment");
  EXPECT_EQ(Notes(shader), "");
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
  const std::string text = absl::StrCat("shader: MESA_SHADER_FRAGMENT\nfloat_controls_execution_mode: 0x00000012\n",
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
  EXPECT_EQ(Notes(shader), "3: float_controls 0x00000002\n35: no row for op mix_unknown_op\n");
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
  EXPECT_EQ(Notes(shader), "");
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
  EXPECT_EQ(Notes(shader), "");
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

TEST(NirTextReader, DamagedTextIsAnErrorAndNoCrash) {
  const auto shaders = ReadNirText(Sample("damaged.nir"), "damaged", "test");
  EXPECT_EQ(shaders.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(NirTextReader, EveryPrefixOfEverySampleIsRead) {
  for (const char* name : {"scalar_fragment.nir", "loop.nir", "vec4_vertex.nir", "wide_load.nir", "damaged.nir",
                           "mesa_22_3.nir", "mesa_23_2.nir", "mesa_26_2.nir"}) {
    const std::string text = Sample(name);
    for (size_t length = 64; length <= text.size(); length += 3) {
      const auto shaders = ReadNirText(absl::string_view(text).substr(0, length), name, "test");
      if (!shaders.ok()) {
        ASSERT_TRUE(absl::StartsWith(shaders.status().message(), "NIR text not understood: line ")) << shaders.status();
        continue;
      }
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
    for (int i = 0; i <= loops; ++i) lines += "}\n";
    return lines;
  };
  const auto deep = ReadNirText(text(1000), "x", "test");
  ASSERT_TRUE(deep.ok()) << deep.status();
  EXPECT_EQ(deep->front().blocks.back().loop_depth, 1000);
  EXPECT_EQ(ReadNirText(text(1001), "x", "test").status().message(),
            "more than 1000 levels of nesting, the limit for NIR text; split the file");
  const std::string blank(proto::kNirTextLimits.items + 1, '\n');
  EXPECT_TRUE(ReadNirText(absl::StrCat(text(1), blank), "x", "test").ok()) << "blank lines cost nothing";
  std::string lines = "shader: MESA_SHADER_FRAGMENT\nimpl main {\n";
  for (uint64_t i = 0; i <= proto::kNirTextLimits.items; ++i) lines += "block b:\n";
  EXPECT_TRUE(absl::StrContains(ReadNirText(lines, "x", "test").status().message(), "more than 1048576 lines"));
}

constexpr uint8_t kFast = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

TEST(NirTextReader, ReadsMesa22) {
  const ir::Shader shader = ReadSample("mesa_22_3.nir");
  EXPECT_EQ(shader.version, "Mesa 22.3 to 23.1");
  EXPECT_EQ(Notes(shader), "32: result with .sat\n38: register written\n39: operands of fmax not understood\n");
  const ir::Node& product = shader.values.at(Ops(shader, "fmul")[0]);
  EXPECT_EQ(product.flags, kFast) << "a shader from GLSL";
  EXPECT_EQ(shader.info[product.sources[0].node].opaque, "load_input");
  EXPECT_EQ(product.sources[1].swizzle[0], 1);
  EXPECT_EQ(Flags(shader, "flt"), kFast | ir::kExact);
  EXPECT_EQ(Opaque(shader, "fadd").size(), 1u) << "saturated";
  EXPECT_TRUE(Ops(shader, "fadd").empty());
  EXPECT_EQ(Opaque(shader, "fmax").size(), 1u) << "reads a register";
  std::string uses;
  for (const ir::ShaderUse& use : shader.uses) absl::StrAppend(&uses, use.what, "@", use.block, " ");
  EXPECT_EQ(uses, "load_input@0 if@0 phi@1 fadd@2 phi@2 register@3 fmax@3 store_output@3 ");
  EXPECT_EQ(shader.blocks[3].dominator, 0u);
}

TEST(NirTextReader, ReadsMesa23) {
  const ir::Shader shader = ReadSample("mesa_23_2.nir");
  EXPECT_EQ(shader.version, "Mesa 23.2 to 24.3");
  EXPECT_EQ(Notes(shader), "9: float_controls 0x0080\n9: order of float_controls unknown\n");
  EXPECT_EQ(Flags(shader, "fadd"), 0);
  // A parallel copy defines both of its values.
  const ir::Node& product = shader.values.at(Ops(shader, "fmul")[0]);
  EXPECT_EQ(product.sources[0].node, Ops(shader, "fsqrt")[0]);
  EXPECT_EQ(product.sources[1].node, Opaque(shader, "load_ssbo")[0]);
}

TEST(NirTextReader, ReadsMesa26) {
  const ir::Shader shader = ReadSample("mesa_26_2.nir");
  EXPECT_EQ(shader.version, "Mesa 26.1 to 26.2");
  EXPECT_EQ(Notes(shader), "8: float_controls 0x00000002\n36: no row for op fcanonicalize\n");
  const auto flags = [&](absl::string_view op, size_t i) { return shader.values.at(Ops(shader, op)[i]).flags; };
  EXPECT_EQ(flags("fmul", 0), kFast);
  EXPECT_EQ(flags("fadd", 0), kFast | ir::kExact);
  EXPECT_EQ(flags("fadd", 1), ir::kNoNan | ir::kExact);
  EXPECT_EQ(flags("fneg", 0), ir::kNoSignedZero | ir::kNoInf);
  EXPECT_EQ(flags("flt", 0), ir::kExact);
  EXPECT_EQ(flags("ffma", 0), kFast | ir::kExact);
  EXPECT_EQ(flags("fmin", 0), ir::kExact);
  EXPECT_EQ(flags("iadd", 0), 0);
  // In "%3.tint.w" and "%4.x", "tint" and "x" are names of variables; only "w" is a swizzle.
  const ir::Node& product = shader.values.at(Ops(shader, "fmul")[0]);
  EXPECT_EQ(shader.info[product.sources[0].node].opaque, "load_input");
  EXPECT_EQ(product.sources[1].swizzle[0], 3);
  // The loop's header has a comment. The code after the loop is at depth 0.
  EXPECT_EQ(shader.blocks[shader.info[Ops(shader, "fadd")[2]].block].loop_depth, 1);
  const ir::ShaderValueInfo& last = shader.info[Ops(shader, "fmax")[0]];
  EXPECT_EQ(last.line, 57);
  EXPECT_EQ(shader.blocks[last.block].loop_depth, 0);
  EXPECT_EQ(shader.blocks[last.block].dominator, 2u);
}

// Each of these constructs is noted with its line, and the values that it defines are opaque.
TEST(NirTextReader, UnknownConstructsAreNotedWithTheirLines) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"    32 %1 = fmystery %0, %0", "no row for op fmystery"},
      {"    32 %1 = fadd -%0, %0", "operands of fadd not understood"},
      {"    32 %1 = fadd %0, %0, %0", "operands of fadd not understood"},
      {"    32 %1 = fadd %0 %0", "operands of fadd not understood"},
      {"    32 %1 = fadd %0.q, %0", "operands of fadd not understood"},
      {"    32 %1 = fadd.sat %0, %0", "result with .sat"},
      {"    32 %1 = load_const (true)", "constant not understood"},
      {"    32 %1 = load_const (0x1, 0x2)", "constant not understood"},
      {"    32 %1 = phi b0: %0, b0: nothing", "source of a phi not understood"},
      {"    r5 = fadd %0, %0", "register written"},
      {"    *%0 = %0", "copy not understood"},
      {"    32x2 %1 = %0", "copy not understood"},
      {"    // mystery", "comment not understood"},
      {"    block b7:  // mystery", "comment not understood"},
      {"    mystery %0", "line not understood"},
      {"    32 %1 = fadd %0, %77", "value used but not defined"},
      {"    32 %0 = fadd %0, %0", "value defined twice"},
      {"    16 %1 = fadd %0, %0", "op fadd: result's size does not fit its row"},
  };
  for (const auto& [line, note] : cases) {
    EXPECT_EQ(Notes(ReadText(Mesa26(line))), absl::StrCat("6: ", note, "\n")) << line;
    EXPECT_EQ(Notes(ReadText(Mesa26(absl::StrCat("\n", line)))), absl::StrCat("7: ", note, "\n")) << line;
  }
}

TEST(NirTextReader, UnknownLinesOutsideFunctionsAreNoted) {
  const std::string text = absl::StrCat("nir_opt_mystery\n", Mesa26(""), "\nAfter\ninputs: 4\n");
  EXPECT_EQ(Notes(ReadText(text)),
            "1: line before the first shader\n13: line outside functions not understood\n14: line outside functions "
            "not understood\n");
  std::string field = Mesa26("");
  field.insert(field.find("impl"), "mystery: 4\ninputs: 4\nspec[3] = 0x1\n// mystery\n");
  EXPECT_EQ(Notes(ReadText(field)),
            "3: line outside functions not understood\n6: line outside functions not understood\n");
}

// Each of these constructs could change a flag, a value, or the control flow if it were ignored.
TEST(NirTextReader, ConstructsThatCouldChangeAFlagAreErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"    32 %1 = fadd %0, %0 // mystery", "unknown comment on an instruction: // mystery"},
      {"    32 %1 = fmystery %0, %0 // mystery", "unknown comment on an instruction: // mystery"},
      {"    32 %1 = fadd %0, %0 // exact, no-contract", "unknown comment on an instruction: // exact, no-contract"},
      {"    32 %1 = fadd %0, %0 // exact preserve:nan", "unknown comment on an instruction: // exact preserve:nan"},
      {"    32 %1 = fadd %0, %0 // exactpreserve:nan", "unknown comment on an instruction: // exactpreserve:nan"},
      {"    32 %1 = fadd %0, %0 // exact, ", "unknown comment on an instruction: // exact,"},
      {"    32 %1 = fadd %0, %0 // preserve:", "unknown comment on an instruction: // preserve:"},
      {"    32 %1 = fadd %0, %0 // preserve:zero", "unknown comment on an instruction: // preserve:zero"},
      {"    32 %1 = fadd %0, %0 // preserve:nan,nan", "unknown comment on an instruction: // preserve:nan,nan"},
      {"    32 %1 = fadd %0, %0 // preserve:nan, exact", "unknown comment on an instruction: // preserve:nan, exact"},
      {"    32 %1 = fadd %0, %0 /* mystery */", "unknown comment on an instruction: /* mystery */"},
      {"    32 %1 = fadd! %0, %0", "`!`, although other instructions have the comments of Mesa 26: ! %0, %0"},
      {"    32 %1 = fadd.nsz %0, %0", "unknown suffix of an op: .nsz %0, %0"},
      {"    uni 32 %1 = fadd %0, %0", "unknown words before a definition: uni 32 %1 = fadd %0, %0"},
      {"    24 %1 = fadd %0, %0", "unknown words before a definition: 24 %1 = fadd %0, %0"},
      {"    32x99 %1 = fadd %0, %0", "unknown words before a definition: 32x99 %1 = fadd %0, %0"},
      {"    loop  // mystery {", "unknown header of a loop, an if, or a function: loop  // mystery {"},
      {"    if %0  // mystery {", "unknown header of a loop, an if, or a function: if %0  // mystery {"},
      {"    if mystery {", "unknown header of a loop, an if, or a function: if mystery {"},
      {"    impl other {", "unknown header of a loop, an if, or a function: impl other {"},
      {"    block b7 mystery:", "unknown header of a block: block b7 mystery:"},
      {"    block b7: mystery", "unknown header of a block: block b7: mystery"},
      {"    switch %0 {", "unknown opening brace: switch %0 {"},
      {"    } else {", "unexpected closing brace: } else {"},
      {"    } continue {", "unexpected closing brace: } continue {"},
      {"    } mystery", "unexpected closing brace: } mystery"},
  };
  for (const auto& [line, error] : cases) {
    const std::string rest = absl::StrCat(error, "; NIR text must be the output of Mesa 22.3 to 26.2");
    EXPECT_EQ(Error26(line), absl::StrCat("NIR text not understood: line 6: ", rest));
    EXPECT_EQ(Error26(absl::StrCat("\n", line)), absl::StrCat("NIR text not understood: line 7: ", rest));
  }
}

TEST(NirTextReader, BracesAreBalanced) {
  const auto error = [](absl::string_view text) {
    return std::string(ReadNirText(text, "x", "test").status().message());
  };
  const std::string start = "shader: MESA_SHADER_FRAGMENT\nimpl main {\nblock b0:\n32 %0 = load_const (0x0)\n";
  EXPECT_EQ(error(absl::StrCat(start, "if %0 {\n} else {\n}\nloop {\n} continue {\n}\n}\n")), "");
  EXPECT_THAT(error(start), testing::HasSubstr("text ends inside braces: 1 open"));
  EXPECT_THAT(error(absl::StrCat(start, "loop {\n}\n")), testing::HasSubstr("text ends inside braces: 1 open"));
  EXPECT_THAT(error(absl::StrCat(start, "loop {\n")), testing::HasSubstr("text ends inside braces: 2 open"));
  EXPECT_THAT(error(absl::StrCat(start, "}\n}\n")), testing::HasSubstr("line 6: unexpected closing brace"));
  EXPECT_THAT(error(absl::StrCat(start, "if %0 {\n} else {\n} else {\n")),
              testing::HasSubstr("line 7: unexpected closing brace"));
  EXPECT_THAT(error(absl::StrCat(start, "loop {\n} else {\n")), testing::HasSubstr("line 6: unexpected closing brace"));
  EXPECT_THAT(error(absl::StrCat(start, "if %0 {\n} continue {\n")),
              testing::HasSubstr("line 6: unexpected closing brace"));
  // The next shader may not begin inside a function.
  EXPECT_THAT(error(absl::StrCat(start, start, "}\n")), testing::HasSubstr("line 5: text ends inside braces"));
  EXPECT_THAT(error("shader: MESA_SHADER_FRAGMENT\nstruct x {\n"), testing::HasSubstr("text ends inside braces"));
}

// In versions that do not print the flags of instructions, a comment is unknown even if it looks like flags.
TEST(NirTextReader, OldVersionsHaveNoFlagComments) {
  for (const char* comment : {" // mystery", "// exact"}) {
    const std::string text = absl::StrCat(
        "shader: MESA_SHADER_FRAGMENT\nsubgroup_size: 32\nimpl main {\nblock b0:\n32 %0 = @load_ubo ()\n"
        "32 %1 = fadd %0, %0",
        comment, "\n}\n");
    EXPECT_THAT(std::string(ReadNirText(text, "x", "test").status().message()),
                testing::HasSubstr("line 6: unknown comment on an instruction: // "));
  }
}

// If no instruction in the input is exact or preserving, each instruction has the flags whose bits are valid for its
// op.
TEST(NirTextReader, UnmarkedTextHasTheFlagsOfMesa26) {
  const ir::Shader shader = ReadText(
      "shader: MESA_SHADER_FRAGMENT\nmax_subgroup_size: 64\nimpl main {\nblock b0:\n32 %0 = @load_ubo ()\n"
      "32 %1 = i2f32 %0\n32 %2 = fadd %1, %1\n}\n");
  EXPECT_EQ(shader.version, "Mesa 25.3 to 26.2");
  EXPECT_EQ(Flags(shader, "i2f32"), ir::kNoSignedZero | ir::kNoInf);
  EXPECT_EQ(Flags(shader, "fadd"), kFast);
}

TEST(NirTextReader, ModesOfDerefs) {
  const auto use = [](absl::string_view deref) {
    const ir::Shader shader = ReadText(Mesa26(
        absl::StrCat("    32 %1 = ", deref, "\n    32 %2 = @load_deref (%1) (access=none)\n    @store_ssbo (%2, %0)")));
    return Opaque(shader, "load_input").size();
  };
  EXPECT_EQ(use("deref_var &a (shader_in vec4)"), 1u);
  EXPECT_EQ(use("deref_var &a (shader_in mediump vec4)"), 1u);
  EXPECT_EQ(use("deref_array &(*%0)[2] (shader_in vec4)  (in bounds)  // &a[2]"), 1u);
  EXPECT_EQ(use("deref_array &(*%0)[2] (shader_in vec4) /* &a[2] */"), 1u);
  EXPECT_EQ(use("deref_cast (vec4 *)%0 (shader_in vec4)  (ptr_stride=16, align_mul=4, align_offset=0)"), 1u);
  EXPECT_EQ(use("deref_array &(*%0)[2] (function_temp vec4)  (in bounds)"), 0u);
  EXPECT_EQ(use("deref_var &a (shader_in|shader_out vec4)"), 0u);
}

TEST(NirTextReader, RefusesOtherText) {
  EXPECT_FALSE(ReadNirText("", "x", "test").ok());
  EXPECT_FALSE(ReadNirText("void main() {}", "x", "test").ok());
  EXPECT_FALSE(LooksLikeNirText("void main() { /* shader: */ }"));
  EXPECT_TRUE(LooksLikeNirText(Sample("loop.nir")));
}

}  // namespace
}  // namespace rewrought::corpus

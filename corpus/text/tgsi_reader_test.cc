#include "corpus/text/tgsi_reader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

constexpr char kShader[] = R"(FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL CONST[0][0..3]
DCL TEMP[0..2], LOCAL
IMM[0] FLT32 {    1.0000,     0.5000,     0.0000,    -2.0000}
  0: MUL TEMP[0].xy, IN[0], CONST[0][1].yxxx
  1: ADD TEMP[0].zw, IN[0], -|IN[0].xxxy|
  2: DP4 TEMP[1].x, TEMP[0], IMM[0]
  3: MAD_SAT TEMP[1].yzw, TEMP[0], IMM[0].xxxx, TEMP[1].xxxx
  4: TEX TEMP[2], TEMP[1].xyyy, SAMP[0], 2D
  5: IF TEMP[2].xxxx :0
  6:   MOV TEMP[1], TEMP[2]
  7: ENDIF
  8: CMP OUT[0], TEMP[1], TEMP[2], CONST[0][ADDR[0].x+2]
  9: END
)";

std::string Ops(const ir::Shader& shader) {
  std::string text;
  for (const ir::Node& node : shader.values.nodes) {
    if (node.kind == ir::NodeKind::kOp)
      absl::StrAppend(&text, node.op->name, ":", static_cast<int>(node.components), " ");
  }
  return text;
}

ir::Shader One(absl::string_view text) {
  const absl::StatusOr<std::vector<ir::Shader>> shaders = ReadTgsi(text, "t", "s");
  EXPECT_TRUE(shaders.ok()) << shaders.status();
  EXPECT_EQ(shaders->size(), 1u);
  return (*shaders)[0];
}

TEST(TgsiReaderTest, RegistersBecomeValues) {
  const ir::Shader shader = One(kShader);
  EXPECT_EQ(shader.stage, "fragment");
  EXPECT_EQ(Ops(shader),
            "fmul:2 fabs:2 fneg:2 fadd:2 vec4:4 vec4:4 fdot4:1 vec3:3 fmul:3 fadd:3 fsat:3 vec4:4 flt:4 "
            "bcsel:4 ");
  EXPECT_EQ(shader.blocks.size(), 3u);
  EXPECT_TRUE(shader.notes.empty());
}

TEST(TgsiReaderTest, WhatIsNoTgsiIsNotTaken) {
  EXPECT_TRUE(LooksLikeTgsi(kShader));
  EXPECT_FALSE(LooksLikeTgsi("FRAG\nvoid main() {}\n"));
  EXPECT_FALSE(LooksLikeTgsi("#version 330\n"));
  EXPECT_FALSE(ReadTgsi("nothing", "t", "s").ok());
}

// After control flow, reading a register yields a different value than before.
TEST(TgsiReaderTest, RegistersAreReadAnewAcrossFlow) {
  const ir::Shader shader =
      One("VERT\nDCL IN[0]\n0: ADD TEMP[0].x, IN[0], IN[0]\n1: BGNLOOP\n2: ADD TEMP[0].x, TEMP[0], IN[0]\n3: ENDLOOP\n"
          "4: MOV OUT[0].x, TEMP[0]\n5: END\n");
  int reads = 0;
  for (const ir::ShaderValueInfo& info : shader.info) reads += info.opaque == "load_reg" ? 1 : 0;
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(shader.blocks[1].loop_depth, 1);
}

TEST(TgsiReaderTest, SuffixesAreTakenInLinearTime) {
  std::string text = "FRAG\nDCL x\n0: MOV";
  for (int i = 0; i < 1'000'000; ++i) text += "_SAT";
  EXPECT_TRUE(ReadTgsi(text + " OUT[0], IN[0]\n", "t", "s").ok());
}

TEST(TgsiReaderTest, HostileTextIsSurvived) {
  for (const char* text :
       {"FRAG\nDCL x\n0: ADD\n", "FRAG\nDCL x\n0: ADD TEMP[0\n", "FRAG\nIMM[0] FLT32 {a, b}\n",
        "FRAG\nDCL x\n0: MAD TEMP[0].qq, a, b, c\n1: IF\n2: ENDLOOP\n", "FRAG\nDCL x\n: : MOV , ,\n"}) {
    EXPECT_TRUE(ReadTgsi(text, "t", "s").ok()) << text;
  }
}

}  // namespace
}  // namespace rewrought::corpus

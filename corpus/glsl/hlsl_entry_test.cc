#include "corpus/glsl/hlsl_entry.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

std::string Entries(absl::string_view file, absl::string_view text) {
  std::string found;
  for (const HlslEntry& entry : HlslEntries(file, text)) {
    absl::StrAppend(&found, found.empty() ? "" : " ", entry.name, ":", StageName(entry.stage));
  }
  return found;
}

TEST(HlslEntry, SemanticsOfTheResultShowTheStage) {
  EXPECT_EQ(Entries("x.hlsl", "float4 main(float2 uv : TEXCOORD0) : SV_Target { return uv.xyxy; }"), "main:fragment");
  EXPECT_EQ(Entries("x.hlsl", "float4 f(float3 p : POSITION) : SV_POSITION { return p.xyzz; }"), "f:vertex");
  EXPECT_EQ(Entries("x.hlsl", "void f(float3 p : POSITION, out float4 o : SV_Position) { o = p.xyzz; }"), "f:vertex");
  EXPECT_EQ(Entries("x.fx", R"(
      struct Vertex { float4 position : SV_Position; float4 color : COLOR0; };
      cbuffer Constants : register(b0) { float4x4 matrix; };
      float helper(float x) { return x * 2; }
      Vertex VSMain(float3 p : POSITION) { Vertex v; v.position = mul(float4(p, helper(1)), matrix); return v; }
      float4 PSMain(Vertex v) : SV_Target0 { if (v.color.x < 0) { discard; } return v.color; })"),
            "VSMain:vertex PSMain:fragment");
}

TEST(HlslEntry, AttributesShowTheStage) {
  EXPECT_EQ(Entries("x.hlsl", "[numthreads(8, 8, 1)]\nvoid Blur(uint3 id : SV_DispatchThreadID) {}"), "Blur:compute");
  EXPECT_EQ(Entries("x.hlsl", "[shader(\"closesthit\")] void Hit(inout Payload p, in Attributes a) {}"),
            "Hit:closest_hit");
  EXPECT_EQ(Entries("x.hlsl", "[maxvertexcount(3)] void G(triangle V v[3], inout TriangleStream<V> s) { }"),
            "G:geometry");
  EXPECT_EQ(Entries("x.hlsl", "[domain(\"tri\")] [outputcontrolpoints(3)] P H(uint i : SV_OutputControlPointID) {}"),
            "H:tess_ctrl");
}

TEST(HlslEntry, NamesShowTheStageOfOtherFunctions) {
  EXPECT_EQ(Entries("x.hlsl", "void ShadowPS(float4 p : SV_Position) {}"), "ShadowPS:fragment");
  EXPECT_EQ(Entries("sky.vert.hlsl", "void main() {}"), "main:vertex");
  EXPECT_EQ(Entries("x.hlsl", "float square(float x) { return x * x; }"), "");
  EXPECT_EQ(Entries("x.hlsl", "float4 main(float2 uv : TEXCOORD0"), "");
}

TEST(HlslEntry, RecognizesTheLanguage) {
  EXPECT_TRUE(LooksLikeHlsl("float4 main() : SV_Target { return 0; }"));
  EXPECT_TRUE(LooksLikeHlsl("cbuffer B { float4 a; };"));
  EXPECT_TRUE(LooksLikeHlsl("Texture2D t : register(t0);"));
  EXPECT_TRUE(LooksLikeHlsl("float4 main(float2 uv : TEXCOORD0) : COLOR0 { return 0; }"));
  EXPECT_FALSE(LooksLikeHlsl("uniform vec4 SV_Target; void main() { gl_FragColor = SV_Target; }"));
  EXPECT_FALSE(LooksLikeHlsl("float x = a ? b : c;"));
}

}  // namespace
}  // namespace rewrought::corpus

#include "corpus/formats/input_kind.h"

#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

constexpr absl::string_view kFragment = "uniform vec4 c;\nvoid main() { gl_FragColor = c * 2.0; }\n";

TEST(InputKind, TheContentDecides) {
  EXPECT_EQ(KindOf("a.txt", FileBytes("corpus/samples/spirv/gl-transitions__circle_frag.spv")), InputKind::kSpirv);
  EXPECT_EQ(KindOf("a.spv", FileBytes("corpus/samples/nir/loop.nir")), InputKind::kNirText);
  EXPECT_EQ(KindOf("a.spv", "some text"), InputKind::kOther);
  EXPECT_EQ(KindOf("a.spv", ""), InputKind::kEmpty);
  EXPECT_EQ(KindOf("a", kFragment), InputKind::kGlsl);
  EXPECT_EQ(KindOf("a.js", kFragment), InputKind::kScript);
  EXPECT_EQ(KindOf("a", "[require]\n[fragment shader]\nvoid main() {}"), InputKind::kShaderTest);
  EXPECT_EQ(KindOf("a.frag", absl::string_view("\x7f\x45LF\0\0", 6)), InputKind::kOther);
  EXPECT_EQ(KindOf("a", "// comment\n\n#version 450\nvoid main() {}"), InputKind::kGlsl);
  EXPECT_EQ(KindOf("a.metal", "#version 450\nvoid main() {}"), InputKind::kGlsl);
  EXPECT_EQ(KindOf("a", "; SPIR-V\n; Version: 1.3\n               OpCapability Shader\n"), InputKind::kSpirvAssembly);
}

TEST(InputKind, TheNameDecidesAmongSources) {
  // These sources contain no word that is specific to GLSL.
  for (const char* name : {"a.frag", "a.vert", "a.comp", "a.geom", "a.tesc", "a.tese", "a.glsl", "a.vs", "a.fs",
                           "a.rgen", "a.rchit", "a.rmiss", "a.rahit", "a.rint", "a.rcall", "a.mesh", "a.task"}) {
    EXPECT_EQ(KindOf(name, "in float a; out float b;\nvoid main() { b = a; }"), InputKind::kGlsl) << name;
  }
  EXPECT_EQ(KindOf("a.glsl", "float square(float x) { return x * x; }"), InputKind::kGlsl);
  EXPECT_EQ(KindOf("a.hlsl", "float square(float x) { return x * x; }"), InputKind::kHlsl);
  EXPECT_EQ(KindOf("a.frag", "float4 main() : SV_Target { return 0; }"), InputKind::kHlsl);
  // Other languages and formats also use these extensions.
  EXPECT_EQ(KindOf("a.fs", "module Program\nlet square x = x * x\n"), InputKind::kOther);
  EXPECT_EQ(KindOf("a.mesh", "<mesh><submeshes/></mesh>"), InputKind::kOther);
  EXPECT_EQ(KindOf("a.cs", "class A { static void Main() {} }"), InputKind::kOther);
  EXPECT_EQ(KindOf("main.c", "void main(void) { return; }"), InputKind::kOther);
  EXPECT_EQ(KindOf("a.txt", "void main() { int x = 1; }"), InputKind::kOther);
}

TEST(InputKind, NamesOtherLanguages) {
  const std::pair<const char*, const char*> texts[][2] = {
      {{"a.wgsl", "fn f() {}"}, {"WGSL cannot be read: convert it with `naga", ""}},
      {{"a", "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }"}, {"WGSL", ""}},
      {{"a.metal", "kernel void f() {}"}, {"Metal cannot be read: ", ""}},
      {{"a.txt", "#include <metal_stdlib>\nusing namespace metal;"}, {"Metal", ""}},
      {{"a.cl", "kernel void f() {}"}, {"OpenCL C cannot be read: convert it with `clang", ""}},
      {{"a.cu", "__global__ void f() {}"}, {"CUDA", ""}},
      {{"a.slang", "float f;"}, {"Slang cannot be read: convert it with `slangc", ""}},
      {{"a.shader", "Shader \"A\" { SubShader { Pass { CGPROGRAM ENDCG } } }"}, {"Unity ShaderLab", ""}},
      {{"a.frag", "!!ARBfp1.0\nMOV result.color, 1;\nEND\n"}, {"an ARB assembly program", ""}},
      {{"a", "DXBC1234"}, {"DXBC or DXIL cannot be read: convert it with `vkd3d-compiler", ""}},
      {{"a.ll", "; ModuleID = 'a'\n"}, {"LLVM IR", ""}},
  };
  for (const auto& [input, expected] : texts) {
    EXPECT_EQ(KindOf(input.first, input.second), InputKind::kOther) << input.first;
    EXPECT_TRUE(absl::StartsWith(WhyUnreadable(input.first, input.second), expected.first))
        << WhyUnreadable(input.first, input.second);
  }
  // Documents and programs that mention a language are not shaders.
  EXPECT_EQ(WhyUnreadable("a.md", "WGSL marks entry points with @fragment"), "not a shader");
  EXPECT_EQ(WhyUnreadable("a.cpp", "const char* source = \"__kernel void f() {}\";"), "not a shader");
}

}  // namespace
}  // namespace rewrought::corpus

#include "corpus/glsl/glsl_port.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

TEST(GlslPort, StripsCommentsAndKeepsLines) {
  EXPECT_EQ(StripComments("a // b\nc /* d\n e */ f"), "a \nc  \n f");
  EXPECT_EQ(StripComments("a /* open"), "a  ");
}

TEST(GlslPort, KnowsVersions) {
  EXPECT_EQ(VersionOf("#version 330 core\n").number, 330);
  EXPECT_FALSE(VersionOf("#version 330 core\n").es);
  EXPECT_TRUE(VersionOf("\n # version 310 es").es);
  EXPECT_TRUE(VersionOf("#version 100").es);
  EXPECT_TRUE(VersionOf("precision highp float;").es);
  EXPECT_FALSE(VersionOf("// precision\nvoid main() {}").es);
}

TEST(GlslPort, RenamesOldKeywordsByStage) {
  const std::string vertex = PortGlsl("attribute vec4 p;\nvarying vec2 t;", GlslStage::kVertex, {});
  EXPECT_TRUE(absl::StrContains(vertex, "in vec4 p;\nout vec2 t;"));
  EXPECT_TRUE(absl::StrContains(PortGlsl("varying vec2 t;", GlslStage::kFragment, {}), "in vec2 t;"));
  EXPECT_TRUE(absl::StartsWith(vertex, "#version 450\n"));
}

TEST(GlslPort, RenamesTextureFunctionsOnlyWhereCalled) {
  const std::string text =
      PortGlsl("texture2DProjLod(s, c, l) + texture2D (s, c) + texture2D;", GlslStage::kFragment, {});
  EXPECT_TRUE(absl::StrContains(text, "textureProjLod(s, c, l) + texture (s, c) + texture2D;")) << text;
  EXPECT_TRUE(absl::StrContains(PortGlsl("textureCubeLodEXT(s, c, l)", GlslStage::kFragment, {}), "textureLod(s"));
  // Functions whose names only start with the name of a texture function are not renamed.
  EXPECT_TRUE(absl::StrContains(PortGlsl("texture2DBicubic(s)", GlslStage::kFragment, {}), "texture2DBicubic(s)"));
}

TEST(GlslPort, DeclaresOutputsUnlessTheSourceDoes) {
  const std::string text = PortGlsl("void main() { gl_FragColor = vec4(1); }", GlslStage::kFragment, {});
  EXPECT_TRUE(absl::StrContains(text, "out vec4 cgl_FragColor;"));
  const std::string own = PortGlsl("out vec4 c;\n#define gl_FragColor c\nvoid main() { gl_FragColor = vec4(1); }",
                                   GlslStage::kFragment, {});
  EXPECT_FALSE(absl::StrContains(own, "out vec4 cgl_FragColor")) << own;
}

TEST(GlslPort, GivesBothOldOutputsOneDeclaration) {
  const std::string source =
      "#ifdef MANY\nvoid main() { gl_FragData[1] = vec4(1); }\n#else\nvoid main() { gl_FragColor.x = 1.0; }\n#endif";
  const std::string text = PortGlsl(source, GlslStage::kFragment, {});
  EXPECT_TRUE(absl::StrContains(text, "out vec4 cgl_FragData[8];")) << text;
  EXPECT_FALSE(absl::StrContains(text, "cgl_FragColor")) << text;
  EXPECT_TRUE(absl::StrContains(text, "cgl_FragData[0].x = 1.0;")) << text;
  // In other stages, these names are not outputs.
  EXPECT_FALSE(absl::StrContains(PortGlsl(source, GlslStage::kVertex, {}), "cgl_FragData"));
}

TEST(GlslPort, DeclaresCompatibilityBuiltins) {
  const std::string text =
      PortGlsl("void main() { gl_Position = ftransform() + gl_MultiTexCoord3; }", GlslStage::kVertex, {});
  EXPECT_TRUE(absl::StrContains(text, "uniform mat4 cgl_ModelViewProjectionMatrix;"));
  EXPECT_TRUE(absl::StrContains(text, "in vec4 cgl_MultiTexCoord3;"));
  EXPECT_TRUE(absl::StrContains(text, "gl_Position = (cgl_ModelViewProjectionMatrix * cgl_Vertex)"));
}

TEST(GlslPort, RemovesPrecisionOutsideEs) {
  const std::string text = PortGlsl("precision mediump float; float x;", GlslStage::kFragment, {});
  EXPECT_FALSE(absl::StrContains(text, "precision"));
  EXPECT_TRUE(absl::StrContains(text, "float x;"));
  EXPECT_TRUE(absl::StrContains(PortGlsl("precision mediump float;", GlslStage::kFragment, {.es = true}), "mediump"));
}

TEST(GlslPort, DefinesUnknownMacrosOnRequest) {
  const std::string source = "#define KNOWN 2\n#ifdef USE_FOG\n#endif\n#if KNOWN > LEVEL\n#endif";
  const std::string text = PortGlsl(source, GlslStage::kFragment, {.define_unknown_macros = true});
  EXPECT_TRUE(absl::StrContains(text, "#define USE_FOG 1"));
  EXPECT_TRUE(absl::StrContains(text, "#define LEVEL 1"));
  EXPECT_FALSE(absl::StrContains(text, "#define KNOWN 1"));
}

TEST(GlslPort, RenamesReservedWordsButNoCalls) {
  const std::string text = PortGlsl("float sample = mix(a, b, c) * sample;\nflat in int i;", GlslStage::kFragment,
                                    {.rename_reserved = true});
  EXPECT_TRUE(absl::StrContains(text, "float u_sample_ = mix(a, b, c) * u_sample_;")) << text;
  EXPECT_TRUE(absl::StrContains(text, "flat in int i;"));
}

TEST(GlslPort, GuessesStages) {
  EXPECT_EQ(GuessStage("a/b.vert", ""), GlslStage::kVertex);
  EXPECT_EQ(GuessStage("b.fsh", ""), GlslStage::kFragment);
  EXPECT_EQ(GuessStage("b.glsl", "void main() { gl_Position = p; }"), GlslStage::kVertex);
  EXPECT_EQ(GuessStage("b.glsl", "void main() { gl_FragColor = p; }"), GlslStage::kFragment);
  EXPECT_EQ(GuessStage("b.glsl", "layout(local_size_x = 1) in; void main() {}"), GlslStage::kCompute);
  EXPECT_EQ(GuessStage("b.glsl", "vec4 transition (vec2 uv) { return getFromColor(uv); }"), GlslStage::kFragment);
  EXPECT_EQ(GuessStage("b.glsl", "float helper() { return 1.0; }"), std::nullopt);
  // Only a comment mentions gl_Position.
  EXPECT_EQ(GuessStage("b.glsl", "// gl_Position\nvoid main() { discard; }"), GlslStage::kFragment);
}

TEST(GlslPort, TheNameShowsTheLanguage) {
  for (const char* name : {"a.frag", "A.VERT", "dir.x/a.comp", "a.tesc", "a.tese", "a.geom", "a.glsl", "a.vert.glsl",
                           "a.rgen", "a.rchit", "a.rmiss", "a.rahit", "a.rint", "a.rcall", "z.tar/a.vsh"}) {
    EXPECT_EQ(IsGlslName(name), GlslName::kYes) << name;
  }
  for (const char* name : {"a.fs", "a.vs", "a.gs", "a.cs", "a.mesh", "a.task", "a.fp", "a.fragment"}) {
    EXPECT_EQ(IsGlslName(name), GlslName::kPossibly) << name;
  }
  for (const char* name : {"a", "frag", "a.frag/b", "a.frag.js", "a.txt", "a.cpp", "vert.c"}) {
    EXPECT_EQ(IsGlslName(name), GlslName::kNo) << name;
  }
}

TEST(GlslPort, GuessesStagesOfNames) {
  EXPECT_EQ(GuessStage("b.vert.glsl", "void main() { discard; }"), GlslStage::kVertex);
  EXPECT_EQ(GuessStage("b.rchit", ""), GlslStage::kClosestHit);
  EXPECT_EQ(GuessStage("b.mesh", ""), GlslStage::kMesh);
  EXPECT_EQ(GuessStage("b_cs.glsl", "void main() {}"), GlslStage::kCompute);
  EXPECT_EQ(GuessStage("SkyPS.txt", "void main() {}"), GlslStage::kFragment);
  EXPECT_EQ(GuessStage("VertexShader.glsl", "void main() {}"), GlslStage::kVertex);
  EXPECT_EQ(GuessStage("skyfrag.glsl", "void main() {}"), GlslStage::kFragment);
  EXPECT_EQ(GuessStage("b.glsl", "#pragma shader_stage(tesseval)\nvoid main() {}"), GlslStage::kTessEvaluation);
  // These names contain "rint", "mesh", and "vs" only as parts of words.
  EXPECT_EQ(GuessStage("print.glsl", "void main() {}"), std::nullopt);
  EXPECT_EQ(GuessStage("remesh.glsl", "void main() {}"), std::nullopt);
  EXPECT_EQ(GuessStage("advs.glsl", "void main() {}"), std::nullopt);
  // A script may contain several stages.
  EXPECT_EQ(GuessStage("b.vert.js", "void main() { discard; }"), GlslStage::kFragment);
}

TEST(GlslPort, CompletesTransitionsOnce) {
  const std::string text = CompleteSource("vec4 transition(vec2 p) { return getToColor(p); }");
  EXPECT_TRUE(absl::StrContains(text, "void main()"));
  const std::string whole = "vec4 transition(vec2 p) { return vec4(p, p); }\nvoid main() {}";
  EXPECT_EQ(CompleteSource(whole), whole);
}

}  // namespace
}  // namespace rewrought::corpus

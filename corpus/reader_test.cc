#include "corpus/reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/glsl/include_expander.h"
#include "gtest/gtest.h"

namespace rewrought::corpus {
namespace {

namespace fs = std::filesystem;

std::string FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

constexpr absl::string_view kFragment = "uniform vec4 c;\nvoid main() { gl_FragColor = c * 2.0; }\n";

class ReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(std::getenv("TEST_TMPDIR")) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void Write(const std::string& name, absl::string_view bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // Creates an archive of `files`. `filter` and `format` are the libarchive functions that select the compression and
  // the format.
  std::string Pack(const std::vector<std::pair<std::string, std::string>>& files, int (*filter)(archive*),
                   int (*format)(archive*)) {
    const std::string path = (folder_ / "packed.bin").string();
    archive* writer = archive_write_new();
    filter(writer);
    format(writer);
    EXPECT_EQ(archive_write_open_filename(writer, path.c_str()), ARCHIVE_OK);
    for (const auto& [name, bytes] : files) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, name.c_str());
      archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
      archive_entry_set_filetype(entry, AE_IFREG);
      archive_entry_set_perm(entry, 0644);
      archive_write_header(writer, entry);
      archive_write_data(writer, bytes.data(), bytes.size());
      archive_entry_free(entry);
    }
    archive_write_close(writer);
    archive_write_free(writer);
    return path;
  }
  ReadReport Read(const std::string& path, const std::string& source = "") {
    ReadReport report;
    ReadOptions options;
    options.source = source;
    shaders_.clear();
    ReadBytes(
        path, FileBytes(path), options, [this](ir::Shader shader) { shaders_.push_back(std::move(shader)); }, &report);
    return report;
  }

  fs::path folder_;
  std::vector<ir::Shader> shaders_;
};

TEST_F(ReaderTest, SaysWhatItSkipped) {
  const std::string spirv = FileBytes("corpus/samples/spirv/gl-transitions__circle_frag.spv");
  const ReadReport report = Read(Pack({{"a/c.spv", spirv},
                                       {"a/d.nir", FileBytes("corpus/samples/nir/vec4_vertex.nir")},
                                       {"b.frag", std::string(kFragment)},
                                       {"broken.frag", "uniform vec4 c; void main() { gl_FragColor = c }"},
                                       {"cut.spv", spirv.substr(0, 400)},
                                       {"text.spv", "no shader at all"},
                                       {"empty", ""},
                                       {"same.frag", std::string(kFragment)}},
                                      archive_write_add_filter_none, archive_write_set_format_ustar));
  EXPECT_EQ(report.files, 9u);  // the archive and its members
  EXPECT_EQ(report.shaders, 3u);
  ASSERT_EQ(shaders_.size(), 3u);
  EXPECT_TRUE(absl::EndsWith(shaders_[0].name, "a/c.spv"));
  const std::map<std::string, uint64_t> reasons = {{"GLSL does not compile", 1},
                                                   {"not valid SPIR-V", 1},
                                                   {"not a shader", 1},
                                                   {"empty file", 1},
                                                   {"same as one already read", 1}};
  EXPECT_EQ(report.reasons, reasons);
  ASSERT_EQ(report.skipped.size(), 5u);
  EXPECT_TRUE(absl::EndsWith(report.skipped[0].name, "broken.frag"));
  EXPECT_GT(report.ops.at("fmul"), 0u);
  EXPECT_GT(report.opaque.at("load_input"), 0u);
}

TEST_F(ReaderTest, ReadsArchives) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"x/one.nir", FileBytes("corpus/samples/nir/loop.nir")},
      {"x/two.frag", std::string(kFragment)},
      {"readme", "hi"}};
  const std::pair<int (*)(archive*), int (*)(archive*)> kinds[] = {
      {archive_write_add_filter_xz, archive_write_set_format_ustar},
      {archive_write_add_filter_gzip, archive_write_set_format_pax_restricted},
      {archive_write_add_filter_none, archive_write_set_format_zip}};
  for (const auto& [filter, format] : kinds) {
    const ReadReport report = Read(Pack(files, filter, format), "mine");
    EXPECT_EQ(report.shaders, 2u);
    EXPECT_EQ(report.files, 4u);  // the archive and its members
    ASSERT_EQ(shaders_.size(), 2u);
    EXPECT_EQ(shaders_[0].source, "mine");
    EXPECT_TRUE(absl::EndsWith(shaders_[0].name, "packed.bin/x/one.nir")) << shaders_[0].name;
  }
}

TEST_F(ReaderTest, ReadsACompressedFileAndReportsDamage) {
  const std::string nir = FileBytes("corpus/samples/nir/loop.nir");
  const std::string path = Pack({{"one.nir", nir}}, archive_write_add_filter_xz, archive_write_set_format_raw);
  EXPECT_EQ(Read(path).shaders, 1u);
  const std::string packed = FileBytes(path);
  Write("cut.tar.xz", packed.substr(0, packed.size() / 2));
  const ReadReport report = Read((folder_ / "cut.tar.xz").string());
  EXPECT_EQ(report.shaders, 0u);
  EXPECT_EQ(report.skipped.size(), 1u);
}

TEST_F(ReaderTest, PassesOverLargeMembers) {
  const std::string path = Pack({{"big", std::string(100000, 'x')}, {"two.frag", std::string(kFragment)}},
                                archive_write_add_filter_gzip, archive_write_set_format_ustar);
  ReadReport report;
  ReadOptions options;
  options.archive.member_bytes = 1000;
  ReadBytes(
      path, FileBytes(path), options, [](ir::Shader) {}, &report);
  EXPECT_EQ(report.shaders, 1u);
  EXPECT_EQ(report.reasons.at("archive member too large"), 1u);
}

// Skipped members are also unpacked and counted. A small member with a high ratio does not prevent the next member from
// being counted.
TEST_F(ReaderTest, EndsWhereAnArchiveUnpacksToTooMuch) {
  const std::string path = Pack({{"one.frag", std::string(kFragment)}, {"big", std::string(3 << 20, 'x')}},
                                archive_write_add_filter_gzip, archive_write_set_format_ustar);
  const auto read = [&](ReadOptions options) {
    ReadReport report;
    ReadBytes(
        path, FileBytes(path), options, [](ir::Shader) {}, &report);
    return report;
  };
  ReadOptions options;
  options.archive.slack = 1 << 20;
  options.archive.ratio = 2;
  const ReadReport bomb = read(options);
  EXPECT_EQ(bomb.shaders, 1u);
  EXPECT_EQ(bomb.reasons.at("archive exceeds a limit"), 1u);
  EXPECT_TRUE(absl::StrContains(bomb.skipped.back().reason, "or 2 times; unpack it and harvest the folder"))
      << bomb.skipped.back().reason;
  options.archive.member_bytes = 1000;
  EXPECT_EQ(read(options).reasons.at("archive exceeds a limit"), 1u);
  options.archive.ratio = 1000000;
  EXPECT_EQ(read(options).reasons.at("archive member too large"), 1u);
  options.archive.seconds = 0;
  EXPECT_TRUE(absl::StrContains(read(options).skipped.back().reason, "more than 0 s of unpacking"));
}

TEST_F(ReaderTest, RefusesWhatIsCompressedTwiceOrPackedInAnArchive) {
  const auto gzip = [&](const std::string& bytes) {
    return FileBytes(Pack({{"x", bytes}}, archive_write_add_filter_gzip, archive_write_set_format_raw));
  };
  const std::string tar = FileBytes(
      Pack({{"x.frag", std::string(kFragment)}}, archive_write_add_filter_gzip, archive_write_set_format_ustar));
  Write("twice.gz", gzip(tar));
  const ReadReport twice = Read((folder_ / "twice.gz").string());
  EXPECT_EQ(twice.shaders, 0u);
  EXPECT_EQ(twice.reasons.at("compressed more than once; unpack it and harvest the folder"), 1u);
  const ReadReport nested =
      Read(Pack({{"in.tar.gz", tar}}, archive_write_add_filter_none, archive_write_set_format_ustar));
  EXPECT_EQ(nested.shaders, 0u);
  EXPECT_EQ(nested.reasons.at("archive inside an archive"), 1u);
  ReadReport member;
  ReadOptions options;
  options.in_archive = true;
  ReadBytes(
      "in.tar.gz", tar, options, [](ir::Shader) {}, &member);
  EXPECT_EQ(member.reasons.at("archive inside an archive"), 1u);
}

// Returns a shader whose functions each call the previous function twice. Inlining twelve such functions creates 4,096
// copies of the first one.
std::string Doubling(int functions) {
  std::string text =
      "#version 450\nlayout(location=0) in vec4 a;\nlayout(location=0) out vec4 o;\nvec4 f0(vec4 x){return x*x+a;}\n";
  for (int i = 1; i <= functions; ++i) {
    absl::StrAppend(&text, "vec4 f", i, "(vec4 x){return f", i - 1, "(x)+f", i - 1, "(x.yzwx);}\n");
  }
  return absl::StrCat(text, "void main(){o=f", functions, "(a);}\n");
}

TEST_F(ReaderTest, CountsWhatCallsComeTo) {
  GlslCompilers compilers;
  ReadOptions options;
  options.glsl.compilers = &compilers;
  options.glsl.limits.seconds = 5;
  for (const int functions : {3, 12, 16, 60}) {
    ReadReport report;
    const auto start = std::chrono::steady_clock::now();
    ReadBytes(
        "f.frag", Doubling(functions), options, [](ir::Shader) {}, &report);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_LT(seconds, 25) << functions;
    EXPECT_EQ(report.shaders, functions == 3 ? 1u : 0u);
    if (functions == 3) continue;
    EXPECT_TRUE(absl::StrContains(report.skipped[0].reason, functions == 12 ? "more than" : "with its calls inlined"))
        << report.skipped[0].reason;
  }
}

TEST_F(ReaderTest, AFilesTimeIsSharedByWhatItHolds) {
  std::string script;
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(&script, "a", i, "='uniform vec4 c; void main() { gl_FragColor = c * ", i, ".0; }';\n");
  }
  ReadOptions options;
  options.seconds = 1e-9;
  ReadReport report;
  ReadBytes(
      "s.js", script, options, [](ir::Shader) {}, &report);
  EXPECT_EQ(report.shaders, 0u);
  EXPECT_EQ(report.reasons.at("file takes too long"), 4u);
  EXPECT_EQ(report.reasons.at("GLSL takes too long to compile"), 1u);
}

// Each of these strings is a shader in a different language or stage.
TEST_F(ReaderTest, ReadsTheLanguages) {
  const std::pair<const char*, const char*> texts[] = {
      // GLSL without a uniform, a built-in variable, or a vector type.
      {"plain.frag",
       "#version 450\nlayout(location = 0) in float a; layout(location = 0) out float o;\n"
       "void main() { o = a * a + 1.0; }"},
      {"plain.txt",
       "#version 310 es\nlayout(location = 0) in highp float a; layout(location = 0) out highp float o;\n"
       "void main() { o = a * a + 1.0; }"},
      {"two.vert", "attribute float a; varying float o;\nvoid main() { o = a * a + 1.0; }"},
      {"ray.rgen",
       "#version 460\n#extension GL_EXT_ray_tracing : require\n"
       "layout(binding = 0) uniform B { float o; float a; } b; layout(binding = 1, rgba8) uniform image2D i;\n"
       "void main() { imageStore(i, ivec2(gl_LaunchIDEXT.xy), vec4(b.a * b.a + 1.0)); }"},
      {"hit.rchit",
       "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location = 0) rayPayloadInEXT float o;\n"
       "hitAttributeEXT vec2 a;\nvoid main() { o = a.x * a.x + 1.0; }"},
      {"miss.rmiss",
       "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location = 0) rayPayloadInEXT float o;\n"
       "void main() { o = o * o + 1.0; }"},
      {"box.mesh",
       "#version 450\n#extension GL_EXT_mesh_shader : require\n"
       "layout(local_size_x = 1) in; layout(triangles, max_vertices = 3, max_primitives = 1) out;\n"
       "void main() { SetMeshOutputsEXT(3, 1); float a = float(gl_LocalInvocationIndex);\n"
       "gl_MeshVerticesEXT[0].gl_Position = vec4(a * a + 1.0);\n"
       "gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2); }"},
      {"box.task",
       "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 1) in;\n"
       "struct P { float o; }; taskPayloadSharedEXT P p;\n"
       "void main() { float a = float(gl_WorkGroupID.x); p.o = a * a + 1.0; EmitMeshTasksEXT(1, 1, 1); }"},
      {"blur.hlsl",
       "RWStructuredBuffer<float> o : register(u0);\n[numthreads(64, 1, 1)]\n"
       "void Blur(uint3 i : SV_DispatchThreadID) { float a = o[i.x]; o[i.x] = a * a + 1.0; }"},
      {"pixel.frag", "float4 main(float a : TEXCOORD0) : SV_Target { return a * a + 1.0; }"},
      {"any.spvasm",
       "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %i %o\n"
       "OpExecutionMode %main OriginUpperLeft\nOpDecorate %i Location 0\nOpDecorate %o Location 0\n"
       "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f = OpTypeFloat 32\n%in = OpTypePointer Input %f\n"
       "%out = OpTypePointer Output %f\n%i = OpVariable %in Input\n%o = OpVariable %out Output\n"
       "%one = OpConstant %f 1\n%main = OpFunction %void None %fn\n%l = OpLabel\n%a = OpLoad %f %i\n"
       "%m = OpFMul %f %a %a\n%s = OpFAdd %f %m %one\nOpStore %o %s\nOpReturn\nOpFunctionEnd\n"},
  };
  GlslCompilers compilers;
  for (const bool worker : {true, false}) {
    for (const auto& [name, text] : texts) {
      // Starting the compiler for each source takes time, so only a few sources are read without a worker.
      if (!worker && !absl::EndsWith(name, ".hlsl") && !absl::EndsWith(name, ".mesh") && !absl::EndsWith(name, "asm")) {
        continue;
      }
      ReadReport report;
      ReadOptions options;
      if (worker) options.glsl.compilers = &compilers;
      ReadBytes(
          name, text, options, [](ir::Shader) {}, &report);
      EXPECT_EQ(report.shaders, 1u) << name << ": " << (report.skipped.empty() ? "" : report.skipped[0].reason);
      EXPECT_EQ(report.ops["fmul"], 1u) << name;
      EXPECT_EQ(report.ops["fadd"], 1u) << name;
    }
  }
}

// Line numbers and errors must name the right file, even if the source is ported or compiled without a worker.
TEST_F(ReaderTest, ReadsExpandedIncludes) {
  const auto find = [](absl::string_view name, absl::string_view) -> absl::StatusOr<IncludedFile> {
    return IncludedFile{std::string(name), "\n\n\n\n\n\nfloat cube(float x) {\n  return x * x * BAD;\n}\n"};
  };
  GlslCompilers compilers;
  for (const char* head :
       {"#version 450\nin float a; out float o;\n", "varying float a;\n#define o gl_FragColor.x\n"}) {
    const std::string text = absl::StrCat(head, "#include \"cube.glsl\"\nvoid main() {\n  o = cube(a) + 1.0;\n}\n");
    for (const bool worker : {true, false}) {
      if (!worker && !absl::StartsWith(head, "#version")) continue;
      for (const bool good : {true, false}) {
        const std::string defined = absl::StrCat(head, good ? "#define BAD x\n" : "\n", text.substr(strlen(head)));
        const absl::StatusOr<std::string> expanded = ExpandIncludes(defined, "x.frag", SourceLanguage::kGlsl, find);
        ASSERT_TRUE(expanded.ok());
        ReadReport report;
        ReadOptions options;
        if (worker) options.glsl.compilers = &compilers;
        std::map<std::string, int> lines;
        ReadBytes(
            "x.frag", *expanded, options,
            [&](const ir::Shader& shader) {
              for (size_t i = 0; i < shader.values.nodes.size(); ++i) {
                const ir::Node& node = shader.values.nodes[i];
                if (node.kind == ir::NodeKind::kOp) lines[node.op->name] = shader.info[i].line;
              }
            },
            &report);
        if (good) {
          ASSERT_EQ(report.shaders, 1u) << report.skipped[0].reason;
          EXPECT_EQ(lines["fadd"], 6);
          EXPECT_EQ(lines["fmul"], 0);
        } else {
          ASSERT_EQ(report.skipped.size(), 1u);
          EXPECT_TRUE(absl::StartsWith(report.skipped[0].reason, "GLSL does not compile: cube.glsl line 8: 'BAD'"))
              << report.skipped[0].reason;
        }
      }
    }
  }
}

TEST_F(ReaderTest, ReadsEachEntryPointOfHlsl) {
  Write("sky.hlsl",
        "struct V { float4 p : SV_Position; float c : COLOR; };\n"
        "V VSMain(float3 p : POSITION) { V v; v.p = float4(p * 2, 1); v.c = p.x * p.y; return v; }\n"
        "float4 PSMain(V v) : SV_Target { return sqrt(v.c); }\n"
        "float4 Wrong(V v) : SV_Target { return nonsense; }\n");
  const ReadReport report = Read((folder_ / "sky.hlsl").string());
  EXPECT_EQ(report.shaders, 0u);  // glslang compiles the whole file for each entry point
  ASSERT_EQ(report.skipped.size(), 3u);
  EXPECT_TRUE(absl::EndsWith(report.skipped[0].name, "sky.hlsl:VSMain"));
  EXPECT_TRUE(absl::StartsWith(report.skipped[2].reason, "HLSL does not compile: line 4: 'nonsense'"))
      << report.skipped[2].reason;
  std::string good = FileBytes((folder_ / "sky.hlsl").string());
  Write("good.hlsl", good.substr(0, good.rfind("float4 Wrong")));
  Read((folder_ / "good.hlsl").string());
  ASSERT_EQ(shaders_.size(), 2u);
  EXPECT_EQ(shaders_[0].stage, "vertex");
  EXPECT_EQ(shaders_[1].stage, "fragment");
  EXPECT_TRUE(absl::EndsWith(shaders_[1].name, "good.hlsl:PSMain")) << shaders_[1].name;
}

TEST_F(ReaderTest, NamesTheLineOfWrongAssembly) {
  Write("a.spvasm", "OpCapability Shader\nOpNonsense\n");
  const ReadReport report = Read((folder_ / "a.spvasm").string());
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_TRUE(absl::StartsWith(report.skipped[0].reason, "SPIR-V assembly is invalid: line 2: "))
      << report.skipped[0].reason;
}

// Versions before 1.4 list fewer variables in the interface of an entry point. Assembly text does not always state its
// version.
TEST_F(ReaderTest, ReadsAssemblyOfAnyVersion) {
  const std::string text =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
      "OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %s BufferBlock\nOpMemberDecorate %s 0 Offset 0\n"
      "OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
      "%f = OpTypeFloat 32\n%s = OpTypeStruct %f\n%p = OpTypePointer Uniform %s\n%pf = OpTypePointer Uniform %f\n"
      "%b = OpVariable %p Uniform\n%i = OpTypeInt 32 0\n%zero = OpConstant %i 0\n%main = OpFunction %void None %fn\n"
      "%l = OpLabel\n%q = OpAccessChain %pf %b %zero\n%a = OpLoad %f %q\n%m = OpFMul %f %a %a\nOpStore %q %m\n"
      "OpReturn\nOpFunctionEnd\n";
  Write("old.spvasm", text);
  EXPECT_EQ(Read((folder_ / "old.spvasm").string()).shaders, 1u);
  Write("stated.spvasm", "; SPIR-V\n; Version: 1.0\n" + text);
  EXPECT_EQ(Read((folder_ / "stated.spvasm").string()).shaders, 1u);
}

TEST_F(ReaderTest, NamesPartsOfShaders) {
  Write("common.glsl", "float square(float x) { return x * x; }\n");
  const ReadReport glsl = Read((folder_ / "common.glsl").string());
  EXPECT_EQ(glsl.reasons.at("GLSL without a main function"), 1u);
  Write("common.hlsl", "float square(float x) { return x * x; }\n");
  const ReadReport hlsl = Read((folder_ / "common.hlsl").string());
  EXPECT_EQ(hlsl.reasons.at("HLSL without an entry point"), 1u);
  Write("hit.hlsl", "[shader(\"closesthit\")] void Hit(inout float3 p, in float2 a) {}\n");
  const ReadReport ray = Read((folder_ / "hit.hlsl").string());
  EXPECT_EQ(ray.reasons.at("HLSL for ray tracing and mesh shaders cannot be read"), 1u);
}

TEST_F(ReaderTest, ReadsScripts) {
  Write("index.js",
        "a='uniform vec4 c; void main() { gl_FragColor = c + 1.0; }';\n"
        "b=`uniform vec4 c; void main() { gl_FragColor = c + ${x}; }`;");
  const ReadReport report = Read((folder_ / "index.js").string());
  EXPECT_EQ(shaders_.size(), 1u);
  EXPECT_EQ(report.reasons.at("GLSL in a script"), 1u);
}

TEST_F(ReaderTest, ReadsShaderTests) {
  Write("t.shader_test",
        "[require]\nGLSL >= 1.10\n[vertex shader]\nvoid main() { gl_Position = gl_Vertex * 2.0; }\n"
        "[fragment shader]\nvoid main() { gl_FragColor = vec4(0.5) + gl_FragCoord; }\n[test]\n");
  Read((folder_ / "t.shader_test").string());
  ASSERT_EQ(shaders_.size(), 2u);
  EXPECT_EQ(shaders_[0].stage, "vertex");
  EXPECT_EQ(shaders_[1].stage, "fragment");
  EXPECT_TRUE(absl::EndsWith(shaders_[1].name, "t.shader_test:fragment"));
}

}  // namespace
}  // namespace rewrought::corpus

#include "corpus/glsl/glsl_builtins.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace rewrought::corpus {
namespace {

// A built-in and the declaration that replaces it. `vertex` and `fragment` are the text before the new name ("in
// vec4"), or null if the stage does not have the built-in. `array` is the text after the name.
struct Builtin {
  absl::string_view name;
  const char* vertex;
  const char* fragment;
  const char* array;
};

constexpr const char* kLight =
    "struct cgl_LightParameters { vec4 ambient, diffuse, specular, position, halfVector; vec3 spotDirection; "
    "float spotExponent, spotCutoff, spotCosCutoff, constantAttenuation, linearAttenuation, quadraticAttenuation; }; "
    "uniform cgl_LightParameters";
constexpr const char* kFog =
    "struct cgl_FogParameters { vec4 color; float density, start, end, scale; }; "
    "uniform cgl_FogParameters";
constexpr const char* kFront =
    "struct cgl_FrontParameters { vec4 emission, ambient, diffuse, specular; float shininess; "
    "}; uniform cgl_FrontParameters";
constexpr const char* kBack =
    "struct cgl_BackParameters { vec4 emission, ambient, diffuse, specular; float shininess; "
    "}; uniform cgl_BackParameters";
constexpr const char* kModel = "struct cgl_ModelParameters { vec4 ambient; }; uniform cgl_ModelParameters";
constexpr const char* kFrontModel = "struct cgl_FrontModel { vec4 sceneColor; }; uniform cgl_FrontModel";
constexpr const char* kBackModel = "struct cgl_BackModel { vec4 sceneColor; }; uniform cgl_BackModel";
constexpr const char* kFrontProduct =
    "struct cgl_FrontProduct { vec4 ambient, diffuse, specular; }; uniform cgl_FrontProduct";

constexpr Builtin kBuiltins[] = {
    {"gl_Vertex", "in vec4", nullptr, ""},
    {"gl_Normal", "in vec3", nullptr, ""},
    {"gl_Color", "in vec4", "in vec4", ""},
    {"gl_SecondaryColor", "in vec4", "in vec4", ""},
    {"gl_TexCoord", "out vec4", "in vec4", "[8]"},
    {"gl_FrontColor", "out vec4", nullptr, ""},
    {"gl_BackColor", "out vec4", nullptr, ""},
    {"gl_FrontSecondaryColor", "out vec4", nullptr, ""},
    {"gl_BackSecondaryColor", "out vec4", nullptr, ""},
    {"gl_FogFragCoord", "out float", "in float", ""},
    {"gl_ClipVertex", "out vec4", nullptr, ""},
    {"gl_FogCoord", "in float", nullptr, ""},
    {"gl_NormalMatrix", "uniform mat3", "uniform mat3", ""},
    {"gl_NormalScale", "uniform float", "uniform float", ""},
    {"gl_LightSource", kLight, kLight, "[8]"},
    {"gl_Fog", kFog, kFog, ""},
    {"gl_FrontMaterial", kFront, kFront, ""},
    {"gl_BackMaterial", kBack, kBack, ""},
    {"gl_LightModel", kModel, kModel, ""},
    {"gl_FrontLightModelProduct", kFrontModel, kFrontModel, ""},
    {"gl_BackLightModelProduct", kBackModel, kBackModel, ""},
    {"gl_FrontLightProduct", kFrontProduct, kFrontProduct, "[8]"},
};

constexpr absl::string_view kMatrices[] = {"ModelView", "Projection", "ModelViewProjection", "Texture"};
constexpr absl::string_view kForms[] = {"", "Inverse", "Transpose", "InverseTranspose"};

constexpr absl::string_view kReserved[] = {
    "texture",  "sample",    "input",    "output",     "filter",     "common",    "partition",   "active", "smooth",
    "patch",    "buffer",    "shared",   "precise",    "resource",   "coherent",  "half",        "mix",    "noise",
    "flat",     "centroid",  "superp",   "union",      "class",      "template",  "this",        "goto",   "inline",
    "external", "fixed",     "resize",   "interface",  "typedef",    "asm",       "enum",        "extern", "image",
    "round",    "trunc",     "isnan",    "isinf",      "inverse",    "transpose", "determinant", "sinh",   "cosh",
    "tanh",     "fma",       "mod",      "textureLod", "sampler",    "pixel",     "cast",        "using",  "namespace",
    "readonly", "writeonly", "volatile", "restrict",   "subroutine",
};

}  // namespace

std::string CompatibilityDeclaration(absl::string_view name, GlslStage stage) {
  const bool fragment = stage == GlslStage::kFragment;
  for (const Builtin& builtin : kBuiltins) {
    if (builtin.name != name) continue;
    const char* const before = fragment ? builtin.fragment : builtin.vertex;
    return before == nullptr ? std::string() : absl::StrCat(before, " c", name, builtin.array, ";");
  }
  absl::string_view rest = name;
  if (!absl::ConsumePrefix(&rest, "gl_")) return "";
  for (absl::string_view matrix : kMatrices) {
    for (absl::string_view form : kForms) {
      if (rest == absl::StrCat(matrix, "Matrix", form)) {
        return absl::StrCat("uniform mat4 c", name, matrix == "Texture" ? "[8];" : ";");
      }
    }
  }
  const bool coordinate = absl::ConsumePrefix(&rest, "MultiTexCoord");
  if (coordinate && rest.size() == 1 && rest[0] >= '0' && rest[0] <= '7' && !fragment) {
    return absl::StrCat("in vec4 c", name, ";");
  }
  const bool plane = absl::ConsumePrefix(&rest, "ObjectPlane") || absl::ConsumePrefix(&rest, "EyePlane");
  if (plane && rest.size() == 1 && absl::StrContains("STRQ", rest)) return absl::StrCat("uniform vec4 c", name, "[8];");
  return "";
}

bool IsReservedSince(absl::string_view word) {
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

}  // namespace rewrought::corpus

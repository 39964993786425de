#include "tools/driver_rig/runner/gl_context.h"

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <fcntl.h>
#include <gbm.h>
#include <unistd.h>

#include <algorithm>

namespace driver_rig {
namespace {

// The GL functions that the runner uses, looked up once a context is current.
struct Calls {
#define DRIVER_RIG_CALL(type, name) type name = nullptr
  DRIVER_RIG_CALL(PFNGLATTACHSHADERPROC, AttachShader);
  DRIVER_RIG_CALL(PFNGLCOMPILESHADERPROC, CompileShader);
  DRIVER_RIG_CALL(PFNGLCREATEPROGRAMPROC, CreateProgram);
  DRIVER_RIG_CALL(PFNGLCREATESHADERPROC, CreateShader);
  DRIVER_RIG_CALL(PFNGLDEBUGMESSAGECALLBACKPROC, DebugMessageCallback);
  DRIVER_RIG_CALL(PFNGLDEBUGMESSAGECONTROLPROC, DebugMessageControl);
  DRIVER_RIG_CALL(PFNGLDELETEPROGRAMPROC, DeleteProgram);
  DRIVER_RIG_CALL(PFNGLDELETESHADERPROC, DeleteShader);
  DRIVER_RIG_CALL(PFNGLGETPROGRAMINFOLOGPROC, GetProgramInfoLog);
  DRIVER_RIG_CALL(PFNGLGETPROGRAMIVPROC, GetProgramiv);
  DRIVER_RIG_CALL(PFNGLGETSHADERINFOLOGPROC, GetShaderInfoLog);
  DRIVER_RIG_CALL(PFNGLGETSHADERIVPROC, GetShaderiv);
  DRIVER_RIG_CALL(PFNGLLINKPROGRAMPROC, LinkProgram);
  DRIVER_RIG_CALL(PFNGLPROGRAMPARAMETERIPROC, ProgramParameteri);
  DRIVER_RIG_CALL(PFNGLSHADERSOURCEPROC, ShaderSource);
#undef DRIVER_RIG_CALL
  void (*Enable)(GLenum) = nullptr;
  const GLubyte* (*GetString)(GLenum) = nullptr;
};

Calls gl;

template <typename Function>
void Find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(eglGetProcAddress(name));
}

void FindAll() {
#define DRIVER_RIG_FIND(name) Find(gl.name, "gl" #name)
  DRIVER_RIG_FIND(AttachShader);
  DRIVER_RIG_FIND(CompileShader);
  DRIVER_RIG_FIND(CreateProgram);
  DRIVER_RIG_FIND(CreateShader);
  DRIVER_RIG_FIND(DebugMessageCallback);
  DRIVER_RIG_FIND(DebugMessageControl);
  DRIVER_RIG_FIND(DeleteProgram);
  DRIVER_RIG_FIND(DeleteShader);
  DRIVER_RIG_FIND(GetProgramInfoLog);
  DRIVER_RIG_FIND(GetProgramiv);
  DRIVER_RIG_FIND(GetShaderInfoLog);
  DRIVER_RIG_FIND(GetShaderiv);
  DRIVER_RIG_FIND(LinkProgram);
  DRIVER_RIG_FIND(ProgramParameteri);
  DRIVER_RIG_FIND(ShaderSource);
  DRIVER_RIG_FIND(Enable);
  DRIVER_RIG_FIND(GetString);
#undef DRIVER_RIG_FIND
  // In ES contexts before 3.2, the names of KHR_debug's functions end in KHR.
  if (gl.DebugMessageCallback == nullptr) Find(gl.DebugMessageCallback, "glDebugMessageCallbackKHR");
  if (gl.DebugMessageControl == nullptr) Find(gl.DebugMessageControl, "glDebugMessageControlKHR");
}

// Collects the drivers' reports, which are notifications; the GLSL compiler's warnings have a higher severity. A
// callback is necessary because the log keeps only ten messages, and a program with five stages can cause more.
void OnMessage(GLenum source, GLenum type, GLuint, GLenum severity, GLsizei length, const GLchar* text,
               const void* user) {
  if (source != GL_DEBUG_SOURCE_SHADER_COMPILER || type != GL_DEBUG_TYPE_OTHER) return;
  if (severity != GL_DEBUG_SEVERITY_NOTIFICATION) return;
  auto* messages = static_cast<std::vector<std::string>*>(const_cast<void*>(user));
  std::string message(text, length);
  while (!message.empty() && (message.back() == '\n' || message.back() == '\0')) message.pop_back();
  messages->push_back(std::move(message));
}

std::vector<std::string> collected;

GLenum TypeOf(Stage stage) {
  switch (stage) {
    case Stage::kVertex:
      return GL_VERTEX_SHADER;
    case Stage::kTessControl:
      return GL_TESS_CONTROL_SHADER;
    case Stage::kTessEvaluation:
      return GL_TESS_EVALUATION_SHADER;
    case Stage::kGeometry:
      return GL_GEOMETRY_SHADER;
    case Stage::kFragment:
      return GL_FRAGMENT_SHADER;
    case Stage::kCompute:
      return GL_COMPUTE_SHADER;
  }
  return 0;
}

template <typename GetInteger, typename GetLog>
std::string LogOf(GLuint object, GetInteger get_integer, GetLog get_log) {
  GLint length = 0;
  get_integer(object, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<size_t>(std::max(length, 1)), '\0');
  get_log(object, static_cast<GLsizei>(log.size()), nullptr, log.data());
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  return log.empty() ? "failed without a message" : log;
}

// Compiles one stage and attaches it. Returns "" or the compiler's log.
std::string Attach(GLuint program, Stage stage, const std::string& text) {
  const GLuint shader = gl.CreateShader(TypeOf(stage));
  if (shader == 0) return std::string("this context does not support ") + NameOf(stage) + " shaders";
  const char* source = text.data();
  const auto length = static_cast<GLint>(text.size());
  gl.ShaderSource(shader, 1, &source, &length);
  gl.CompileShader(shader);
  GLint compiled = GL_FALSE;
  gl.GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  std::string error;
  if (compiled == GL_TRUE) {
    gl.AttachShader(program, shader);
  } else {
    error = std::string(NameOf(stage)) + ": " + LogOf(shader, gl.GetShaderiv, gl.GetShaderInfoLog);
  }
  gl.DeleteShader(shader);  // takes effect once the shader is detached
  return error;
}

}  // namespace

std::string Gl::Open() {
  int node = -1;
  for (int minor = 128; minor < 192 && node < 0; ++minor) {
    node = open(("/dev/dri/renderD" + std::to_string(minor)).c_str(), O_RDWR | O_CLOEXEC);
  }
  if (node < 0) return "no render node opens; set LD_PRELOAD to a drm-shim";
  gbm_device* gbm = gbm_create_device(node);
  if (gbm == nullptr) return "gbm_create_device failed; set GBM_BACKENDS_PATH to the folder of dri_gbm.so";
  display_ = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, nullptr);
  if (display_ == EGL_NO_DISPLAY || eglInitialize(display_, nullptr, nullptr) != EGL_TRUE) {
    return "eglInitialize failed; set EGL_LOG_LEVEL=debug to see why";
  }
  for (const Api api : {Api::kCore, Api::kCompatibility, Api::kEs}) {
    if (Use(api)) return "";
  }
  return "the driver cannot create a context";
}

bool Gl::Use(Api api) {
  const int index = static_cast<int>(api);
  if (current_ == index) return true;
  if (eglBindAPI(api == Api::kEs ? EGL_OPENGL_ES_API : EGL_OPENGL_API) != EGL_TRUE) return false;
  if (!tried_[index]) {
    tried_[index] = true;
    // Request the lowest sufficient version; drivers return the highest version compatible with it. The attribute names
    // are from EGL_KHR_create_context, because drivers for old hardware support only EGL 1.4.
    constexpr EGLint kDebug = EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR;
    const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                           3,
                           EGL_CONTEXT_MINOR_VERSION_KHR,
                           2,
                           EGL_CONTEXT_FLAGS_KHR,
                           kDebug,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                           EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                           EGL_NONE};
    const EGLint compatibility[] = {EGL_CONTEXT_FLAGS_KHR, kDebug, EGL_NONE};
    const EGLint es[] = {EGL_CONTEXT_MAJOR_VERSION_KHR, 2, EGL_CONTEXT_FLAGS_KHR, kDebug, EGL_NONE};
    const EGLint* attributes = api == Api::kCore ? core : api == Api::kEs ? es : compatibility;
    contexts_[index] = eglCreateContext(display_, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
  }
  if (contexts_[index] == EGL_NO_CONTEXT) return false;
  if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, contexts_[index]) != EGL_TRUE) return false;
  current_ = index;
  FindAll();
  gl.Enable(GL_DEBUG_OUTPUT);
  // With synchronous output, messages arrive before the call that caused them returns, and drivers do not compile in a
  // separate thread.
  gl.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  gl.DebugMessageCallback(&OnMessage, &collected);
  gl.DebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, nullptr, GL_TRUE);
  return true;
}

std::string Gl::Description() {
  const auto text = [](GLenum name) { return std::string(reinterpret_cast<const char*>(gl.GetString(name))); };
  return text(GL_RENDERER) + ", " + text(GL_VERSION);
}

std::string Gl::Read(const std::vector<std::string>& files, Program& program) { return ReadProgram(files, program); }

std::vector<Api> Gl::ApisFor(const Program& program) { return driver_rig::ApisFor(program); }

std::optional<Outcome> Gl::Compile(const Program& program, Api api, bool alone) {
  if (!Use(api)) return std::nullopt;
  const bool separable = alone && !program.contains(Stage::kCompute);
  collected.clear();
  const GLuint object = gl.CreateProgram();
  if (separable) gl.ProgramParameteri(object, GL_PROGRAM_SEPARABLE, GL_TRUE);
  Outcome outcome;
  for (const auto& [stage, text] : program) {
    outcome.error = Attach(object, stage, text);
    if (!outcome.error.empty()) break;
  }
  if (outcome.error.empty()) {
    gl.LinkProgram(object);
    GLint linked = GL_FALSE;
    gl.GetProgramiv(object, GL_LINK_STATUS, &linked);
    if (linked != GL_TRUE) outcome.error = "link: " + LogOf(object, gl.GetProgramiv, gl.GetProgramInfoLog);
  }
  outcome.messages = collected;
  gl.DeleteProgram(object);
  return outcome;
}

}  // namespace driver_rig

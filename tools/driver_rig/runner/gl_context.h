// OpenGL without a window or a GPU: EGL on the first render node there is (the one that a drm-shim makes), and the
// driver's debug messages about the shaders it compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/driver_rig/runner/shader_file.h"

namespace driver_rig {

// What became of one compilation.
struct Outcome {
  std::string error;                  // empty if it compiled and linked
  std::vector<std::string> messages;  // of the driver's compiler, in order
};

class Gl {
 public:
  // Opens the render node. Returns "" or why there is no GL.
  std::string Open();

  // The driver's own name for itself (GL_RENDERER and GL_VERSION).
  std::string Description();

  // Compiles and links the program's stages together in a context of this kind; separable: as a program of its own that
  // others may be combined with (ARB_separate_shader_objects). No value: the driver has no such context.
  std::optional<Outcome> Compile(const Program& program, Api api, bool separable);

 private:
  bool Use(Api api);

  void* display_ = nullptr;
  void* contexts_[3] = {nullptr, nullptr, nullptr};
  bool tried_[3] = {false, false, false};
  int current_ = -1;
};

}  // namespace driver_rig

// OpenGL without a window or a GPU: EGL on the first render node there is (the one that a drm-shim makes), and the
// driver's debug messages about the shaders it compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/driver_rig/runner/session.h"

namespace driver_rig {

class Gl : public Compiler {
 public:
  // Opens the render node.
  std::string Open() override;

  // GL_RENDERER and GL_VERSION.
  std::string Description() override;

  std::string Read(const std::vector<std::string>& files, Program& program) override;
  std::vector<Api> ApisFor(const Program& program) override;
  bool StandsAlone(Stage) override { return true; }

  // In a context of this kind. A stage alone is a program of its own that others may be combined with
  // (ARB_separate_shader_objects), so that no missing partner is an error; compute stands alone as it is.
  std::optional<Outcome> Compile(const Program& program, Api api, bool alone) override;

 private:
  bool Use(Api api);

  void* display_ = nullptr;
  void* contexts_[3] = {nullptr, nullptr, nullptr};
  bool tried_[3] = {false, false, false};
  int current_ = -1;
};

}  // namespace driver_rig

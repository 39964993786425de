// Compiles with OpenGL drivers without a window or a GPU. Uses EGL on the first render node, which a drm-shim
// provides, and collects the driver's debug messages about the compiled shaders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/driver_rig/runner/session.h"

namespace driver_rig {

class Gl : public Compiler {
 public:
  // Opens the first render node.
  std::string Open() override;

  // Returns GL_RENDERER and GL_VERSION.
  std::string Description() override;

  std::string Read(const std::vector<std::string>& files, Program& program) override;
  std::vector<Api> ApisFor(const Program& program) override;
  bool StandsAlone(Stage) override { return true; }

  // Compiles in a context of the kind `api`. A single stage is compiled as a separable program
  // (ARB_separate_shader_objects), so that the missing stages are not an error. Compute shaders are complete programs
  // already.
  std::optional<Outcome> Compile(const Program& program, Api api, bool alone) override;

 private:
  bool Use(Api api);

  void* display_ = nullptr;
  void* contexts_[3] = {nullptr, nullptr, nullptr};
  bool tried_[3] = {false, false, false};
  int current_ = -1;
};

}  // namespace driver_rig

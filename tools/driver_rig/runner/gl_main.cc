// The runner for OpenGL drivers. Compiles GLSL programs in the contexts that their #version requires.
#include "tools/driver_rig/runner/gl_context.h"

int main() {
  driver_rig::Gl gl;
  return driver_rig::Serve(gl);
}

// The runner of OpenGL drivers, GLSL programs in the contexts that their #version asks for.
#include "tools/driver_rig/runner/gl_context.h"

int main() {
  driver_rig::Gl gl;
  return driver_rig::Serve(gl);
}

// The runner for Vulkan drivers. Compiles programs of SPIR-V modules as compute and graphics pipelines.
#include "tools/driver_rig/runner/vulkan_compiler.h"

int main() {
  driver_rig::VulkanCompiler compiler;
  return driver_rig::Serve(compiler);
}

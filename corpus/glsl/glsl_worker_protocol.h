// What the worker process that runs GLSL's compiler and SPIR-V's passes is asked and answers: plain structs with bytes
// behind them, over one socket.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_WORKER_PROTOCOL_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_WORKER_PROTOCOL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rewrought::corpus {

// What glslang makes of a text; the comments give glslangValidator's flags for the same, beside "--aml --amb".
enum class GlslDialect : uint32_t {
  kVulkan12 = 0,         // -V --target-env vulkan1.2
  kOpenGl = 1,           // -G
  kVulkan12Relaxed = 2,  // -V -R --target-env vulkan1.2
  kVulkanRelaxed = 3,    // -V -R
};
inline constexpr uint32_t kGlslDialects = 4;
// In the place of a dialect: the text is SPIR-V in host order, and so is the output, which SimplifySpirv made of it.
inline constexpr uint32_t kSimplifySpirv = 4;

// Followed by `text_bytes` of GLSL, or of SPIR-V.
struct GlslRequestHead {
  uint32_t stage = 0;    // GlslStage
  uint32_t dialect = 0;  // GlslDialect, or kSimplifySpirv
  double seconds = 0;
  uint64_t memory_bytes = 0;
  uint64_t text_bytes = 0;
};

// Followed by `output_bytes`: SPIR-V if exit_code is 0, else the compiler's words.
struct GlslReplyHead {
  int32_t exit_code = 0;   // -1: a signal ended the compilation
  uint32_t timed_out = 0;  // 1: it ran longer than `seconds` and was killed
  uint64_t output_bytes = 0;
};

// What a worker says when it is ready, before it is asked.
inline constexpr uint32_t kGlslWorkerReady = 0x474c534c;

// Neither side takes more than this for a text or an output.
inline constexpr uint64_t kMaxGlslMessage = uint64_t{64} << 20;

// Writes all `size` bytes to a connected socket; false: the other side is gone (no signal is raised).
bool SendAll(int socket, const void* bytes, size_t size);

// Reads exactly `size` bytes; false: the other side is gone, or `deadline` came first.
bool ReceiveAll(int socket, void* bytes, size_t size, std::chrono::steady_clock::time_point deadline);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_WORKER_PROTOCOL_H_

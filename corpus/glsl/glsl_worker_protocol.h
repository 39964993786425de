// Defines the protocol of the worker process that runs the GLSL compiler and the passes on SPIR-V: plain structs
// followed by bytes, over one socket.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_WORKER_PROTOCOL_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_WORKER_PROTOCOL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rewrought::corpus {

// The modes of the compiler. The comments list the equivalent flags of glslangValidator, in addition to "--aml --amb".
enum class GlslDialect : uint32_t {
  kVulkan12 = 0,         // -V --target-env vulkan1.2
  kOpenGl = 1,           // -G
  kVulkan12Relaxed = 2,  // -V -R --target-env vulkan1.2
  kVulkanRelaxed = 3,    // -V -R
  kHlsl = 4,             // -D -Od -V --target-env vulkan1.1 -e ENTRY
};
inline constexpr uint32_t kGlslDialects = 5;
// These numbers take the place of a dialect to request SimplifySpirv or AssembleSpirv. SPIR-V is in host byte order.
inline constexpr uint32_t kSimplifySpirv = 5;
inline constexpr uint32_t kAssembleSpirv = 6;

// The maximum length of the name of an entry point, including the terminating NUL.
inline constexpr size_t kMaxEntryPoint = 128;

// The header of a request, which is followed by `text_bytes` bytes of source, SPIR-V, or SPIR-V assembly.
struct GlslRequestHead {
  uint32_t stage = 0;                         // GlslStage
  uint32_t dialect = 0;                       // GlslDialect, kSimplifySpirv, or kAssembleSpirv
  char entry_point[kMaxEntryPoint] = "main";  // the HLSL entry point, NUL-terminated
  double seconds = 0;
  uint64_t memory_bytes = 0;
  uint64_t text_bytes = 0;
};

// The header of a reply, which is followed by `output_bytes` bytes: SPIR-V if exit_code is 0, otherwise the compiler's
// messages.
struct GlslReplyHead {
  int32_t exit_code = 0;   // -1 if a signal ended the compilation
  uint32_t timed_out = 0;  // 1 if the compilation exceeded `seconds` and was killed
  uint64_t output_bytes = 0;
};

// A worker sends this number when it is ready, before the first request.
inline constexpr uint32_t kGlslWorkerReady = 0x474c534c;

// The maximum size, in bytes, of a request's text or a reply's output. Both sides check it.
inline constexpr uint64_t kMaxGlslMessage = uint64_t{64} << 20;

// Writes all `size` bytes to a connected socket. Returns false, without raising SIGPIPE, if the other side has
// disconnected.
bool SendAll(int socket, const void* bytes, size_t size);

// Reads exactly `size` bytes. Returns false if the other side disconnects or `deadline` passes.
bool ReceiveAll(int socket, void* bytes, size_t size, std::chrono::steady_clock::time_point deadline);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_WORKER_PROTOCOL_H_

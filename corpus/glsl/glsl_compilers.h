// Persistent GLSL compilers: worker processes (glsl_worker_main.cc), one for each thread that compiles. The workers
// run SPIR-V's passes, too, because both tasks may exhaust time and memory.
#ifndef REWROUGHT_CORPUS_GLSL_GLSL_COMPILERS_H_
#define REWROUGHT_CORPUS_GLSL_GLSL_COMPILERS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/glsl/glsl_port.h"
#include "corpus/glsl/glsl_worker_protocol.h"
#include "corpus/glsl/subprocess.h"

namespace rewrought::corpus {

// Returns the path of the worker binary. If REWROUGHT_GLSL_WORKER is set, only that path is tried. Otherwise the
// candidates are rewrought_glsl_worker next to the running program, in ../corpus/glsl/ or ../libexec/rewrought/
// relative to its folder, and in Bazel's runfiles. Returns an empty string if none exists.
std::string FindGlslWorker();

class GlslWorker;

// Thread-safe. Workers start on demand and end with this object.
class GlslCompilers {
 public:
  // `worker` is the path of the binary. If it is empty, Compile fails with NotFound.
  explicit GlslCompilers(std::string worker = FindGlslWorker());
  ~GlslCompilers();
  GlslCompilers(const GlslCompilers&) = delete;
  GlslCompilers& operator=(const GlslCompilers&) = delete;

  // Starts this many workers now, for a process that cannot start any later. Returns false if there is no binary or
  // fewer workers started.
  bool StartAhead(int workers);

  // Compiles one text without changes. With exit code 0, the output is SPIR-V; with 1, it is the compiler's messages.
  // If the exit code is -1 or timed_out is set, the text killed the compiler, which does not affect other texts.
  // Fails with NotFound if no worker can be started; later calls do not try again.
  absl::StatusOr<ProcessResult> Compile(absl::string_view text, GlslStage stage, GlslDialect dialect,
                                        const ProcessLimits& limits);

  // Runs SimplifySpirv in a worker. Fails with its errors, with ResourceExhausted if it exceeds `limits`, and with
  // NotFound if no worker can be started.
  absl::StatusOr<std::vector<uint32_t>> Simplify(const std::vector<uint32_t>& words, const ProcessLimits& limits);

 private:
  std::unique_ptr<GlslWorker> Take();
  absl::StatusOr<ProcessResult> Ask(absl::string_view text, uint32_t stage, uint32_t dialect,
                                    const ProcessLimits& limits);

  std::mutex mutex_;
  std::string worker_;
  std::vector<std::unique_ptr<GlslWorker>> idle_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_COMPILERS_H_

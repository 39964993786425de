// GLSL compilers that stay: worker processes (glsl_worker_main.cc), one per thread that compiles at a time. They run
// SPIR-V's passes, too: both may take for ever, and as much memory as there is.
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

// Path of the worker's binary: the variable REWROUGHT_GLSL_WORKER, and only that if it is set; else
// rewrought_glsl_worker next to the running program, in ../corpus/glsl/ or ../libexec/rewrought/ of its folder, or in
// Bazel's runfiles. Empty: there is none.
std::string FindGlslWorker();

class GlslWorker;

// Thread-safe. Workers start when they are needed and end with this object.
class GlslCompilers {
 public:
  // `worker`: the binary; empty: none, and Compile gives NotFound.
  explicit GlslCompilers(std::string worker = FindGlslWorker());
  ~GlslCompilers();
  GlslCompilers(const GlslCompilers&) = delete;
  GlslCompilers& operator=(const GlslCompilers&) = delete;

  // Starts that many workers now, for a process that can start none later. False: there is no worker, or fewer started.
  bool StartAhead(int workers);

  // Compiles one text as it is. Exit code 0: the output is SPIR-V; 1: it is what the compiler says; -1 or timed_out:
  // the text ended the compiler, which harms no other text. NotFound: no worker can be started; none is tried again.
  absl::StatusOr<ProcessResult> Compile(absl::string_view text, GlslStage stage, GlslDialect dialect,
                                        const ProcessLimits& limits);

  // SimplifySpirv in a worker. Its errors, or ResourceExhausted: it took longer than `limits` say, or all their memory.
  // NotFound: no worker can be started.
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

// Manages persistent GLSL compilers: worker processes (glsl_worker_main.cc), one for each thread that compiles. The
// workers also run the passes on SPIR-V, because both tasks may exhaust time and memory.
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
// candidates are the places of rewrought_glsl_worker according to proto/own_files.h. Returns an empty string if none
// exists.
std::string FindGlslWorker();

class GlslWorker;

// Thread-safe. Workers start on demand, and end when this object is destroyed.
class GlslCompilers {
 public:
  // `worker` is the path of the binary. If it is empty, Compile fails with NotFound.
  explicit GlslCompilers(std::string worker = FindGlslWorker());
  ~GlslCompilers();
  GlslCompilers(const GlslCompilers&) = delete;
  GlslCompilers& operator=(const GlslCompilers&) = delete;

  // Starts `workers` workers now, for a process that cannot start workers later. Returns false if there is no binary,
  // or if some workers could not be started.
  bool StartAhead(int workers);

  // Compiles `text` unmodified. `entry_point` names the entry point of an HLSL shader; other dialects ignore it. If the
  // exit code is 0, the output is SPIR-V; if it is 1, the output is the compiler's messages. If the exit code is -1 or
  // timed_out is set, the compilation crashed or was killed; other compilations are not affected. Fails with NotFound
  // if no worker can be started; later calls do not try to start one.
  absl::StatusOr<ProcessResult> Compile(absl::string_view text, GlslStage stage, GlslDialect dialect,
                                        const ProcessLimits& limits, absl::string_view entry_point = "main");

  // Runs SimplifySpirv in a worker. Fails with the errors of SimplifySpirv, with ResourceExhausted if the passes exceed
  // `limits`, and with NotFound if no worker can be started.
  absl::StatusOr<std::vector<uint32_t>> Simplify(const std::vector<uint32_t>& words, const ProcessLimits& limits);

  // Runs AssembleSpirv in a worker, and fails like Simplify.
  absl::StatusOr<std::vector<uint32_t>> Assemble(absl::string_view text, const ProcessLimits& limits);

 private:
  std::unique_ptr<GlslWorker> Take();
  absl::StatusOr<ProcessResult> Ask(absl::string_view text, uint32_t stage, uint32_t dialect,
                                    const ProcessLimits& limits, absl::string_view entry_point = "main");
  absl::StatusOr<std::vector<uint32_t>> AskForSpirv(absl::string_view text, uint32_t work, const ProcessLimits& limits,
                                                    absl::string_view too_hard);

  std::mutex mutex_;
  std::string worker_;
  std::vector<std::unique_ptr<GlslWorker>> idle_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_GLSL_COMPILERS_H_

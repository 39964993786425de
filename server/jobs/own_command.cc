#include "server/jobs/own_command.h"

#include <fcntl.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

constexpr size_t kMostOutput = 4 << 20;

}  // namespace

absl::StatusOr<CommandResult> Run(const OwnCommand& command) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("the server is out of file descriptors");
  const verifier::FileDescriptor reading(ends[0]);
  verifier::FileDescriptor writing(ends[1]);
  verifier::ProcessSpec spec;
  spec.path = command.program;
  spec.arguments = command.arguments;
  spec.standard_output = writing.get();
  if (command.with_errors) spec.standard_error = writing.get();
  spec.memory_bytes = command.memory_bytes;
  absl::StatusOr<verifier::ChildProcess> child = verifier::ChildProcess::Start(spec);
  if (!child.ok()) return absl::UnavailableError(child.status().message());
  if (command.cpu.count() > 0) child->LimitCpu(static_cast<uint64_t>(command.cpu.count()));
  writing.Close();
  CommandResult end;
  const verifier::IoLimits limits{verifier::Clock::now() + command.limit, command.stop};
  const verifier::IoResult result = verifier::ReceiveAll(reading.get(), kMostOutput, limits, end.output);
  if (result == verifier::IoResult::kCancelled) return absl::CancelledError("the call has ended");
  if (result != verifier::IoResult::kDone) return absl::DeadlineExceededError("the command took too long");
  end.process = child->Finish(std::chrono::seconds(2));
  return end;
}

}  // namespace rewrought::rpc

// The worker process. Reads requests from standard input and writes replies to standard output, one at a time, until
// the input ends. Writes nothing else to standard output, even if its libraries print. Exit codes: 0 end of input or
// retired, 2 broken input, 101 out of memory (Z3's own code).
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <optional>
#include <string>

#include "verifier/worker/protocol.h"
#include "verifier/worker/z3_session.h"

namespace {

using rewrought::verifier::DecodeLength;
using rewrought::verifier::DecodeRequest;
using rewrought::verifier::EncodeReply;
using rewrought::verifier::kLengthBytes;
using rewrought::verifier::WorkerReply;
using rewrought::verifier::WorkerRequest;
using rewrought::verifier::Z3Session;

constexpr int kExitBroken = 2;
constexpr int kExitMemory = 101;

// Reads `size` bytes from standard input. Exits at the end of the input.
std::string ReadExactly(size_t size) {
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t count = read(STDIN_FILENO, bytes.data() + filled, size - filled);
    if (count > 0) {
      filled += static_cast<size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      // Skip exit(), because Z3's global cleanup has nothing to save and may fail.
      _exit(filled == 0 ? 0 : kExitBroken);
    }
  }
  return bytes;
}

void WriteAll(int fd, const std::string& bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(fd, bytes.data() + written, bytes.size() - written);
    if (count > 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      _exit(0);  // the reader is gone
    }
  }
}

// Redirects standard output to /dev/null, and returns a descriptor of the original output for replies.
int TakeOutput() {
  const int channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (channel < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(kExitBroken);
  close(nowhere);
  return channel;
}

}  // namespace

int main() {
  // Exit quietly when Z3 throws from a destructor because memory ran out.
  std::set_terminate([] { _exit(kExitMemory); });
  const int channel = TakeOutput();
  Z3Session session;
  for (;;) {
    const std::optional<uint32_t> length = DecodeLength(ReadExactly(kLengthBytes));
    if (!length.has_value()) _exit(kExitBroken);
    const std::optional<WorkerRequest> request = DecodeRequest(ReadExactly(*length));
    if (!request.has_value()) _exit(kExitBroken);
    const WorkerReply reply = session.Answer(*request);
    WriteAll(channel, EncodeReply(reply));
    if (reply.retire) _exit(0);
    session.Tidy();
  }
}

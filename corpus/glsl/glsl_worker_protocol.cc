#include "corpus/glsl/glsl_worker_protocol.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace rewrought::corpus {

bool SendAll(int socket, const void* bytes, size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = send(socket, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

bool ReceiveAll(int socket, void* bytes, size_t size, std::chrono::steady_clock::time_point deadline) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return false;
    // Waits in steps of at most one minute, because the time to a distant deadline exceeds the range of poll().
    const auto left = std::min<std::chrono::steady_clock::duration>(deadline - now, std::chrono::minutes(1));
    pollfd wait = {socket, POLLIN, 0};
    const int64_t milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
    const int ready = poll(&wait, 1, static_cast<int>(milliseconds) + 1);
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t count = recv(socket, at, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

}  // namespace rewrought::corpus

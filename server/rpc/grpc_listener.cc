#include "server/rpc/grpc_listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace rewrought::rpc {
namespace {

constexpr int kSliceMs = 100;

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcListener>> GrpcListener::Bind(HostAndPort* address, int connections,
                                                                 Metrics* metrics) {
  absl::StatusOr<std::vector<int>> files = Listen(address);
  if (!files.ok()) return files.status();
  return std::unique_ptr<GrpcListener>(new GrpcListener(*std::move(files), connections, metrics));
}

GrpcListener::~GrpcListener() {
  Stop();
  for (const int file : files_) close(file);
}

void GrpcListener::Start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor) {
  acceptor_ = std::move(acceptor);
  thread_ = std::jthread([this](std::stop_token stop) { Accept(stop); });
}

void GrpcListener::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void GrpcListener::Accept(std::stop_token stop) {
  std::vector<pollfd> polled;
  for (const int file : files_) polled.push_back({file, POLLIN, 0});
  while (!stop.stop_requested()) {
    const int ready = poll(polled.data(), polled.size(), kSliceMs);
    if (ready <= 0) {
      Prune();
      continue;
    }
    for (const pollfd& one : polled) {
      if ((one.revents & POLLIN) != 0) Take(one.fd);
    }
  }
}

void GrpcListener::Take(int listener) {
  const int file = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (file < 0) {
    // Out of descriptors: the connection stays in the backlog until some are free.
    if (errno != EAGAIN && errno != ECONNABORTED) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return;
  }
  ++metrics_->grpc_accepted;
  if (static_cast<int>(open_.size()) >= connections_) Prune();
  struct stat about {};
  if (static_cast<int>(open_.size()) >= connections_ || fstat(file, &about) != 0) {
    ++metrics_->grpc_refused;
    close(file);
    return;
  }
  const int yes = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  open_.emplace_back(file, about.st_ino);
  metrics_->grpc_open = static_cast<int64_t>(open_.size());
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listener;
  parameters.fd = file;
  acceptor_->HandleNewConnection(&parameters);
}

// gRPC closes descriptors without a word; one that is closed, or is something else by now, was a connection that ended.
void GrpcListener::Prune() {
  std::erase_if(open_, [](const std::pair<int, ino_t>& one) {
    struct stat about {};
    return fstat(one.first, &about) != 0 || !S_ISSOCK(about.st_mode) || about.st_ino != one.second;
  });
  metrics_->grpc_open = static_cast<int64_t>(open_.size());
}

}  // namespace rewrought::rpc

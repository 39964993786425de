#include "server/access/grpc_listener.h"

#include <fcntl.h>
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
constexpr size_t kLeaving =
    64;  // maximum number of evicted connections that gRPC has not closed yet; they do not count toward the bound
constexpr auto kPatience = std::chrono::milliseconds(2000);  // time allowed for gRPC to close some of them

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcListener>> GrpcListener::Bind(HostAndPort* address, int connections,
                                                                 ConnectionTable* table, Metrics* metrics) {
  absl::StatusOr<std::vector<int>> files = Listen(address);
  if (!files.ok()) return files.status();
  return std::unique_ptr<GrpcListener>(new GrpcListener(*std::move(files), connections, table, metrics));
}

GrpcListener::~GrpcListener() {
  Stop();
  for (const int file : files_) close(file);
  for (const Connection& one : open_) {
    table_->Remove(one.id);
    close(one.own);
  }
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
    // If the process is out of file descriptors, the connection stays in the backlog until a descriptor is free.
    if (errno != EAGAIN && errno != ECONNABORTED) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return;
  }
  ++metrics_->grpc_accepted;
  struct stat about {};
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0 || fstat(file, &about) != 0 || !MakeRoom()) {
    ++metrics_->grpc_refused;
    if (own >= 0) close(own);
    close(file);
    return;
  }
  const int yes = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  open_.push_back({file, about.st_ino, own, table_->Add(own)});
  metrics_->grpc_open = static_cast<int64_t>(table_->size());
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listener;
  parameters.fd = file;
  acceptor_->HandleNewConnection(&parameters);
}

// Evicts a connection if the bound is reached. Returns false if every connection has a call in flight.
bool GrpcListener::MakeRoom() {
  const size_t most = static_cast<size_t>(connections_);
  if (table_->size() < most) return true;
  // Prune costs as much as accepting a connection does, so it does not run for every new connection.
  if (std::chrono::steady_clock::now() - pruned_ > std::chrono::milliseconds(kSliceMs)) Prune();
  if (table_->size() < most) return true;
  if (!table_->EvictOne()) return false;
  ++metrics_->grpc_evicted;
  const auto start = std::chrono::steady_clock::now();
  while (open_.size() > most + kLeaving && std::chrono::steady_clock::now() - start < kPatience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Prune();
  }
  return open_.size() <= most + kLeaving;
}

void GrpcListener::Prune() {
  pruned_ = std::chrono::steady_clock::now();
  std::erase_if(open_, [this](const Connection& one) {
    struct stat about {};
    const bool closed = fstat(one.file, &about) != 0 || !S_ISSOCK(about.st_mode) || about.st_ino != one.socket;
    if (!closed) return false;
    table_->Remove(one.id);
    close(one.own);
    return true;
  });
  metrics_->grpc_open = static_cast<int64_t>(table_->size());
}

}  // namespace rewrought::rpc

#include "server/http/listener.h"

#include <sys/socket.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace rewrought::rpc {
namespace {

namespace net = boost::asio;
using Error = boost::system::error_code;
using net::ip::tcp;

constexpr int kThreads = 2;
constexpr auto kPause = std::chrono::milliseconds(20);  // time to wait after accept fails because the process is out of
                                                        // descriptors
constexpr int kSendBuffer = 128 << 10;                  // size of the kernel's send buffer for a connection; the kernel
                                                        // doubles it

}  // namespace

struct Listener::Parts {
  ListenerState state;
  std::string busy;
  SessionMaker make;
  std::optional<net::ssl::context> tls;
  net::io_context context{kThreads};
  std::optional<net::executor_work_guard<net::io_context::executor_type>> work{context.get_executor()};
  // Serializes access to the following members.
  net::strand<net::io_context::executor_type> strand{context.get_executor()};
  std::vector<tcp::acceptor> acceptors;
  std::list<std::weak_ptr<Session>> sessions;
  size_t swept = 0;  // number of sessions after ended sessions were last removed
  net::steady_timer pause{strand};
  std::vector<std::thread> threads;

  void Accept(tcp::acceptor* acceptor) {
    acceptor->async_accept(net::make_strand(context), [this, acceptor](Error error, tcp::socket socket) {
      if (state.stopping) return;
      if (!error) {
        Take(std::move(socket));
      } else if (error != net::error::connection_aborted) {
        pause.expires_after(kPause);
        return pause.async_wait([this, acceptor](Error) {
          if (!state.stopping) Accept(acceptor);
        });
      }
      Accept(acceptor);
    });
  }

  void Take(tcp::socket socket) {
    Error none;
    ++state.counts->accepted;
    socket.non_blocking(true, none);
    if (state.table.size() >= static_cast<size_t>(state.connections)) {
      if (!state.table.EvictOne()) {
        ++state.counts->refused;
        if (!tls.has_value()) socket.send(net::buffer(busy), 0, none);
        socket.shutdown(tcp::socket::shutdown_both, none);
        return;
      }
      ++state.counts->evicted;
    }
    socket.set_option(tcp::no_delay(true), none);
    socket.set_option(net::socket_base::send_buffer_size(kSendBuffer), none);
    std::shared_ptr<Session> session = make(std::move(socket), tls.has_value() ? &*tls : nullptr);
    if (sessions.size() > 2 * swept + 64) {
      sessions.remove_if([](const auto& one) { return one.expired(); });
      swept = sessions.size();
    }
    sessions.push_back(session);
    session->Start();
  }
};

Listener::Listener(int connections, SslContext tls, ConnectionCounts* counts, std::string busy)
    : parts_(std::make_unique<Parts>()) {
  parts_->state.connections = connections;
  parts_->state.counts = counts;
  parts_->busy = std::move(busy);
  if (tls != nullptr) parts_->tls.emplace(tls.release());
}

Listener::~Listener() {
  Stop();
  Join();
}

ListenerState* Listener::state() { return &parts_->state; }

absl::Status Listener::Start(HostAndPort* address, SessionMaker make) {
  parts_->make = std::move(make);
  const absl::StatusOr<std::vector<int>> files = Listen(address);
  if (!files.ok()) return files.status();
  for (const int file : *files) {
    sockaddr_storage own = {};
    socklen_t size = sizeof(own);
    const bool v6 = getsockname(file, reinterpret_cast<sockaddr*>(&own), &size) == 0 && own.ss_family == AF_INET6;
    parts_->acceptors.emplace_back(parts_->strand).assign(v6 ? tcp::v6() : tcp::v4(), file);
  }
  for (tcp::acceptor& acceptor : parts_->acceptors) parts_->Accept(&acceptor);
  for (int i = 0; i < kThreads; ++i) parts_->threads.emplace_back([parts = parts_.get()] { parts->context.run(); });
  return absl::OkStatus();
}

void Listener::Stop() {
  if (parts_->state.stopping.exchange(true)) return;
  net::post(parts_->strand, [parts = parts_.get()] {
    Error none;
    for (tcp::acceptor& acceptor : parts->acceptors) acceptor.close(none);
    parts->pause.cancel();
    for (const std::weak_ptr<Session>& one : parts->sessions) {
      if (const std::shared_ptr<Session> session = one.lock(); session != nullptr) session->Stop();
    }
  });
}

void Listener::Join() {
  parts_->work.reset();  // the threads end when the last connection is closed
  for (std::thread& thread : parts_->threads) thread.join();
  parts_->threads.clear();
}

}  // namespace rewrought::rpc

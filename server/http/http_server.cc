#include "server/http/http_server.h"

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
constexpr char kBusy[] =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

}  // namespace

struct HttpServer::Parts {
  HttpShared shared;
  std::optional<net::ssl::context> tls;
  net::io_context context{kThreads};
  std::optional<net::executor_work_guard<net::io_context::executor_type>> work{context.get_executor()};
  // Serializes access to the following members.
  net::strand<net::io_context::executor_type> strand{context.get_executor()};
  std::vector<tcp::acceptor> acceptors;
  std::list<std::weak_ptr<HttpSession>> sessions;
  size_t swept = 0;  // number of sessions after ended sessions were last removed
  net::steady_timer pause{strand};
  std::vector<std::thread> threads;

  void Accept(tcp::acceptor* acceptor) {
    acceptor->async_accept(net::make_strand(context), [this, acceptor](Error error, tcp::socket socket) {
      if (shared.stopping) return;
      if (!error) {
        Take(std::move(socket));
      } else if (error != net::error::connection_aborted) {
        pause.expires_after(kPause);
        return pause.async_wait([this, acceptor](Error) {
          if (!shared.stopping) Accept(acceptor);
        });
      }
      Accept(acceptor);
    });
  }

  void Take(tcp::socket socket) {
    Error none;
    ++shared.metrics->http_accepted;
    socket.non_blocking(true, none);
    if (shared.table.size() >= static_cast<size_t>(shared.limits.connections)) {
      if (!shared.table.EvictOne()) {
        ++shared.metrics->http_refused;
        if (!tls.has_value()) socket.send(net::buffer(kBusy, sizeof(kBusy) - 1), 0, none);
        socket.shutdown(tcp::socket::shutdown_both, none);
        return;
      }
      ++shared.metrics->http_evicted;
    }
    socket.set_option(tcp::no_delay(true), none);
    socket.set_option(net::socket_base::send_buffer_size(kSendBuffer), none);
    std::shared_ptr<HttpSession> session =
        MakeHttpSession(&shared, std::move(socket), tls.has_value() ? &*tls : nullptr);
    if (sessions.size() > 2 * swept + 64) {
      sessions.remove_if([](const auto& one) { return one.expired(); });
      swept = sessions.size();
    }
    sessions.push_back(session);
    session->Start();
  }
};

HttpServer::HttpServer(const HttpLimits& limits, SslContext tls, HttpHeaders headers, HttpHandler* handler,
                       Metrics* metrics)
    : parts_(std::make_unique<Parts>()) {
  parts_->shared.limits = limits;
  parts_->shared.headers = std::move(headers);
  parts_->shared.handler = handler;
  parts_->shared.metrics = metrics;
  if (tls != nullptr) parts_->tls.emplace(tls.release());
}

HttpServer::~HttpServer() {
  Stop();
  Join();
}

absl::Status HttpServer::Start(HostAndPort* address) {
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

void HttpServer::Stop() {
  if (parts_->shared.stopping.exchange(true)) return;
  net::post(parts_->strand, [parts = parts_.get()] {
    Error none;
    for (tcp::acceptor& acceptor : parts->acceptors) acceptor.close(none);
    parts->pause.cancel();
    for (const std::weak_ptr<HttpSession>& one : parts->sessions) {
      if (const std::shared_ptr<HttpSession> session = one.lock(); session != nullptr) session->Stop();
    }
  });
}

void HttpServer::Join() {
  parts_->work.reset();  // the threads end when the last connection is closed
  for (std::thread& thread : parts_->threads) thread.join();
  parts_->threads.clear();
}

}  // namespace rewrought::rpc

#include "server/rpc/http/http_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace rewrought::rpc {
namespace {

constexpr int kBacklog = 1024;
constexpr int kSliceMs = 100;                               // how soon a waiting connection sees that the server stops
constexpr auto kPatience = std::chrono::milliseconds(500);  // until a connection that gave way has closed
constexpr char kBusy[] =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

thread_local HttpPeer* current_peer = nullptr;
thread_local bool refuse_connection = false;  // said by the accepting thread to itself

}  // namespace

HttpPeer* HttpPeer::Current() { return current_peer; }

// One accepted socket. Reads through a buffer, because httplib reads headers byte by byte.
class HttpServer::Connection final : public httplib::Stream, public HttpPeer {
 public:
  Connection(HttpServer* server, int file) : server_(server), file_(file), id_(server->connections_.Add(file)) {
    fcntl(file_, F_SETFL, fcntl(file_, F_GETFL) | O_NONBLOCK);
  }

  ~Connection() override {
    server_->connections_.Remove(id_);
    if (ssl_ != nullptr) {
      if (!broken_) SSL_shutdown(ssl_);  // one way is enough: nothing else is read
      SSL_free(ssl_);
      ERR_clear_error();
    }
    ::shutdown(file_, SHUT_WR);
    // Unread bytes would make close() reset the connection before the client has read its answer.
    char rest[4096];
    for (int i = 0; i < 64 && ::recv(file_, rest, sizeof(rest), MSG_DONTWAIT) > 0; ++i) {
    }
    ::close(file_);
  }

  // False: not with this client.
  bool Handshake() {
    if (server_->tls_ == nullptr) return true;
    ssl_ = SSL_new(server_->tls_.get());
    if (ssl_ == nullptr || SSL_set_fd(ssl_, file_) != 1) return !(broken_ = true);
    started_ = absl::Now();
    limit_ = server_->limits_.request;
    for (;;) {
      const int done = SSL_accept(ssl_);
      if (done == 1) return true;
      if (!WaitForTls(done)) return !(broken_ = true);
    }
  }

  // Waits for the first byte of the next request. False: there will be none.
  bool Next() {
    started_ = absl::Now();
    limit_ = server_->limits_.idle;
    idle_ = true;
    if (at_ == end_ && !Fill()) return false;
    idle_ = false;
    started_ = absl::Now();
    limit_ = server_->limits_.request;
    taken_ = 0;
    return true;
  }

  bool close_after_answer() const { return close_after_answer_ || broken_; }

  ssize_t read(char* bytes, size_t size) override {
    if (at_ == end_ && !Fill()) return -1;
    const size_t count = std::min(size, end_ - at_);
    taken_ += count;
    if (taken_ > server_->limits_.request_bytes) {
      broken_ = true;
      return -1;
    }
    std::copy_n(buffer_.data() + at_, count, bytes);
    at_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* bytes, size_t size) override {
    started_ = absl::Now();
    limit_ = server_->limits_.write;
    while (!broken_) {
      const ssize_t count = ssl_ != nullptr ? SSL_write(ssl_, bytes, static_cast<int>(std::min<size_t>(size, 1 << 20)))
                                            : ::send(file_, bytes, size, MSG_NOSIGNAL);
      if (count > 0) return count;
      const bool again = ssl_ != nullptr ? WaitForTls(static_cast<int>(count))
                                         : (errno == EAGAIN || errno == EINTR) && WaitFor(POLLOUT);
      if (!again) broken_ = true;
    }
    return -1;
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !broken_; }
  socket_t socket() const override { return file_; }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }

  bool Gone() override {
    if (broken_ || server_->stopping_) return true;
    pollfd one = {file_, POLLRDHUP, 0};
    return poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }
  void Asked() override {
    asked_ = true;
    server_->connections_.Began(id_);
  }
  void Answered() {
    if (std::exchange(asked_, false)) server_->connections_.Ended(id_);
  }
  void CloseAfterAnswer() override { close_after_answer_ = true; }

  std::string Address() const override {
    sockaddr_storage address = {};
    socklen_t size = sizeof(address);
    char text[NI_MAXHOST] = "";
    if (getpeername(file_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
    const int error =
        getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
    return error == 0 ? text : "";
  }

 private:
  bool Fill() {
    while (!broken_) {
      const ssize_t count = ssl_ != nullptr ? SSL_read(ssl_, buffer_.data(), static_cast<int>(buffer_.size()))
                                            : ::recv(file_, buffer_.data(), buffer_.size(), 0);
      if (count > 0) {
        at_ = 0;
        end_ = static_cast<size_t>(count);
        return true;
      }
      const bool again = ssl_ != nullptr ? WaitForTls(static_cast<int>(count))
                                         : count < 0 && (errno == EAGAIN || errno == EINTR) && WaitFor(POLLIN);
      if (!again) broken_ = true;
    }
    return false;
  }

  bool WaitForTls(int result) {
    const int error = SSL_get_error(ssl_, result);
    ERR_clear_error();
    if (error == SSL_ERROR_WANT_READ) return WaitFor(POLLIN);
    return error == SSL_ERROR_WANT_WRITE && WaitFor(POLLOUT);
  }

  // Until `started_ + limit_`, which is sooner when connections are scarce.
  bool WaitFor(short events) {
    while (!server_->stopping_ || events == POLLOUT) {
      const absl::Duration limit =
          events == POLLIN && server_->Crowded() ? std::min(limit_, server_->limits_.crowded) : limit_;
      if (absl::Now() - started_ >= limit) {
        if (!idle_) ++server_->metrics_->http_timed_out;
        return false;
      }
      pollfd one = {file_, events, 0};
      const int ready = poll(&one, 1, kSliceMs);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
    return false;
  }

  HttpServer* const server_;
  const int file_;
  const ConnectionTable::Id id_;
  SSL* ssl_ = nullptr;
  std::array<char, 16384> buffer_;
  size_t at_ = 0, end_ = 0, taken_ = 0;
  absl::Time started_;
  absl::Duration limit_;
  bool idle_ = false, broken_ = false, close_after_answer_ = false, asked_ = false;
};

// A thread per connection, as many as there may be connections.
class HttpServer::Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(HttpServer* server) : server_(server) {}

  void enqueue(std::function<void()> work) override {
    ++server_->metrics_->http_accepted;
    if (!server_->MakeRoom()) {
      ++server_->metrics_->http_refused;
      refuse_connection = true;
      work();
      refuse_connection = false;
      return;
    }
    ++server_->metrics_->http_open;
    std::thread([server = server_, work = std::move(work)] {
      work();
      --server->metrics_->http_open;  // the last use of the server: Join waits for it
    }).detach();
  }
  void shutdown() override {}

 private:
  HttpServer* const server_;
};

HttpServer::HttpServer(const HttpLimits& limits, SslContext tls, Metrics* metrics)
    : limits_(limits), tls_(std::move(tls)), metrics_(metrics) {
  new_task_queue = [this] { return new Threads(this); };
  set_tcp_nodelay(true);
  set_keep_alive_max_count(1 << 20);  // said to clients in a header; the loop below keeps no count
  set_keep_alive_timeout(absl::ToInt64Seconds(limits_.idle));
  // httplib's own default also sets SO_REUSEPORT, with which a second server would take some of the connections.
  set_socket_options([](socket_t file) {
    const int yes = 1;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
}

HttpServer::~HttpServer() {
  Stop();
  Join();
}

absl::Status HttpServer::Bind(HostAndPort* address) {
  if (absl::Status status = ProbeAddress(*address); !status.ok()) return status;
  const int bound = address->port == 0 ? bind_to_any_port(address->host)
                                       : (bind_to_port(address->host, address->port) ? address->port : -1);
  // httplib's backlog is 5: a page that loads its files at once would already fill it.
  if (bound <= 0 || ::listen(svr_sock_, kBacklog) != 0) {
    return absl::UnavailableError(
        absl::StrCat(AddressText(*address), ": cannot be listened on; choose another address"));
  }
  address->port = bound;
  return absl::OkStatus();
}

void HttpServer::Run() {
  if (!stopping_) listen_after_bind();
}

void HttpServer::Stop() {
  stopping_ = true;
  stop();
}

void HttpServer::Join() {
  while (metrics_->http_open > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// False: every connection is being answered.
bool HttpServer::MakeRoom() {
  bool gave_way = false;
  const auto start = std::chrono::steady_clock::now();
  while (metrics_->http_open >= limits_.connections) {
    if (!gave_way) {
      gave_way = connections_.GiveWay();
      if (gave_way) ++metrics_->http_evicted;
      // Fewer: some are about to close, or have a thread but no place in the table yet.
      if (!gave_way && connections_.size() >= static_cast<size_t>(limits_.connections)) return false;
    }
    if (std::chrono::steady_clock::now() - start > kPatience) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

bool HttpServer::Crowded() const { return metrics_->http_open * 4 >= limits_.connections * 3; }

bool HttpServer::process_and_close_socket(socket_t file) {
  if (refuse_connection) {
    if (tls_ == nullptr) static_cast<void>(::send(file, kBusy, sizeof(kBusy) - 1, MSG_NOSIGNAL | MSG_DONTWAIT));
    ::shutdown(file, SHUT_RDWR);
    ::close(file);
    return false;
  }
  const auto connection = std::make_unique<Connection>(this, file);
  current_peer = connection.get();
  bool served = connection->Handshake();
  while (served && !stopping_ && connection->Next()) {
    ++metrics_->http_requests;
    bool closed = false;
    // Ranges would let a short request ask for the same bytes thousands of times; nothing here is long enough for them.
    const auto set_up = [](httplib::Request& request) { request.ranges.clear(); };
    served = process_request(*connection, stopping_, closed, set_up) && !closed && !connection->close_after_answer();
    connection->Answered();
  }
  current_peer = nullptr;
  return served;
}

}  // namespace rewrought::rpc

#include "server/http/http_session.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
using Error = beast::error_code;
using Plain = beast::tcp_stream;
using Tls = beast::ssl_stream<beast::tcp_stream>;

constexpr size_t kReadBytes = 4 << 10;     // size of the first read of a request
constexpr size_t kBufferBytes = 64 << 10;  // maximum number of bytes that are read but not yet parsed
constexpr size_t kPieceBytes = 64 << 10;   // maximum number of bytes per write
constexpr auto kDisconnectPollInterval =
    std::chrono::milliseconds(100);                      // interval between checks that the client is still connected
constexpr auto kCloseTimeout = std::chrono::seconds(1);  // time for the client to close the connection after its last
                                                         // response
constexpr auto kStopping = std::chrono::milliseconds(500);  // time to finish sending a response when the server shuts
                                                            // down
constexpr int kFarewellReads = 64;

std::string HeadText(const HttpAnswer& answer, const HttpHeaders& common, absl::string_view framing, bool close) {
  const absl::string_view reason = [&]() -> absl::string_view {
    const http::status known = http::int_to_status(static_cast<unsigned>(answer.status));
    if (known == http::status::unknown) return "";
    const beast::string_view text = http::obsolete_reason(known);
    return {text.data(), text.size()};
  }();
  std::string text = absl::StrCat("HTTP/1.1 ", answer.status, " ", reason, "\r\n");
  for (const auto& [name, value] : answer.headers) absl::StrAppend(&text, name, ": ", value, "\r\n");
  for (const auto& [name, value] : common) {
    const auto same = [&name = name](const auto& own) { return absl::EqualsIgnoreCase(own.first, name); };
    if (std::none_of(answer.headers.begin(), answer.headers.end(), same)) {
      absl::StrAppend(&text, name, ": ", value, "\r\n");
    }
  }
  absl::StrAppend(&text, framing, close ? "Connection: close\r\n\r\n" : "\r\n");
  return text;
}

HttpRequest RequestOf(const http::request<http::string_body>& from) {
  HttpRequest request;
  request.method = std::string(from.method_string());
  request.SetTarget({from.target().data(), from.target().size()});
  for (const auto& field : from)
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  return request;
}

// All methods run on the strand of the socket, except Stop and the methods of HttpExchange, which post to the strand.
template <typename Stream>
class HttpSession final : public Session,
                          public HttpExchange,
                          public std::enable_shared_from_this<HttpSession<Stream>> {
 public:
  HttpSession(HttpShared* shared, Stream stream)
      : shared_(shared),
        stream_(std::move(stream)),
        watch_(stream_.get_executor()),
        id_(shared->listener->table.Add(Socket().native_handle())),
        memory_(shared->memory) {
    Error none;
    address_ = Socket().remote_endpoint(none).address().to_string();
    shared_->listener->counts->open = static_cast<int64_t>(shared_->listener->table.size());
  }

  ~HttpSession() override { Close(); }

  void Start() override {
    net::dispatch(stream_.get_executor(), [self = this->shared_from_this()] { self->Handshake(); });
  }

  void Stop() override {
    net::post(stream_.get_executor(), [self = this->shared_from_this()] {
      if (!self->answering_ || self->sending_) return self->Close();
      self->RemovedRules();
    });
  }

  // Methods of HttpExchange.

  void Answer(HttpAnswer answer) override {
    net::post(stream_.get_executor(), [self = this->shared_from_this(), answer = std::move(answer)]() mutable {
      self->Respond(std::move(answer));
    });
  }

  void Begin(HttpAnswer head) override {
    net::post(stream_.get_executor(), [self = this->shared_from_this(), head = std::move(head)] {
      self->chunked_ = self->version_ >= 11;
      if (!self->chunked_) self->close_ = true;  // in HTTP/1.0, closing the connection ends the stream
      self->pending_ =
          HeadText(head, self->shared_->headers, self->chunked_ ? "Transfer-Encoding: chunked\r\n" : "", self->close_);
    });
  }

  void Write(std::string piece, std::function<void(bool)> taken) override {
    net::post(stream_.get_executor(),
              [self = this->shared_from_this(), piece = std::move(piece), taken = std::move(taken)]() mutable {
                self->Chunk(std::move(piece), false, std::move(taken));
              });
  }

  void End(std::string piece) override {
    net::post(stream_.get_executor(), [self = this->shared_from_this(), piece = std::move(piece)]() mutable {
      self->Chunk(std::move(piece), true, [self](bool sent) {
        if (sent) self->Answered();
      });
    });
  }

  void OnDisconnect(std::function<void()> gone) override {
    net::post(stream_.get_executor(), [self = this->shared_from_this(), gone = std::move(gone)]() mutable {
      if (!self->answering_ && !self->closed_) return;
      self->gone_ = std::move(gone);
      if (self->closed_ || self->shared_->listener->stopping) self->RemovedRules();
    });
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, Tls>;

  beast::tcp_stream& Lowest() { return beast::get_lowest_layer(stream_); }
  net::ip::tcp::socket& Socket() { return Lowest().socket(); }

  void Expire(absl::Duration limit) { Lowest().expires_after(absl::ToChronoNanoseconds(limit)); }
  // Uses a shorter limit when connections are scarce.
  void ExpireReading(absl::Duration limit) {
    const bool crowded = shared_->listener->table.size() * 4 >= static_cast<size_t>(shared_->limits.connections) * 3;
    Expire(crowded ? std::min(limit, shared_->limits.crowded) : limit);
  }

  void Handshake() {
    if constexpr (kTls) {
      ExpireReading(shared_->limits.request);
      stream_.async_handshake(net::ssl::stream_base::server, [self = this->shared_from_this()](Error error) {
        error ? self->Fail(error) : self->Next();
      });
    } else {
      Next();
    }
  }

  // Waits for the first byte of the next request.
  void Next() {
    if (closed_ || shared_->listener->stopping) return Close();
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(shared_->limits.head_bytes));
    // The body is not limited yet, because the handler's error for a long body is better than Beast's. (boost::none
    // does not work here: in Boost 1.74, it is less than every length.)
    parser_->body_limit(std::numeric_limits<uint64_t>::max());
    close_ = chunked_ = head_only_ = false;
    version_ = 11;
    if (buffer_.size() > 0) return ReadHead();
    ExpireReading(shared_->limits.idle);
    stream_.async_read_some(buffer_.prepare(kReadBytes), [self = this->shared_from_this()](Error error, size_t size) {
      if (error) return self->Close();
      self->buffer_.commit(size);
      self->ReadHead();
    });
  }

  void ReadHead() {
    ExpireReading(shared_->limits.request);
    http::async_read_header(stream_, buffer_, *parser_, [self = this->shared_from_this()](Error error, size_t) {
      error ? self->Fail(error) : self->OnHead();
    });
  }

  void OnHead() {
    ++shared_->metrics->http_requests;
    const http::request<http::string_body>& head = parser_->get();
    version_ = head.version();
    head_only_ = head.method() == http::verb::head;
    if (std::distance(head.begin(), head.end()) > shared_->limits.headers) return FailWith(431);
    HttpAnswer refusal;
    request_ = RequestOf(head);  // copied before the body is read, because trailers must not count as headers
    request_.address = address_;
    if (shared_->handler->Refuse(&request_, &refusal)) {
      close_ = true;
      return Respond(std::move(refusal));
    }
    parser_->body_limit(shared_->limits.body_bytes);
    // The memory for a body of unknown length is taken in advance, because Beast's buffer may grow to the limit.
    const size_t expected_bytes =
        parser_->chunked() ? shared_->limits.body_bytes : parser_->content_length().value_or(0);
    if (expected_bytes > shared_->limits.small_body_bytes && !memory_.Take(expected_bytes)) return FailWith(503);
    const beast::string_view expected = head[http::field::expect];
    if (expected.empty() || parser_->is_done()) return ReadBody();
    if (!beast::iequals(expected, "100-continue")) return FailWith(417);
    Send("HTTP/1.1 100 Continue\r\n\r\n", nullptr, [self = this->shared_from_this()](bool sent) {
      if (!sent) return;
      self->ExpireReading(self->shared_->limits.request);
      self->ReadBody();
    });
  }

  // Reads the body of the request. The time limit that ReadHead set still applies.
  void ReadBody() {
    http::async_read(stream_, buffer_, *parser_, [self = this->shared_from_this()](Error error, size_t) {
      error ? self->Fail(error) : self->OnRequest();
    });
  }

  void OnRequest() {
    Lowest().expires_never();
    HttpRequest request = std::exchange(request_, {});
    request.body = std::move(parser_->get().body());
    close_ = !parser_->keep_alive();
    parser_.reset();
    answering_ = true;
    shared_->listener->table.Began(id_);
    Watch();
    shared_->handler->Handle(std::move(request), this->shared_from_this());
  }

  // Polls whether the client is still connected while a request is being answered.
  void Watch() {
    watch_.expires_after(kDisconnectPollInterval);
    watch_.async_wait([self = this->shared_from_this()](Error error) {
      if (error || self->closed_ || !self->answering_) return;
      pollfd one = {self->Socket().native_handle(), POLLRDHUP, 0};
      if (poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return self->RemovedRules();
      self->Watch();
    });
  }

  void RemovedRules() {
    if (gone_ != nullptr) std::exchange(gone_, nullptr)();
  }

  void Respond(HttpAnswer answer) {
    const size_t size = answer.body == nullptr ? 0 : answer.body->size();
    const std::string framing =
        absl::StrCat("Content-Length: ", size, "\r\n", version_ < 11 && !close_ ? "Connection: keep-alive\r\n" : "");
    Send(HeadText(answer, shared_->headers, framing, close_), head_only_ ? nullptr : std::move(answer.body),
         [self = this->shared_from_this()](bool sent) {
           if (sent) self->Answered();
         });
  }

  void Chunk(std::string piece, bool last, std::function<void(bool)> taken) {
    std::string text = std::exchange(pending_, "");
    if (!chunked_) {
      text += piece;
    } else {
      if (!piece.empty()) absl::StrAppend(&text, absl::Hex(piece.size()), "\r\n", piece, "\r\n");
      if (last) text += "0\r\n\r\n";
    }
    Send(std::move(text), nullptr, std::move(taken));
  }

  // Sends `text` and `body`. Then calls `then` with true if the client has read everything, and with false otherwise.
  void Send(std::string text, std::shared_ptr<const std::string> body, std::function<void(bool)> then) {
    text_ = std::move(text);
    body_ = std::move(body);
    sent_ = 0;
    then_ = std::move(then);
    sending_ = true;
    SendSome();
  }

  void SendSome() {
    const size_t body_size = body_ == nullptr ? 0 : body_->size();
    const size_t left = text_.size() + body_size - sent_;
    if (answering_) shared_->listener->table.Sending(id_, left > 0);
    if (closed_ || left == 0) {
      sending_ = false;
      body_ = nullptr;
      std::exchange(then_, nullptr)(!closed_);
      return;
    }
    shared_->listener->stopping ? Lowest().expires_after(kStopping) : Expire(shared_->limits.write);
    const size_t in_text = std::min(sent_, text_.size());
    std::array<net::const_buffer, 2> buffers = {net::buffer(text_) + in_text, net::const_buffer()};
    if (body_ != nullptr) buffers[1] = net::buffer(net::buffer(*body_) + (sent_ - in_text), kPieceBytes);
    stream_.async_write_some(buffers, [self = this->shared_from_this()](Error error, size_t size) {
      if (error) {
        self->Fail(error);
      } else {
        self->sent_ += size;
      }
      self->SendSome();
    });
  }

  void Answered() {
    if (std::exchange(answering_, false)) {
      watch_.cancel();
      gone_ = nullptr;
      shared_->listener->table.Ended(id_);
    }
    memory_.Return(memory_.held());
    if (!close_ && !shared_->listener->stopping) return Next();
    if constexpr (kTls) {
      Lowest().expires_after(kCloseTimeout);
      stream_.async_shutdown([self = this->shared_from_this()](Error) { self->Close(); });
    } else {
      // Closing a connection with unread bytes would reset it, possibly before the client has read the response.
      Error none;
      Socket().shutdown(net::ip::tcp::socket::shutdown_send, none);
      Lowest().expires_after(kCloseTimeout);
      Discard(kFarewellReads);
    }
  }

  void Discard(int reads) {
    buffer_.consume(buffer_.size());
    stream_.async_read_some(buffer_.prepare(kBufferBytes),
                            [self = this->shared_from_this(), reads](Error error, size_t) {
                              if (error || reads == 0) return self->Close();
                              self->Discard(reads - 1);
                            });
  }

  void FailWith(int status) {
    close_ = true;
    HttpAnswer answer;
    answer.status = status;
    Respond(std::move(answer));
  }

  void Fail(const Error& error) {
    if (error == beast::error::timeout) ++shared_->listener->counts->timed_out;
    static const Error kOfHttp = http::error::bad_method;
    if (error.category() != kOfHttp.category() || error == http::error::end_of_stream ||
        error == http::error::partial_message || sending_) {
      return Close();
    }
    if (error == http::error::body_limit) return FailWith(413);
    FailWith(error == http::error::header_limit || error == http::error::buffer_overflow ? 431 : 400);
  }

  void Close() {
    if (std::exchange(closed_, true)) return;
    watch_.cancel();
    shared_->listener->table.Remove(id_);  // must happen before the descriptor can be reused
    shared_->listener->counts->open = static_cast<int64_t>(shared_->listener->table.size());
    Error none;
    Socket().close(none);
    RemovedRules();
  }

  HttpShared* const shared_;
  Stream stream_;
  net::steady_timer watch_;
  const ConnectionTable::Id id_;
  MemoryBudget::Account memory_;
  std::string address_;
  beast::flat_buffer buffer_{kBufferBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  // The state of the request that is being read or answered.
  HttpRequest request_;  // without its body
  unsigned version_ = 11;
  bool answering_ = false, close_ = false, chunked_ = false, head_only_ = false, closed_ = false;
  std::function<void()> gone_;
  // The data that is being sent.
  bool sending_ = false;
  std::string pending_, text_;
  std::shared_ptr<const std::string> body_;
  size_t sent_ = 0;
  std::function<void(bool)> then_;
};

}  // namespace

std::shared_ptr<Session> MakeHttpSession(HttpShared* shared, net::ip::tcp::socket socket, net::ssl::context* tls) {
  if (tls == nullptr) return std::make_shared<HttpSession<Plain>>(shared, Plain(std::move(socket)));
  return std::make_shared<HttpSession<Tls>>(shared, Tls(Plain(std::move(socket)), *tls));
}

}  // namespace rewrought::rpc

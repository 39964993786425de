#include "server/http/grpc_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/internal/endian.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

namespace net = boost::asio;
using Error = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Plain = net::ip::tcp::socket;
using Tls = net::ssl::stream<net::ip::tcp::socket>;

constexpr size_t kReadBytes = 8 << 10;
constexpr size_t kWriteBytes = 64 << 10;    // a write ends with the frame that exceeds this size
constexpr size_t kMostControlFrames = 100;  // frames that wait to be sent; while there are more, nothing is read
constexpr size_t kPrefixBytes = 5;          // of a message: a flag for compression, and the length
constexpr size_t kStreamBytes = 2 << 10;    // estimated size of a call's state, which counts toward the memory budget
constexpr absl::Duration kStopping = absl::Milliseconds(500);  // time to send the last responses when the server stops
constexpr auto kTick = std::chrono::milliseconds(500);         // interval of the checks for expired times

absl::string_view View(const uint8_t* text, size_t size) { return {reinterpret_cast<const char*>(text), size}; }

// nghttp2 reports the size of freed memory neither to its caller nor to us, so each block starts with its size.
struct alignas(std::max_align_t) BlockHead {
  size_t size;
};

void* Allocate(size_t size, void* account) {
  if (!static_cast<MemoryBudget::Account*>(account)->Take(size + sizeof(BlockHead))) return nullptr;
  auto* const head = static_cast<BlockHead*>(std::malloc(size + sizeof(BlockHead)));
  if (head == nullptr) return nullptr;
  head->size = size + sizeof(BlockHead);
  return head + 1;
}

void Free(void* block, void* account) {
  if (block == nullptr) return;
  BlockHead* const head = static_cast<BlockHead*>(block) - 1;
  static_cast<MemoryBudget::Account*>(account)->Return(head->size);
  std::free(head);
}

void* AllocateZeroed(size_t count, size_t size, void* account) {
  if (size != 0 && count > SIZE_MAX / 2 / size) return nullptr;
  void* const block = Allocate(count * size, account);
  return block == nullptr ? nullptr : std::memset(block, 0, count * size);
}

void* Reallocate(void* block, size_t size, void* account) {
  if (block == nullptr) return Allocate(size, account);
  void* const other = Allocate(size, account);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, std::min(size, (static_cast<BlockHead*>(block) - 1)->size - sizeof(BlockHead)));
  Free(block, account);
  return other;
}

nghttp2_nv Header(absl::string_view name, absl::string_view value) {
  const auto bytes = [](absl::string_view text) { return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// The state of a call.
struct Stream {
  Clock::time_point started, progressed;  // when the call started, and when the client last read part of a response
  GrpcHead head;
  size_t head_bytes = 0;
  bool complete = false;  // whether the client has sent all of its messages
  std::optional<AdmittedCall> admitted;
  std::string body;  // received bytes that are not a complete message yet, or the only message
  size_t held = 0;   // bytes of the memory budget
  bool started_call = false;
  std::shared_ptr<GrpcCall> call;
  // The response.
  bool answered = false;  // whether the response's headers have been submitted
  std::string out;
  size_t sent = 0;
  std::function<void(bool)> taken;
  std::optional<grpc::Status> status;
};

// All methods run on the strand of the socket, except Stop and the methods of Exchange, which post to the strand.
template <typename Transport>
class GrpcSession final : public Session, public std::enable_shared_from_this<GrpcSession<Transport>> {
 public:
  GrpcSession(GrpcShared* shared, Transport transport)
      : shared_(shared),
        transport_(std::move(transport)),
        timer_(transport_.get_executor()),
        id_(shared->listener->table.Add(Socket().native_handle())),
        memory_(shared->memory),
        heard_(Clock::now()) {
    Error none;
    address_ = Socket().remote_endpoint(none).address().to_string();
    CountOpen();
  }

  ~GrpcSession() override {
    Close();
    nghttp2_session_del(session_);
  }

  void Start() override {
    net::dispatch(transport_.get_executor(), [self = this->shared_from_this()] {
      self->Tick();
      self->Handshake();
    });
  }

  void Stop() override {
    net::post(transport_.get_executor(), [self = this->shared_from_this()] {
      if (self->session_ == nullptr) return self->Close();
      self->stopped_ = Clock::now();
      // Calls whose message has not arrived are refused. The others end when the server cancels them.
      std::vector<int32_t> waiting;
      for (const auto& [id, stream] : self->streams_) {
        if (!stream.started_call) waiting.push_back(id);
      }
      for (const int32_t id : waiting) self->Refuse(id, absl::UnavailableError("the server is shutting down"));
      nghttp2_submit_goaway(self->session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(self->session_),
                            NGHTTP2_NO_ERROR, nullptr, 0);
      self->Flush();
    });
  }

 private:
  static constexpr bool kTls = std::is_same_v<Transport, Tls>;

  // Connects a call to its stream.
  class Exchange final : public GrpcExchange {
   public:
    Exchange(std::shared_ptr<GrpcSession> session, int32_t id) : session_(std::move(session)), id_(id) {}
    void Write(std::string message, std::function<void(bool)> taken) override {
      net::post(session_->transport_.get_executor(),
                [session = session_, id = id_, message = std::move(message), taken = std::move(taken)]() mutable {
                  session->OnMessage(id, std::move(message), std::move(taken));
                });
    }
    void Finish(grpc::Status status) override {
      net::post(session_->transport_.get_executor(),
                [session = session_, id = id_, status = std::move(status)]() mutable {
                  session->OnFinished(id, std::move(status));
                });
    }

   private:
    const std::shared_ptr<GrpcSession> session_;
    const int32_t id_;
  };

  Plain& Socket() {
    if constexpr (kTls) {
      return transport_.next_layer();
    } else {
      return transport_;
    }
  }

  void CountOpen() { shared_->listener->counts->open = static_cast<int64_t>(shared_->listener->table.size()); }

  void Handshake() {
    if constexpr (kTls) {
      transport_.async_handshake(net::ssl::stream_base::server, [self = this->shared_from_this()](Error error) {
        error ? self->Close() : self->Greet();
      });
    } else {
      Greet();
    }
  }

  void Greet() {
    if (closed_ || shared_->listener->stopping) return Close();
    const std::array<nghttp2_settings_entry, 3> settings = {{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<uint32_t>(shared_->limits.streams)},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(shared_->limits.head_bytes)},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    }};
    if (!Open() || nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0) {
      return Close();
    }
    Flush();
    Read();
  }

  bool Open() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0) {
      nghttp2_session_callbacks_del(callbacks);
      return false;
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          return static_cast<GrpcSession*>(self)->OnBegin(*frame);
        });
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* self) {
          return static_cast<GrpcSession*>(self)->OnHeader(*frame, View(name, name_size), View(value, value_size));
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
                                                           return static_cast<GrpcSession*>(self)->OnFrame(*frame);
                                                         });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
          return static_cast<GrpcSession*>(self)->OnData(id, View(data, size));
        });
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks,
                                                         [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
                                                           return static_cast<GrpcSession*>(self)->OnSent(*frame);
                                                         });
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks,
                                                           [](nghttp2_session*, int32_t id, uint32_t, void* self) {
                                                             return static_cast<GrpcSession*>(self)->OnStreamClosed(id);
                                                           });
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    // Calls with a header value that ends in a space are answered, although RFC 9113, 8.2.1, calls them malformed.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);
    nghttp2_option_set_max_outbound_ack(option, 10 * kMostControlFrames);
    nghttp2_option_set_stream_reset_rate_limit(option, shared_->limits.reset_burst, shared_->limits.resets);
    nghttp2_mem memory = {&memory_, Allocate, Free, AllocateZeroed, Reallocate};
    const bool opened = nghttp2_session_server_new3(&session_, callbacks, this, option, &memory) == 0;
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return opened;
  }

  void Read() {
    // While the client is not reading the answers to its frames, no further frames are read.
    if (reading_ || closed_ || nghttp2_session_get_outbound_queue_size(session_) > kMostControlFrames) return;
    reading_ = true;
    transport_.async_read_some(net::buffer(read_), [self = this->shared_from_this()](Error error, size_t size) {
      self->reading_ = false;
      if (error || self->closed_) return self->Close();
      self->OnRead(size);
    });
  }

  void OnRead(size_t size) {
    if (nghttp2_session_mem_recv(session_, read_.data(), size) < 0) return Close();
    Flush();
    Read();
  }

  // Sends the frames that are ready.
  void Flush() {
    if (writing_ || closed_) return;
    write_.clear();
    while (write_.size() < kWriteBytes) {
      const uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &data);
      if (size < 0) return Close();
      if (size == 0) break;
      write_.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    }
    if (write_.empty()) {
      const bool finished = nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
      if (finished || (shared_->listener->stopping && streams_.empty())) Close();
      return;
    }
    writing_ = true;
    wrote_ = Clock::now();
    net::async_write(transport_, net::buffer(write_), [self = this->shared_from_this()](Error error, size_t) {
      self->writing_ = false;
      if (error || self->closed_) return self->Close();
      if (self->write_.capacity() > kReadBytes) std::string().swap(self->write_);
      for (const auto& taken : std::exchange(self->taken_, {})) taken(true);
      self->ReportSending();
      self->Flush();
      self->Read();
    });
  }

  void ReportSending() {
    const bool more =
        std::any_of(streams_.begin(), streams_.end(), [](const auto& one) { return !one.second.out.empty(); });
    if (more || was_sending_) shared_->listener->table.Sending(id_, more);
    was_sending_ = more;
  }

  // Callbacks of nghttp2. They must not send or receive.

  int OnBegin(const nghttp2_frame& frame) {
    if (frame.hd.type != NGHTTP2_HEADERS || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    if (!memory_.Take(kStreamBytes)) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    Stream& stream = streams_[frame.hd.stream_id];
    stream.started = stream.progressed = heard_ = Clock::now();
    return 0;
  }

  int OnHeader(const nghttp2_frame& frame, absl::string_view name, absl::string_view value) {
    const auto found = streams_.find(frame.hd.stream_id);
    if (found == streams_.end() || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    GrpcHead& head = found->second.head;
    found->second.head_bytes += name.size() + value.size() + 32;  // as RFC 9113, 6.5.2, counts them
    if (found->second.head_bytes > shared_->limits.head_bytes) return 0;
    std::string* const field = name == ":method"         ? &head.http_method
                               : name == ":path"         ? &head.path
                               : name == "content-type"  ? &head.content_type
                               : name == "grpc-encoding" ? &head.encoding
                               : name == "grpc-timeout"  ? &head.timeout
                               : name == "authorization" ? &head.authorizations.emplace_back()
                                                         : nullptr;
    if (field != nullptr) field->assign(value.data(), value.size());
    return 0;
  }

  int OnFrame(const nghttp2_frame& frame) {
    greeted_ = true;
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return 0;
    const auto found = streams_.find(frame.hd.stream_id);
    if (found == streams_.end()) return 0;
    if (frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST) OnHead(found->first);
    if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) OnComplete(found->first);
    return 0;
  }

  void OnHead(int32_t id) {
    Stream& stream = streams_.at(id);
    const GrpcHead head = std::exchange(stream.head, {});
    if (head.http_method != "POST" || !absl::StartsWith(head.content_type, "application/grpc")) {
      const std::array<nghttp2_nv, 1> headers = {Header(":status", "415")};
      stream.answered = true;
      nghttp2_submit_response(session_, id, headers.data(), headers.size(), nullptr);
      return;
    }
    if (stream.head_bytes > shared_->limits.head_bytes) {
      return Refuse(id, absl::ResourceExhaustedError(
                            absl::StrCat("the headers exceed ", shared_->limits.head_bytes, " bytes; send fewer")));
    }
    if (shared_->listener->stopping) return Refuse(id, absl::UnavailableError("the server is shutting down"));
    if (calls_ >= shared_->limits.streams) {
      return Refuse(id, absl::ResourceExhaustedError("too many cancelled calls of this connection have not ended yet; "
                                                     "try again in a second"));
    }
    absl::StatusOr<AdmittedCall> admitted = shared_->gateway->Admit(head, address_);
    if (!admitted.ok()) return Refuse(id, admitted.status());
    const bool client_streams = admitted->client_streams;
    stream.admitted.emplace(*std::move(admitted));
    if (client_streams) StartCall(id, &stream);
  }

  int OnData(int32_t id, absl::string_view data) {
    nghttp2_session_consume(session_, id, data.size());
    const auto found = streams_.find(id);
    if (found == streams_.end() || found->second.answered || (!found->second.admitted && !found->second.call)) return 0;
    Stream& stream = found->second;
    if (!memory_.Take(data.size())) {
      Refuse(id, absl::ResourceExhaustedError("the server is receiving too many messages; try again in a second"));
      return 0;
    }
    stream.held += data.size();
    stream.body.append(data.data(), data.size());
    while (stream.body.size() >= kPrefixBytes) {
      const uint32_t size = absl::big_endian::Load32(stream.body.data() + 1);
      if (stream.body[0] != 0) {
        Refuse(id, absl::UnimplementedError("compressed messages are not supported; send uncompressed messages"));
        return 0;
      }
      if (size > shared_->limits.message_bytes) {
        Refuse(id, absl::ResourceExhaustedError(
                       absl::StrCat("the message has ", size, " bytes; the limit is ", shared_->limits.message_bytes)));
        return 0;
      }
      const size_t whole = kPrefixBytes + size;
      if (stream.body.size() < whole) return 0;
      if (!stream.call) {
        if (stream.body.size() == whole) return 0;
        Refuse(id, absl::InvalidArgumentError("the method takes one message, but the client has sent more"));
        return 0;
      }
      if (!stream.call->Send(stream.body.substr(kPrefixBytes, size))) {
        Refuse(id, absl::ResourceExhaustedError("too many messages of this call are waiting; wait for responses"));
        return 0;
      }
      stream.body.erase(0, whole);
      memory_.Return(whole);
      stream.held -= whole;
    }
    return 0;
  }

  // Handles the end of the client's messages.
  void OnComplete(int32_t id) {
    Stream& stream = streams_.at(id);
    stream.complete = true;
    if (stream.answered) return;
    if (stream.call) return stream.call->SendEnd();
    if (!stream.admitted) return;
    const bool one_message = stream.body.size() >= kPrefixBytes &&
                             stream.body.size() == kPrefixBytes + absl::big_endian::Load32(stream.body.data() + 1);
    if (!one_message) return Refuse(id, absl::InvalidArgumentError("the call ended before its message arrived"));
    StartCall(id, &stream);
    stream.call->Send(stream.body.substr(kPrefixBytes));
    stream.call->SendEnd();
    ReturnBody(&stream);
  }

  void ReturnBody(Stream* stream) {
    std::string().swap(stream->body);
    memory_.Return(std::exchange(stream->held, 0));
  }

  void StartCall(int32_t id, Stream* stream) {
    ++calls_;
    stream->started_call = true;
    shared_->listener->table.Began(id_);
    stream->call = shared_->gateway->Start(*std::exchange(stream->admitted, std::nullopt),
                                           std::make_shared<Exchange>(this->shared_from_this(), id));
  }

  // After a response has ended, the client need not send the rest of its messages.
  int OnSent(const nghttp2_frame& frame) {
    if (frame.hd.type != NGHTTP2_HEADERS || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    const auto found = streams_.find(frame.hd.stream_id);
    if (found == streams_.end() || found->second.complete) return 0;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, found->first, NGHTTP2_NO_ERROR);
    return 0;
  }

  int OnStreamClosed(int32_t id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return 0;
    Leave(&found->second);
    streams_.erase(found);
    memory_.Return(kStreamBytes);
    heard_ = Clock::now();
    return 0;
  }

  // Cancels the call, unless it has ended.
  void Leave(Stream* stream) {
    ReturnBody(stream);
    if (stream->call && !stream->status.has_value()) stream->call->Cancel();
    if (stream->taken) std::exchange(stream->taken, nullptr)(false);
  }

  // Ends a call that has not been forwarded, or whose messages the server does not accept.
  void Refuse(int32_t id, const absl::Status& status) {
    Stream& stream = streams_.at(id);
    if (stream.answered) return;
    if (stream.call) stream.call->Cancel();
    stream.admitted.reset();
    ReturnBody(&stream);
    SubmitTrailersOnly(id, &stream, ToGrpc(status));
  }

  static std::vector<nghttp2_nv> Headers(const HttpHeaders& from) {
    std::vector<nghttp2_nv> headers;
    for (const auto& [name, value] : from) headers.push_back(Header(name, value));
    return headers;
  }

  void SubmitTrailersOnly(int32_t id, Stream* stream, const grpc::Status& status) {
    HttpHeaders fields = {{":status", "200"}, {"content-type", "application/grpc"}};
    if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) fields.emplace_back("grpc-accept-encoding", "identity");
    for (auto& trailer : GrpcTrailers(status)) fields.push_back(std::move(trailer));
    const std::vector<nghttp2_nv> headers = Headers(fields);
    stream->answered = true;
    stream->status = status;
    nghttp2_submit_response(session_, id, headers.data(), headers.size(), nullptr);
  }

  // Responses.

  void OnMessage(int32_t id, std::string message, std::function<void(bool)> taken) {
    const auto found = streams_.find(id);
    if (closed_ || found == streams_.end() || found->second.status.has_value()) return taken(false);
    Stream& stream = found->second;
    stream.out.assign(kPrefixBytes, '\0');
    absl::big_endian::Store32(stream.out.data() + 1, static_cast<uint32_t>(message.size()));
    stream.out += message;
    stream.sent = 0;
    stream.taken = std::move(taken);
    stream.progressed = Clock::now();
    was_sending_ = true;
    shared_->listener->table.Sending(id_, true);
    if (stream.answered) {
      nghttp2_session_resume_data(session_, id);
    } else {
      stream.answered = true;
      const HttpHeaders fields = {{":status", "200"}, {"content-type", "application/grpc"}};
      const std::vector<nghttp2_nv> headers = Headers(fields);
      nghttp2_data_provider provider = {};
      provider.read_callback = [](nghttp2_session*, int32_t stream_id, uint8_t* buffer, size_t size, uint32_t* flags,
                                  nghttp2_data_source*, void* self) {
        return static_cast<GrpcSession*>(self)->Provide(stream_id, buffer, size, flags);
      };
      if (nghttp2_submit_response(session_, id, headers.data(), headers.size(), &provider) != 0) return Close();
    }
    Flush();
  }

  // Copies the next bytes of a response to `buffer`, and submits the trailers after the last byte.
  ssize_t Provide(int32_t id, uint8_t* buffer, size_t size, uint32_t* flags) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    Stream& stream = found->second;
    const size_t copied = std::min(size, stream.out.size() - stream.sent);
    std::memcpy(buffer, stream.out.data() + stream.sent, copied);
    stream.sent += copied;
    if (copied > 0) stream.progressed = Clock::now();
    if (stream.sent == stream.out.size() && !stream.out.empty()) {
      std::string().swap(stream.out);
      stream.sent = 0;
      taken_.push_back(std::exchange(stream.taken, nullptr));
    }
    if (stream.status.has_value() && stream.out.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const HttpHeaders fields = GrpcTrailers(*stream.status);
      const std::vector<nghttp2_nv> trailers = Headers(fields);
      nghttp2_submit_trailer(session_, id, trailers.data(), trailers.size());
    } else if (copied == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(copied);
  }

  void OnFinished(int32_t id, grpc::Status status) {
    --calls_;
    shared_->listener->table.Ended(id_);
    const auto found = streams_.find(id);
    if (closed_) return;
    if (found != streams_.end() && !found->second.status.has_value()) {
      Stream& stream = found->second;
      if (!stream.answered) {
        SubmitTrailersOnly(id, &stream, status);
      } else {
        stream.status = std::move(status);
        nghttp2_session_resume_data(session_, id);
      }
    }
    Flush();
  }

  // Closes the connection if its time has expired. Otherwise, ends the calls whose time has expired.
  void Tick() {
    if (closed_) return;
    const auto now = Clock::now();
    const auto expired = [&](Clock::time_point since, absl::Duration limit) {
      return now - since > absl::ToChronoNanoseconds(limit);
    };
    const GrpcLimits& limits = shared_->limits;
    if ((!greeted_ && expired(heard_, limits.greeting)) || (writing_ && expired(wrote_, limits.write))) {
      ++shared_->listener->counts->timed_out;
      return Close();
    }
    if (stopped_.has_value() && calls_ == 0 && expired(*stopped_, kStopping)) return Close();
    if (greeted_ && streams_.empty() && !writing_ && expired(heard_, limits.idle)) {
      nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
    }
    std::vector<int32_t> late, stuck;
    for (const auto& [id, stream] : streams_) {
      if (!stream.started_call && !stream.answered && expired(stream.started, limits.request)) late.push_back(id);
      if (!stream.out.empty() && expired(stream.progressed, limits.write)) stuck.push_back(id);
    }
    for (const int32_t id : late) Refuse(id, absl::DeadlineExceededError("the message did not arrive in time"));
    for (const int32_t id : stuck) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    if (session_ != nullptr) Flush();
    timer_.expires_after(kTick);
    timer_.async_wait([weak = this->weak_from_this()](Error error) {
      const auto self = weak.lock();
      if (!error && self != nullptr) self->Tick();
    });
  }

  void Close() {
    if (std::exchange(closed_, true)) return;
    timer_.cancel();
    shared_->listener->table.Remove(id_);  // must happen before the descriptor can be reused
    CountOpen();
    Error none;
    Socket().close(none);
    for (const auto& taken : std::exchange(taken_, {})) taken(false);
    for (auto& [id, stream] : streams_) Leave(&stream);
    streams_.clear();
  }

  GrpcShared* const shared_;
  Transport transport_;
  net::steady_timer timer_;
  const ConnectionTable::Id id_;
  std::string address_;
  MemoryBudget::Account memory_;  // must be destroyed after session_
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Stream> streams_;
  int calls_ = 0;  // calls that have been forwarded and have not ended
  bool greeted_ = false, closed_ = false;
  std::optional<Clock::time_point> stopped_;
  Clock::time_point heard_;  // when the connection was opened, or a call started or ended
  bool reading_ = false;
  std::array<uint8_t, kReadBytes> read_;
  // The data that is being sent.
  bool writing_ = false, was_sending_ = false;
  Clock::time_point wrote_;
  std::string write_;
  std::vector<std::function<void(bool)>> taken_;  // callbacks of the messages that end in write_
};

}  // namespace

std::shared_ptr<Session> MakeGrpcSession(GrpcShared* shared, net::ip::tcp::socket socket, net::ssl::context* tls) {
  if (tls == nullptr) return std::make_shared<GrpcSession<Plain>>(shared, std::move(socket));
  return std::make_shared<GrpcSession<Tls>>(shared, Tls(std::move(socket), *tls));
}

}  // namespace rewrought::rpc

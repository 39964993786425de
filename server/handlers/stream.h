// Streams responses to a client. A handler queues messages and may set a source, which is queried for another message
// whenever the client has read one. No thread is blocked between two messages, and the bytes queued for a slow client
// are bounded.
#ifndef REWROUGHT_SERVER_HANDLERS_STREAM_H_
#define REWROUGHT_SERVER_HANDLERS_STREAM_H_

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/handlers/open_call.h"
#include "server/messages/status.h"
#include "server/work_pool.h"

namespace rewrought::rpc {

enum class Next {
  kMessage,  // a message was produced
  kWait,     // no message is ready yet; call again after the stream is woken
  kEnd,
};

// The interface through which a handler writes.
template <typename Response>
class Stream {
 public:
  using Source = std::function<absl::StatusOr<Next>(Response*)>;

  virtual ~Stream() = default;

  // Queues a message. Returns false if the client has disconnected or is not reading; the handler should then return,
  // with any status.
  virtual bool Write(const Response& response) = 0;

  // Sets the source of the messages that are sent once the handler has returned OK. The pool's threads call the source,
  // one at a time.
  virtual void Follow(Source source) = 0;

  // Returns a function that wakes a waiting source. Any thread may call it, even after the stream has ended.
  virtual std::function<void()> Waker() = 0;
};

// Implements the server's side of a stream.
template <typename Response>
class StreamCall final : public grpc::ServerWriteReactor<Response>, public Stream<Response> {
 public:
  using Handler = std::function<absl::Status(Call&, Stream<Response>*)>;
  using typename Stream<Response>::Source;

  static grpc::ServerWriteReactor<Response>* Start(const Backend& backend, Role role,
                                                   grpc::CallbackServerContext* context, Handler handler) {
    absl::StatusOr<std::unique_ptr<OpenCall>> open = OpenCall::Admit(backend, role, true, context);
    auto* const stream = new StreamCall(backend.pool, open.ok() ? *std::move(open) : nullptr);
    if (!open.ok()) {
      stream->Finish(ToGrpc(open.status()));
      return stream;
    }
    backend.pool->Do(stream->open_->call.client(), [stream, handler = std::move(handler)] {
      absl::Status status = handler(stream->open_->call, stream);
      std::unique_lock<std::mutex> lock(stream->mutex_);
      stream->working_ = false;
      if (!status.ok() || stream->source_ == nullptr) stream->result_ = std::move(status);
      stream->Advance(std::move(lock));
    });
    return stream;
  }

  bool Write(const Response& response) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (gone_ || unread_) return false;
    queued_ += response.ByteSizeLong();
    queue_.push_back(response);
    unread_ = queue_.size() > 1 && queued_ > kMostQueued;
    Advance(std::move(lock));
    return true;
  }

  void Follow(Source source) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    source_ = std::move(source);
  }

  std::function<void()> Waker() override {
    return [handle = handle_] {
      const std::lock_guard<std::mutex> held(handle->mutex);
      if (handle->stream != nullptr) handle->stream->Wake();
    };
  }

  void OnWriteDone(bool ok) override {
    open_->call.Sending(false);
    std::unique_lock<std::mutex> lock(mutex_);
    writing_ = false;
    gone_ = gone_ || !ok;
    Advance(std::move(lock));
  }

  void OnCancel() override {
    if (open_ == nullptr) return;
    open_->call.Cancel();
    std::unique_lock<std::mutex> lock(mutex_);
    gone_ = true;
    Advance(std::move(lock));
  }

  void OnDone() override {
    {
      const std::lock_guard<std::mutex> held(handle_->mutex);
      handle_->stream = nullptr;
    }
    delete this;
  }

 private:
  static constexpr size_t kMostQueued = 1 << 20;  // maximum number of bytes queued for a client that is not reading

  // Outlives the stream, because other threads may still hold the handle and try to wake the stream.
  struct Handle {
    std::mutex mutex;
    StreamCall* stream = nullptr;
  };

  StreamCall(WorkPool* pool, std::unique_ptr<OpenCall> open) : pool_(pool), open_(std::move(open)) {
    handle_->stream = this;
  }

  void Wake() {
    std::unique_lock<std::mutex> lock(mutex_);
    woken_ = true;
    Advance(std::move(lock));
  }

  // Performs the next step after releasing the lock. While a message is being written or produced, no other thread
  // ends the stream.
  void Advance(std::unique_lock<std::mutex> lock) {
    if (finished_ || writing_) return;
    if (gone_) queue_.clear();
    if (!queue_.empty()) {
      current_ = std::move(queue_.front());
      queue_.pop_front();
      queued_ -= std::min(queued_, current_.ByteSizeLong());
      writing_ = true;
      lock.unlock();
      open_->call.Sending(true);
      return this->StartWrite(&current_);
    }
    if (working_) return;
    if (gone_ && !result_.has_value()) result_ = absl::CancelledError("the client has disconnected");
    if (result_.has_value()) {
      finished_ = true;
      if (unread_ && !gone_)
        result_ = absl::ResourceExhaustedError(
            "the client is not reading its messages fast enough; read faster or request less");
      lock.unlock();
      open_->call.Sending(true);
      return this->Finish(ToGrpc(*result_));
    }
    if (waiting_ && !woken_) return;
    waiting_ = woken_ = false;
    working_ = true;
    lock.unlock();
    pool_->Do(open_->call.client(), [this] { Ask(); });
  }

  void Ask() {
    Response response;
    const absl::StatusOr<Next> next = source_(&response);
    std::unique_lock<std::mutex> lock(mutex_);
    working_ = false;
    if (!next.ok()) {
      result_ = next.status();
    } else if (*next == Next::kMessage) {
      queued_ += response.ByteSizeLong();
      queue_.push_back(std::move(response));
    } else if (*next == Next::kWait) {
      waiting_ = true;
    } else {
      result_ = absl::OkStatus();
    }
    Advance(std::move(lock));
  }

  WorkPool* const pool_;
  const std::unique_ptr<OpenCall> open_;  // null if the call was refused
  const std::shared_ptr<Handle> handle_ = std::make_shared<Handle>();
  Response current_;  // the message being written

  std::mutex mutex_;  // guards the following members
  std::deque<Response> queue_;
  size_t queued_ = 0;  // bytes
  Source source_;
  std::optional<absl::Status> result_;
  bool working_ = true;  // the handler or the source is running
  bool writing_ = false, waiting_ = false, woken_ = false, finished_ = false;
  bool gone_ = false, unread_ = false;  // the client has disconnected; it has read too little
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_STREAM_H_

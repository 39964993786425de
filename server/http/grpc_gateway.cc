#include "server/http/grpc_gateway.h"

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <deque>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

constexpr size_t kMostWaiting = 16;  // maximum number of waiting messages per call
constexpr char kHealth[] = "/grpc.health.v1.Health/";
constexpr char kReflection[] = "/grpc.reflection.v1alpha.ServerReflection/";

std::string PercentEncoded(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      encoded += c;
    } else {
      absl::StrAppend(&encoded, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return encoded;
}

grpc::ByteBuffer BytesOf(const std::string& text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

std::string TextOf(const grpc::ByteBuffer& bytes) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!bytes.Dump(&slices).ok()) return text;
  text.reserve(bytes.Length());
  for (const grpc::Slice& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

}  // namespace

// Owns itself until it has ended.
class GrpcGateway::Call final : public GrpcCall, public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Call(GrpcGateway* gateway, AdmittedCall admitted, std::shared_ptr<GrpcExchange> exchange)
      : gateway_(gateway),
        stub_(gateway->channel_),
        path_(std::move(admitted.path)),
        place_(std::move(admitted.place)),
        exchange_(std::move(exchange)) {
    if (admitted.deadline != absl::InfiniteFuture()) context_.set_deadline(absl::ToChronoTime(admitted.deadline));
    if (admitted.caller.has_value()) Introduce(*admitted.caller, &context_);
  }

  void Start(std::shared_ptr<Call> self) {
    self_ = std::move(self);
    stub_.PrepareBidiStreamingCall(&context_, path_, {}, this);
    AddMultipleHolds(2);  // one for reads and one for writes, because both are started outside of the callbacks
    StartRead(&received_);
    StartCall();
  }

  bool Send(std::string message) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (queue_.size() >= kMostWaiting) return false;
    queue_.push_back(BytesOf(message));
    Advance(std::move(lock));
    return true;
  }

  void SendEnd() override {
    std::unique_lock<std::mutex> lock(mutex_);
    sending_ended_ = true;
    Advance(std::move(lock));
  }

  void Cancel() override {
    context_.TryCancel();
    std::unique_lock<std::mutex> lock(mutex_);
    cancelled_ = true;
    Advance(std::move(lock));
  }

  void OnWriteDone(bool ok) override {
    std::unique_lock<std::mutex> lock(mutex_);
    writing_ = false;
    cancelled_ = cancelled_ || !ok;
    Advance(std::move(lock));
  }

  void OnReadDone(bool ok) override {
    if (!ok) return RemoveHold();
    std::string message = TextOf(received_);
    received_.Clear();
    exchange_->Write(std::move(message), [this](bool taken) {
      if (taken) return StartRead(&received_);
      Cancel();
      RemoveHold();
    });
  }

  void OnDone(const grpc::Status& status) override {
    exchange_->Finish(status);
    GrpcGateway* const gateway = gateway_;
    place_.reset();
    std::exchange(self_, nullptr).reset();  // may destroy this object
    gateway->Leave();
  }

 private:
  // Starts the next write after releasing the lock, because gRPC may call OnWriteDone or OnDone immediately.
  void Advance(std::unique_lock<std::mutex> lock) {
    if (writing_ || writes_ended_) return;
    if (cancelled_ || (queue_.empty() && sending_ended_)) {
      writes_ended_ = true;
      const bool done = !cancelled_;
      lock.unlock();
      if (done) StartWritesDone();
      return RemoveHold();
    }
    if (queue_.empty()) return;
    writing_ = true;
    current_ = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    StartWrite(&current_);
  }

  GrpcGateway* const gateway_;
  grpc::ClientContext context_;
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub_;
  const std::string path_;
  std::optional<Limiter::Pass> place_;
  const std::shared_ptr<GrpcExchange> exchange_;
  grpc::ByteBuffer received_, current_;
  std::shared_ptr<Call> self_;
  std::mutex mutex_;  // guards the following members
  std::deque<grpc::ByteBuffer> queue_;
  bool writing_ = false, sending_ended_ = false, writes_ended_ = false, cancelled_ = false;
};

GrpcGateway::GrpcGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services, bool reflection,
                         const Access* access, Limiter* places, Metrics* metrics)
    : channel_(std::move(channel)),
      admission_(Protocol::kGrpc, std::move(services), access, metrics),
      reflection_(reflection),
      access_(access),
      places_(places) {}

GrpcGateway::~GrpcGateway() { Wait(); }

void GrpcGateway::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  left_.wait(lock, [this] { return calls_ == 0; });
}

void GrpcGateway::Leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Notifies under the lock, because the gateway may be destroyed once the lock is released.
  if (--calls_ == 0) left_.notify_all();
}

absl::StatusOr<AdmittedCall> GrpcGateway::Admit(const GrpcHead& head, const std::string& address) const {
  const auto refuse = [&](absl::Status status) {
    admission_.CountRefused(head.path, status);
    return status;
  };
  const bool reflection = reflection_ && absl::StartsWith(head.path, kReflection);
  const bool of_grpc = reflection || absl::StartsWith(head.path, kHealth);
  const Admission::Method* const method = of_grpc ? nullptr : admission_.Find(head.path);
  if (method == nullptr && !of_grpc) return refuse(absl::UnimplementedError("no method with this name"));
  const absl::StatusOr<Caller> caller = of_grpc ? access_->Admit(Protocol::kGrpc, {}, address, Role::kNone)
                                                : admission_.Admit(method, head.authorizations, address);
  if (!caller.ok()) return of_grpc ? refuse(caller.status()) : caller.status();
  if (!head.encoding.empty() && head.encoding != "identity") {
    return refuse(absl::UnimplementedError("grpc-encoding: compressed messages are not supported; send identity"));
  }
  const absl::StatusOr<absl::Duration> timeout = ReadGrpcTimeout(head.timeout);
  if (!timeout.ok()) return refuse(timeout.status());
  absl::StatusOr<Limiter::Pass> place = places_->Enter({}, caller->client);
  if (!place.ok()) return refuse(place.status());
  return AdmittedCall{.path = head.path,
                      .caller = of_grpc ? std::nullopt : std::optional<Caller>(*caller),
                      .place = *std::move(place),
                      .deadline = absl::Now() + *timeout,
                      .client_streams = reflection};
}

std::shared_ptr<GrpcCall> GrpcGateway::Start(AdmittedCall admitted, std::shared_ptr<GrpcExchange> exchange) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++calls_;
  }
  auto call = std::make_shared<Call>(this, std::move(admitted), std::move(exchange));
  call->Start(call);
  return call;
}

HttpHeaders GrpcTrailers(const grpc::Status& status) {
  HttpHeaders trailers = {{"grpc-status", absl::StrCat(static_cast<int>(status.error_code()))}};
  if (!status.error_message().empty()) trailers.emplace_back("grpc-message", PercentEncoded(status.error_message()));
  if (!status.error_details().empty()) {
    std::string details = absl::Base64Escape(status.error_details());
    while (absl::EndsWith(details, "=")) details.pop_back();
    trailers.emplace_back("grpc-status-details-bin", std::move(details));
  }
  return trailers;
}

absl::StatusOr<absl::Duration> ReadGrpcTimeout(absl::string_view text) {
  if (text.empty()) return absl::InfiniteDuration();
  const absl::string_view digits = text.substr(0, text.size() - 1);
  int64_t count = 0;
  if (!digits.empty() && digits.size() <= 8 && std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) &&
      absl::SimpleAtoi(digits, &count)) {
    switch (text.back()) {
      case 'H':
        return absl::Hours(count);
      case 'M':
        return absl::Minutes(count);
      case 'S':
        return absl::Seconds(count);
      case 'm':
        return absl::Milliseconds(count);
      case 'u':
        return absl::Microseconds(count);
      case 'n':
        return absl::Nanoseconds(count);
    }
  }
  return absl::InvalidArgumentError("grpc-timeout: must be up to 8 digits and a unit: H, M, S, m, u or n");
}

}  // namespace rewrought::rpc

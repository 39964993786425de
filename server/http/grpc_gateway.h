// Forwards gRPC calls from network clients to the handlers over gRPC's in-process channel. gRPC's own transport would
// read messages, and keep state for streams that are reset, before the caller is known.
#ifndef REWROUGHT_SERVER_HTTP_GRPC_GATEWAY_H_
#define REWROUGHT_SERVER_HTTP_GRPC_GATEWAY_H_

#include <grpcpp/channel.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/access/limiter.h"
#include "server/http/admission.h"
#include "server/http/http_message.h"

namespace rewrought::rpc {

// The headers of a call that the server uses.
struct GrpcHead {
  std::string http_method, path, content_type, encoding, timeout;
  std::vector<std::string> authorizations;
};

// A call that may be started as soon as its message has arrived.
struct AdmittedCall {
  std::string path;
  std::optional<Caller> caller;  // empty for the services that gRPC implements
  Limiter::Pass place;           // the place of the call among the calls of its client
  absl::Time deadline = absl::InfiniteFuture();
  bool client_streams = false;  // whether the client may send any number of messages
};

// Receives the responses of a call. Thread-safe.
class GrpcExchange {
 public:
  virtual ~GrpcExchange() = default;
  // Sends a message. Calls `taken` with true when another message may be sent, or with false if the client has
  // disconnected.
  virtual void Write(std::string message, std::function<void(bool)> taken) = 0;
  virtual void Finish(grpc::Status status) = 0;
};

// A call in progress. Thread-safe.
class GrpcCall {
 public:
  virtual ~GrpcCall() = default;
  // Returns false if too many messages are waiting to be forwarded.
  virtual bool Send(std::string message) = 0;
  virtual void SendEnd() = 0;  // ends the client's messages
  virtual void Cancel() = 0;
};

class GrpcGateway {
 public:
  // The objects pointed to must outlive the gateway. `places` bounds the number of admitted calls, including calls
  // whose message has not arrived, and cancelled calls that have not ended yet.
  GrpcGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services, bool reflection,
              const Access* access, Limiter* places, Metrics* metrics);
  ~GrpcGateway();  // calls Wait

  // Fails with Unimplemented if the method is unknown or the call is compressed, with InvalidArgument if its timeout is
  // malformed, with ResourceExhausted if too many calls are already admitted, or with Access::Admit's errors.
  absl::StatusOr<AdmittedCall> Admit(const GrpcHead& head, const std::string& address) const;

  // Starts the call. If the client sends a single message, Send and SendEnd must be called immediately.
  std::shared_ptr<GrpcCall> Start(AdmittedCall admitted, std::shared_ptr<GrpcExchange> exchange);

  // Blocks until no call is in flight.
  void Wait();

 private:
  class Call;
  void Leave();

  const std::shared_ptr<grpc::Channel> channel_;
  const Admission admission_;
  const bool reflection_;
  const Access* const access_;
  Limiter* const places_;
  std::mutex mutex_;  // guards the following members
  std::condition_variable left_;
  int calls_ = 0;
};

// Returns the trailers for a status: grpc-status, grpc-message, and grpc-status-details-bin
// (github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
HttpHeaders GrpcTrailers(const grpc::Status& status);

// Parses the value of grpc-timeout, such as "100m". Returns an infinite duration for an empty text. Fails with
// InvalidArgument if the text is malformed.
absl::StatusOr<absl::Duration> ReadGrpcTimeout(absl::string_view text);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_GRPC_GATEWAY_H_

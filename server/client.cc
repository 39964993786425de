#include "server/client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/rewrought/v1/check_service.grpc.pb.h"
#include "proto/rewrought/v1/eval_service.grpc.pb.h"
#include "proto/rewrought/v1/improve_service.grpc.pb.h"
#include "server/access/address.h"
#include "server/access/tls.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

constexpr std::chrono::milliseconds kFirstPause{50}, kLongestPause{2000}, kPatience{60000};

// Waits for `pause`. Returns false if `stop` is requested first.
bool Pause(std::chrono::milliseconds pause, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock<std::mutex> lock(mutex);
  return !woken.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); });
}

// Makes one call, which is cancelled when `stop` is requested. `make` issues the call with the context that it
// receives.
template <typename Make>
absl::Status CallOnce(const std::string& token, const std::stop_token& stop, const Make& make) {
  grpc::ClientContext context;
  if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
  return FromGrpc(make(&context));
}

template <typename Make>
absl::Status Call(const std::string& address, const std::string& token, const std::stop_token& stop, const Make& make) {
  const auto start = std::chrono::steady_clock::now();
  for (std::chrono::milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    absl::Status status = CallOnce(token, stop, make);
    if (absl::IsUnavailable(status)) {
      return absl::UnavailableError(
          absl::StrCat("--server ", address, ": no answer (", status.message(),
                       "); check that `rewrought serve` runs there and that both sides use TLS or neither does"));
    }
    if (!absl::IsResourceExhausted(status) || std::chrono::steady_clock::now() - start > kPatience) return status;
    if (!Pause(pause, stop)) return absl::CancelledError("stopped");
  }
}

}  // namespace

struct Client::Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel)
      : check(v1::CheckService::NewStub(channel)),
        eval(v1::EvalService::NewStub(channel)),
        improve(v1::ImproveService::NewStub(channel)) {}

  const std::unique_ptr<v1::CheckService::Stub> check;
  const std::unique_ptr<v1::EvalService::Stub> eval;
  const std::unique_ptr<v1::ImproveService::Stub> improve;
};

Client::Client(std::string address, std::string token, std::unique_ptr<Stubs> stubs)
    : address_(std::move(address)), token_(std::move(token)), stubs_(std::move(stubs)) {}

Client::~Client() = default;

absl::StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  const absl::StatusOr<HostAndPort> address = ParseAddress(options.address);
  if (!address.ok()) return absl::InvalidArgumentError(absl::StrCat("--server ", address.status().message()));
  if (options.certificate.empty() != options.key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key require each other; pass both");
  }
  std::string token;
  grpc::SslCredentialsOptions ssl;
  const std::pair<const std::string*, std::string*> files[] = {{&options.token_file, &token},
                                                               {&options.ca, &ssl.pem_root_certs},
                                                               {&options.certificate, &ssl.pem_cert_chain},
                                                               {&options.key, &ssl.pem_private_key}};
  for (const auto& [path, text] : files) {
    if (path->empty()) continue;
    absl::StatusOr<std::string> read = ReadCredential(*path);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  token = std::string(absl::StripAsciiWhitespace(token));
  const bool tls = options.tls || !options.ca.empty() || !options.certificate.empty();
  if (!tls && !token.empty() && !IsLoopback(*address)) {
    return absl::InvalidArgumentError(
        "--token-file: a token is sent to another machine only over TLS; add --tls or --tls-ca");
  }
  const auto channel =
      grpc::CreateChannel(AddressText(*address), tls ? grpc::SslCredentials(ssl) : grpc::InsecureChannelCredentials());
  return std::unique_ptr<Client>(new Client(options.address, token, std::make_unique<Stubs>(channel)));
}

absl::StatusOr<v1::RuleVerdict> Client::Check(const v1::CheckRuleRequest& request, std::stop_token stop) {
  v1::CheckRuleResponse response;
  const absl::Status status = Call(address_, token_, stop, [&](grpc::ClientContext* context) {
    return stubs_->check->CheckRule(context, request, &response);
  });
  if (!status.ok()) return status;
  return std::move(*response.mutable_verdict());
}

absl::StatusOr<v1::EvaluateResponse> Client::Evaluate(const v1::EvaluateRequest& request, std::stop_token stop) {
  v1::EvaluateResponse response;
  const absl::Status status = Call(address_, token_, stop, [&](grpc::ClientContext* context) {
    return stubs_->eval->Evaluate(context, request, &response);
  });
  if (!status.ok()) return status;
  return response;
}

absl::Status Client::Improve(const v1::ImproveRequest& request, std::stop_token stop,
                             const std::function<void(const v1::ImproveResponse&)>& found) {
  return Call(address_, token_, stop, [&](grpc::ClientContext* context) {
    const auto reader = stubs_->improve->Improve(context, request);
    v1::ImproveResponse response;
    while (reader->Read(&response)) found(response);
    return reader->Finish();
  });
}

}  // namespace rewrought::rpc

// The gRPC client that commands with --server use to call `rewrought serve`.
#ifndef REWROUGHT_SERVER_CLIENT_H_
#define REWROUGHT_SERVER_CLIENT_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/check_service.pb.h"
#include "proto/rewrought/v1/eval_service.pb.h"
#include "proto/rewrought/v1/improve_service.pb.h"

namespace rewrought::rpc {

struct ClientOptions {
  std::string address;           // "127.0.0.1:50051"
  bool tls = false;              // use TLS with the system's certificate authorities
  std::string ca;                // PEM file of certificate authorities; implies TLS
  std::string certificate, key;  // PEM files for servers that require client certificates; imply TLS
  std::string token_file;        // file that contains a bearer token; empty: send no token
};

// Thread-safe. A call fails with Cancelled if `stop` is requested, or with Unavailable if no server answers (the
// message names the address and a remedy). Otherwise, it returns the service's error, if any. If the server refuses a
// call because too many calls are in flight, the client retries for a minute.
class Client {
 public:
  // Fails with InvalidArgument, naming the invalid option, or with NotFound, naming the file that is unreadable or
  // empty. Refuses to send a token to another machine without TLS. Does not connect yet.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options);
  ~Client();

  absl::StatusOr<v1::RuleVerdict> Check(const v1::CheckRuleRequest& request, std::stop_token stop);
  absl::StatusOr<v1::EvaluateResponse> Evaluate(const v1::EvaluateRequest& request, std::stop_token stop);
  // Calls `found` with each program when it arrives.
  absl::Status Improve(const v1::ImproveRequest& request, std::stop_token stop,
                       const std::function<void(const v1::ImproveResponse&)>& found);

 private:
  struct Stubs;
  Client(std::string address, std::string token, std::unique_ptr<Stubs> stubs);

  const std::string address_, token_;
  const std::unique_ptr<Stubs> stubs_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_CLIENT_H_

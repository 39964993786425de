// A client of `rewrought serve`: what the commands with --server ask it, and how it is reached.
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
  bool tls = false;              // with the system's authorities
  std::string ca;                // file of authorities: TLS with these
  std::string certificate, key;  // files, for servers that ask clients for theirs; TLS
  std::string token_file;        // holds a bearer token; empty: none is sent
};

// Thread-safe. Calls end with Cancelled when `stop` is requested, with Unavailable, naming the address and the remedy,
// where no server answers, and else as the service says. What a full server refuses is asked again for a minute.
class Client {
 public:
  // InvalidArgument, NotFound: names the option that is wrong, or the file that cannot be read or is empty. A token
  // goes to other machines over TLS only. Does not connect yet.
  static absl::StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options);
  ~Client();

  absl::StatusOr<v1::RuleVerdict> Check(const v1::CheckRuleRequest& request, std::stop_token stop);
  absl::StatusOr<v1::EvaluateResponse> Evaluate(const v1::EvaluateRequest& request, std::stop_token stop);
  // `found` sees each program as it arrives.
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

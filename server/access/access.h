// Decides who may call which method. Each bearer token has a role, and so do callers without a token.
#ifndef REWROUGHT_SERVER_ACCESS_ACCESS_H_
#define REWROUGHT_SERVER_ACCESS_ACCESS_H_

#include <grpcpp/client_context.h>
#include <grpcpp/server_context.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/access/quota.h"

namespace rewrought::rpc {

// Each role includes the rights of the previous roles. kRead allows reading stored data, kCheck allows computations,
// and kAdmin allows starting and stopping runs.
enum class Role { kNone, kRead, kCheck, kAdmin };

// Parses "none", "read", "check" or "admin". Fails with InvalidArgument for any other text.
absl::StatusOr<Role> ParseRole(absl::string_view text);

// The caller of a method.
struct Caller {
  std::string client;  // the identity to which limits apply: "token NAME", or "address IP" if the caller sent no token
  Role role = Role::kNone;
};

// The server accepts calls from network clients over two protocols, and forwards them to the handlers over gRPC's
// in-process channel. Introduce adds the caller to the forwarded call, and CallerOf returns it. Metadata from network
// clients is never forwarded. CallerOf fails with Unauthenticated if the call has no caller.
void Introduce(const Caller& caller, grpc::ClientContext* context);
absl::StatusOr<Caller> CallerOf(const grpc::ServerContextBase& context);

enum class Protocol { kGrpc, kHttp };

class Access {
 public:
  // Sets the roles of callers without a token, over gRPC and over HTTP. The roles may differ because a browser sends
  // HTTP requests on behalf of any page that it shows.
  Access(Role anonymous_grpc, Role anonymous_http);

  // Adds the tokens from a file with lines of the form "ROLE NAME SHA256", where SHA256 is the token's digest in hex;
  // '#' starts a comment. Fails with InvalidArgument, naming the line, if a line is malformed, with NotFound if there
  // is no such file, or with PermissionDenied if other users can write to it.
  absl::Status AddTokens(const std::string& path);

  // Makes Admit fail with ResourceExhausted for clients that exceed this rate. 0 means no limit.
  void LimitCalls(double per_second) { quota_ = std::make_unique<Quota>(per_second); }

  // Returns the caller if it has at least `role`. `authorizations` contains the values of the request's Authorization
  // headers, and `address` is the client's IP address. Fails with Unauthenticated if a required token is missing, or if
  // the token is malformed, empty, or unknown, and with PermissionDenied if the caller's role is too low. Needs only a
  // request's headers, so that the bodies of refused requests are never read.
  absl::StatusOr<Caller> Admit(Protocol protocol, const std::vector<std::string>& authorizations,
                               absl::string_view address, Role role) const;

 private:
  const Role anonymous_grpc_, anonymous_http_;
  struct Holder {
    Role role = Role::kNone;
    std::string name;
  };
  const Holder* Find(absl::string_view authorization) const;

  std::map<std::string, Holder> holders_;  // the holders of tokens, by the SHA-256 digest of the token in hex
  std::unique_ptr<Quota> quota_ = std::make_unique<Quota>(0);
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ACCESS_H_

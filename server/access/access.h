// Decides who may call which method. Each bearer token has a role, and so do callers without a token.
#ifndef REWROUGHT_SERVER_ACCESS_ACCESS_H_
#define REWROUGHT_SERVER_ACCESS_ACCESS_H_

#include <grpcpp/server_context.h>

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/access/quota.h"

namespace rewrought::rpc {

// Each role includes the rights of the previous roles. kRead allows reading stored data, kCheck allows computations,
// and kAdmin allows starting and stopping runs.
enum class Role { kNone, kRead, kCheck, kAdmin };

// Parses "none", "read", "check" or "admin". Fails with InvalidArgument for any other text.
absl::StatusOr<Role> ParseRole(absl::string_view text);

// The metadata key that marks calls from the HTTP front end. Its value is Access::front_end_secret.
inline constexpr char kFrontHeader[] = "x-rewrought-front";
// The metadata key for the address of the front end's client. It is trusted only together with kFrontHeader.
inline constexpr char kPeerHeader[] = "x-rewrought-peer";

class Access {
 public:
  // Sets the roles of callers without a token, over gRPC and over HTTP. The roles may differ because a browser sends
  // HTTP requests on behalf of any page that it shows.
  Access(Role anonymous_grpc, Role anonymous_http);

  // Adds the tokens from a file with lines of the form "ROLE NAME SHA256", where SHA256 is the token's digest in hex;
  // '#' starts a comment. Fails with InvalidArgument, naming the line, if a line is malformed, with NotFound if there
  // is no such file, or with PermissionDenied if other users can write to it.
  absl::Status AddTokens(const std::string& path);

  // If the caller has at least `role`, returns the identity to which limits on its calls apply: "token NAME", or
  // "address IP" if it sent no token. Fails with Unauthenticated if a required token is missing, or if the token is
  // malformed or unknown, and with PermissionDenied if the caller's role is too low. Calls from the HTTP front end are
  // not counted again, because AdmitHttp has already counted them.
  absl::StatusOr<std::string> Admit(const grpc::ServerContextBase& context, Role role) const;

  // Makes Admit and AdmitHttp fail with ResourceExhausted for clients that exceed this rate. 0 means no limit.
  void LimitCalls(double per_second) { quota_ = std::make_unique<Quota>(per_second); }

  // Like Admit, but for an HTTP request whose body has not been read yet. `authorization` is the value of the
  // Authorization header, or empty if it is missing; `address` is the client's address.
  absl::Status AdmitHttp(absl::string_view authorization, absl::string_view address, Role role) const;

  const std::string& front_end_secret() const { return front_end_secret_; }

 private:
  std::string ClientOf(const grpc::ServerContextBase& context) const;
  absl::Status Decide(absl::string_view authorization, Role anonymous, Role role) const;

  const Role anonymous_grpc_, anonymous_http_;
  struct Holder {
    Role role = Role::kNone;
    std::string name;
  };
  const Holder* Find(absl::string_view authorization) const;
  bool IsFrontEnd(const grpc::ServerContextBase& context) const;

  std::map<std::string, Holder> holders_;  // the holders of tokens, by the SHA-256 digest of the token in hex
  std::unique_ptr<Quota> quota_ = std::make_unique<Quota>(0);
  std::string front_end_secret_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ACCESS_H_

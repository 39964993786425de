// Decides who may call which method: bearer tokens with roles, and the role of a caller without a token.
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

// Each role includes the previous ones. kRead reads stored data, kCheck lets the server compute, kAdmin starts and
// stops runs.
enum class Role { kNone, kRead, kCheck, kAdmin };

// Parses "none", "read", "check" or "admin". Fails with InvalidArgument for other texts.
absl::StatusOr<Role> ParseRole(absl::string_view text);

// Metadata key that marks calls of the HTTP front end. Its value is Access::front_end_secret.
inline constexpr char kFrontHeader[] = "x-rewrought-front";
// Metadata key for the address of the front end's client. Trusted only together with kFrontHeader.
inline constexpr char kPeerHeader[] = "x-rewrought-peer";

class Access {
 public:
  // Sets the roles of callers without a token, over gRPC and over HTTP. Browsers use HTTP on behalf of any page they
  // show.
  Access(Role anonymous_grpc, Role anonymous_http);

  // Adds the tokens of a file with lines "ROLE NAME SHA256", where SHA256 is the token's digest in hex; '#' starts a
  // comment. Fails with InvalidArgument naming the line, NotFound if there is no such file, or PermissionDenied if
  // other users may write it.
  absl::Status AddTokens(const std::string& path);

  // Returns the caller's identity for limits if the caller has at least `role`: "token NAME", or "address IP" without
  // a known token. Fails with Unauthenticated if a required token is missing, or if the token is malformed or
  // unknown, and with PermissionDenied if its role is too low. Calls of the HTTP front end are not counted again,
  // because AdmitHttp has counted them.
  absl::StatusOr<std::string> Admit(const grpc::ServerContextBase& context, Role role) const;

  // Makes Admit and AdmitHttp refuse clients that exceed this rate, with ResourceExhausted. 0 means no limit.
  void LimitCalls(double per_second) { quota_ = std::make_unique<Quota>(per_second); }

  // Like Admit, for an HTTP request of which only the head has been read. `authorization` is the header, or empty if
  // it is missing; `address` is the client's.
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

  std::map<std::string, Holder> holders_;  // by the token's SHA-256 digest in hex
  std::unique_ptr<Quota> quota_ = std::make_unique<Quota>(0);
  std::string front_end_secret_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ACCESS_H_

// Who may call what: bearer tokens with roles, and what a caller without a token may do.
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

// Each may do what the ones before it may: read what is stored; have the server compute; start and stop runs.
enum class Role { kNone, kRead, kCheck, kAdmin };

// "none", "read", "check", "admin". InvalidArgument otherwise.
absl::StatusOr<Role> ParseRole(absl::string_view text);

// Metadata with which the HTTP front end marks its calls; its value is Access::front_end_secret.
inline constexpr char kFrontHeader[] = "x-rewrought-front";
// And that which names the address that it answers; believed only beside the former.
inline constexpr char kPeerHeader[] = "x-rewrought-peer";

class Access {
 public:
  // What callers without a token may do, over gRPC and over HTTP. Browsers reach HTTP on behalf of any page they show.
  Access(Role anonymous_grpc, Role anonymous_http);

  // Adds the tokens of a file: lines "ROLE NAME SHA256", the digest being that of the token, in hex; '#' starts a
  // comment. InvalidArgument names the line; NotFound: no such file; PermissionDenied: others may write it.
  absl::Status AddTokens(const std::string& path);

  // Who calls, for limits: "token NAME", or "address IP" where there is no token that is known; if it has `role` or
  // more. Unauthenticated: a token is missing, malformed or unknown; PermissionDenied: its role is too low. Calls of
  // the HTTP front end count where AdmitHttp saw them.
  absl::StatusOr<std::string> Admit(const grpc::ServerContextBase& context, Role role) const;

  // From now on both refuse with ResourceExhausted who calls more often than this; 0: nobody.
  void LimitCalls(double per_second) { quota_ = std::make_unique<Quota>(per_second); }

  // The same for a request over HTTP, of which no more than its head has been looked at. `authorization`: the header,
  // empty if there is none; `address`: the client's.
  absl::Status AdmitHttp(absl::string_view authorization, absl::string_view address, Role role) const;

  // Known to this process only.
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

  std::map<std::string, Holder> holders_;  // by the token's digest, hex
  std::unique_ptr<Quota> quota_ = std::make_unique<Quota>(0);
  std::string front_end_secret_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ACCESS_H_

// Addresses that the server listens on: checked before gRPC sees them, so that what is wrong can be said.
#ifndef REWROUGHT_SERVER_ACCESS_ADDRESS_H_
#define REWROUGHT_SERVER_ACCESS_ADDRESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

struct HostAndPort {
  std::string host;
  int port = 0;
};

// Reads "127.0.0.1:50051", "[::1]:0", "localhost:50051". InvalidArgument otherwise.
absl::StatusOr<HostAndPort> ParseAddress(absl::string_view text);

// "127.0.0.1:50051", "[::1]:50051".
std::string AddressText(const HostAndPort& address);

// Whether only this machine reaches the address: "localhost", 127.0.0.0/8, ::1.
bool IsLoopback(const HostAndPort& address);

// Sockets that listen on all addresses of the host, at least one, without SO_REUSEPORT, with which a second server
// would take some of the connections; to be closed by the caller. Sets the port where it is 0. AlreadyExists: in use;
// PermissionDenied, NotFound (no such host), Unavailable otherwise; each names the remedy.
absl::StatusOr<std::vector<int>> Listen(HostAndPort* address);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ADDRESS_H_

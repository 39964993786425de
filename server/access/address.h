// Addresses that the server listens on. They are checked before gRPC sees them, so that errors are specific.
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

// Parses "127.0.0.1:50051", "[::1]:0" or "localhost:50051". Fails with InvalidArgument for other texts.
absl::StatusOr<HostAndPort> ParseAddress(absl::string_view text);

// Returns "127.0.0.1:50051" or "[::1]:50051".
std::string AddressText(const HostAndPort& address);

// Returns whether only this machine can reach the address: "localhost", 127.0.0.0/8 or ::1.
bool IsLoopback(const HostAndPort& address);

// Returns listening sockets, at least one, for all addresses of the host. The caller closes them. Does not set
// SO_REUSEPORT, which would let a second server take some of the connections. Replaces port 0 with the actual port.
// Fails with AlreadyExists if the address is in use, PermissionDenied, NotFound for an unknown host, or Unavailable
// otherwise. Each error names a remedy.
absl::StatusOr<std::vector<int>> Listen(HostAndPort* address);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ADDRESS_H_

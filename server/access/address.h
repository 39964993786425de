// Parses the addresses that the server listens on, and opens sockets for them. Checks addresses before gRPC sees them,
// to report specific errors.
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

// Parses "127.0.0.1:50051", "[::1]:0" or "localhost:50051". Fails with InvalidArgument for any other text.
absl::StatusOr<HostAndPort> ParseAddress(absl::string_view text);

// Returns "127.0.0.1:50051" or "[::1]:50051".
std::string AddressText(const HostAndPort& address);

// Returns whether only this machine can reach the address, that is, whether it is "localhost", in 127.0.0.0/8, or ::1.
bool IsLoopback(const HostAndPort& address);

// Returns at least one listening socket for the addresses of the host. The caller closes them. Does not set
// SO_REUSEPORT, which would let a second server take some of the connections. Replaces port 0 with the actual port.
// Fails with AlreadyExists if the address is in use, with PermissionDenied if the user may not use the port, with
// NotFound if the host is unknown, or with Unavailable for any other reason. Each error names a remedy.
absl::StatusOr<std::vector<int>> Listen(HostAndPort* address);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_ADDRESS_H_

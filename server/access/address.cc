#include "server/access/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace rewrought::rpc {
namespace {

absl::Status BindError(const std::string& text, int error) {
  switch (error) {
    case EADDRINUSE:
      return absl::AlreadyExistsError(absl::StrCat(text, ": the address is in use; choose another port, or 0 for any"));
    case EACCES:
      return absl::PermissionDeniedError(absl::StrCat(text, ": permission denied; choose a port from 1024 up"));
    case EADDRNOTAVAIL:
      return absl::NotFoundError(absl::StrCat(text, ": this machine has no such address; 127.0.0.1 always works"));
    default:
      return absl::UnavailableError(absl::StrCat(text, ": ", std::strerror(error)));
  }
}

constexpr int kBacklog = 1024;

void SetPort(int port, sockaddr* address) {
  const in_port_t wire = htons(static_cast<uint16_t>(port));
  if (address->sa_family == AF_INET) reinterpret_cast<sockaddr_in*>(address)->sin_port = wire;
  if (address->sa_family == AF_INET6) reinterpret_cast<sockaddr_in6*>(address)->sin6_port = wire;
}

int PortOf(int file) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  if (getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace

absl::StatusOr<HostAndPort> ParseAddress(absl::string_view text) {
  const auto wrong = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not an address; write host:port, such as 127.0.0.1:50051"));
  };
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return wrong();
  HostAndPort address;
  absl::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != absl::string_view::npos) return wrong();
  const absl::string_view port = text.substr(colon + 1);
  if (port.find_first_not_of("0123456789") != absl::string_view::npos || !absl::SimpleAtoi(port, &address.port) ||
      address.port > 65535) {
    return wrong();
  }
  address.host = std::string(host);
  return address;
}

std::string AddressText(const HostAndPort& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return absl::StrCat(is_v6 ? "[" : "", address.host, is_v6 ? "]:" : ":", address.port);
}

bool IsLoopback(const HostAndPort& address) {
  in_addr v4 = {};
  in6_addr v6 = {};
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  if (inet_pton(AF_INET6, address.host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return address.host == "localhost";
}

absl::StatusOr<std::vector<int>> Listen(HostAndPort* address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string text = AddressText(*address), port = absl::StrCat(address->port);
  if (const int error = getaddrinfo(address->host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return absl::NotFoundError(absl::StrCat(text, ": ", gai_strerror(error), "; write an IP address of this machine"));
  }
  absl::Status status;
  std::vector<int> files;
  for (addrinfo* one = found; one != nullptr && status.ok(); one = one->ai_next) {
    const int file = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) continue;  // IPv6 is not available on this machine
    files.push_back(file);
    const int yes = 1;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (one->ai_family == AF_INET6) setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    SetPort(address->port, one->ai_addr);  // if the port is 0, use the port that the first socket was assigned
    if (bind(file, one->ai_addr, one->ai_addrlen) != 0 || listen(file, kBacklog) != 0) {
      status = BindError(text, errno);
    } else if (address->port == 0) {
      address->port = PortOf(file);
    }
  }
  freeaddrinfo(found);
  if (status.ok() && files.empty()) status = BindError(text, EADDRNOTAVAIL);
  if (status.ok()) return files;
  for (const int file : files) close(file);
  return status;
}

}  // namespace rewrought::rpc

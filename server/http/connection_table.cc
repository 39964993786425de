#include "server/http/connection_table.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace rewrought::rpc {
namespace {

// Returns the peer's IP address. An IPv6 client usually controls a whole /64 network, so the result for an IPv6 address
// is its network.
std::string AddressOf(int file) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  char text[INET6_ADDRSTRLEN] = "";
  if (getpeername(file, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return "";
  if (storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text, sizeof(text));
  } else if (storage.ss_family == AF_INET6) {
    in6_addr network = reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&network)) {
      inet_ntop(AF_INET, network.s6_addr + 12, text, sizeof(text));
    } else {
      std::fill(network.s6_addr + 8, network.s6_addr + 16, uint8_t{0});
      inet_ntop(AF_INET6, &network, text, sizeof(text));
    }
  }
  return text;
}

}  // namespace

ConnectionTable::Id ConnectionTable::Add(int file) {
  Connection connection;
  connection.file = file;
  connection.address = AddressOf(file);
  const std::lock_guard<std::mutex> lock(mutex_);
  connection.heard = ++clock_;
  const Id id = clock_;
  ++by_address_[connection.address];
  ++staying_;
  connections_.emplace(id, std::move(connection));
  return id;
}

void ConnectionTable::Forget(const Connection& connection) {
  const auto place = by_address_.find(connection.address);
  if (--place->second == 0) by_address_.erase(place);
  --staying_;
}

void ConnectionTable::Remove(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (!found->second.leaving) Forget(found->second);
  connections_.erase(found);
}

void ConnectionTable::Began(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  ++found->second.answering;
  found->second.asked = true;
  found->second.heard = ++clock_;
}

void ConnectionTable::Sending(Id id, bool more) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  found->second.sending = more;
  found->second.sent = std::chrono::steady_clock::now();
  found->second.heard = ++clock_;
}

void ConnectionTable::Ended(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  --found->second.answering;
  found->second.sending = false;
  found->second.heard = ++clock_;
}

bool ConnectionTable::EvictOne() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  const auto place = [&](const Connection& one) {
    const bool stuck = one.sending && now - one.sent >= kPatience;
    return std::tuple(!stuck, one.sending, one.asked, -by_address_.find(one.address)->second, one.heard);
  };
  Connection* first = nullptr;
  for (auto& [id, connection] : connections_) {
    if (connection.leaving || (connection.answering > 0 && !connection.sending)) continue;
    if (first == nullptr || place(connection) < place(*first)) first = &connection;
  }
  if (first == nullptr) return false;
  first->leaving = true;
  Forget(*first);
  shutdown(first->file, SHUT_RDWR);
  return true;
}

size_t ConnectionTable::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return staying_;
}

}  // namespace rewrought::rpc

// The open connections of one listener, and which of them gives way when there are too many: one that nobody would
// miss.
#ifndef REWROUGHT_SERVER_HTTP_CONNECTION_TABLE_H_
#define REWROUGHT_SERVER_HTTP_CONNECTION_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace rewrought::rpc {

// Thread-safe.
class ConnectionTable {
 public:
  using Id = uint64_t;  // never 0
  static constexpr std::chrono::milliseconds kPatience{1000};

  // A connected socket, which stays open until Remove.
  Id Add(int file);
  void Remove(Id id);

  // A request of the connection has arrived as a whole; the client has just taken some of its answer, and there is
  // more to take now, or not; the answer has been sent. Unknown ids are ignored.
  void Began(Id id);
  void Sending(Id id, bool more);
  void Ended(Id id);

  // The connection with that other end, as gRPC spells it: "ipv4:127.0.0.1:4711", "ipv6:%5B::1%5D:4711". 0: none.
  Id Find(const std::string& peer) const;

  // Shuts one connection down for which nothing is being worked on: one that has taken none of its answer for kPatience
  // first, then one that never asked, then one that has its answer, at last one that is being sent it; among equals one
  // of the address that has most connections, then the one that was heard of least lately. False: all are busy.
  bool GiveWay();

  size_t size() const;  // without those that gave way

 private:
  struct Connection {
    int file = -1;
    std::string peer, address;
    uint64_t heard = 0;  // when, on the clock below
    int answering = 0;   // requests
    bool asked = false, sending = false, leaving = false;
    std::chrono::steady_clock::time_point sent;  // when the client last took some of its answer
  };
  void Forget(const Connection& connection);  // in what is counted; the mutex is held

  mutable std::mutex mutex_;
  uint64_t clock_ = 0;  // counts what happened
  std::map<Id, Connection> connections_;
  std::unordered_map<std::string, Id> by_peer_;
  std::unordered_map<std::string, int> by_address_;  // without those that gave way
  size_t staying_ = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_CONNECTION_TABLE_H_

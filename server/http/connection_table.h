// Tracks the open connections of one listener. When there are too many, the table decides which connection to close.
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

  // Adds a connected socket, which the caller must keep open until it calls Remove.
  Id Add(int file);
  void Remove(Id id);

  // Record the progress of a request. Began: the request has arrived completely. Sending: the client has just read part
  // of the response, and `more` says whether another part is ready to be sent. Ended: the response has been sent.
  // Unknown ids are ignored.
  void Began(Id id);
  void Sending(Id id, bool more);
  void Ended(Id id);

  // Shuts down one connection for which no handler is working. Returns false if there is no such connection. Prefers
  // connections whose client has read nothing of a response for kPatience, then connections that have not sent a
  // request yet, then idle connections, and lastly connections on which a response is being sent. Among equals, prefers
  // the address that has the most connections, then the least recently active connection.
  bool EvictOne();

  size_t size() const;  // excluding connections that were shut down

 private:
  struct Connection {
    int file = -1;
    std::string address;
    uint64_t heard = 0;  // value of clock_ at the last event
    int answering = 0;   // requests in progress
    bool asked = false, sending = false, leaving = false;
    std::chrono::steady_clock::time_point sent;  // when the client last read part of a response
  };
  void Forget(const Connection& connection);  // removes `connection` from the counts; requires the mutex

  mutable std::mutex mutex_;
  uint64_t clock_ = 0;  // counts events
  std::map<Id, Connection> connections_;
  std::unordered_map<std::string, int> by_address_;  // excluding connections that were shut down
  size_t staying_ = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_CONNECTION_TABLE_H_

// Defines one connection of a network client, and the state that a listener shares with its connections.
#ifndef REWROUGHT_SERVER_HTTP_SESSION_H_
#define REWROUGHT_SERVER_HTTP_SESSION_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "server/http/connection_table.h"
#include "server/metrics.h"

namespace rewrought::rpc {

class Session {
 public:
  virtual ~Session() = default;
  virtual void Start() = 0;
  // Called once, when the server shuts down. Closes the connection as soon as the requests in progress have been
  // answered. Thread-safe.
  virtual void Stop() = 0;
};

// Outlives the connections.
struct ListenerState {
  int connections = 0;  // maximum number of open connections
  ConnectionCounts* counts = nullptr;
  ConnectionTable table;
  std::atomic<bool> stopping{false};
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_SESSION_H_

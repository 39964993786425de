// Accepts a bounded number of connections and serves them on a few threads. When the bound is reached, the least
// valuable connection is closed (see ConnectionTable).
#ifndef REWROUGHT_SERVER_HTTP_LISTENER_H_
#define REWROUGHT_SERVER_HTTP_LISTENER_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/access/address.h"
#include "server/access/tls.h"
#include "server/http/session.h"

namespace rewrought::rpc {

class Listener {
 public:
  // Returns a session that serves `socket`, whose executor is a strand. If `tls` is null, the connection is not
  // encrypted.
  using SessionMaker =
      std::function<std::shared_ptr<Session>(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls)>;

  // If `tls` is null, connections are not encrypted. If `connections` connections are open and none of them can be
  // closed, closes a new connection, after sending `busy` if the connection is not encrypted. `counts` must outlive the
  // listener.
  Listener(int connections, SslContext tls, ConnectionCounts* counts, std::string busy);
  ~Listener();  // calls Stop, then Join
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  ListenerState* state();

  // Binds, listens, and starts sessions that `make` creates. Replaces port 0 with the actual port. Fails with Listen's
  // errors.
  absl::Status Start(HostAndPort* address, SessionMaker make);
  // Stops accepting connections and stops all sessions.
  void Stop();
  // Blocks until all connections are closed. Must be called after Stop.
  void Join();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_LISTENER_H_

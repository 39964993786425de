// One HTTP/1.1 connection, based on Boost.Beast. It reads requests under limits, passes them to the handler, and
// sends responses in pieces as the client reads them. It never blocks a thread.
#ifndef REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_
#define REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "absl/time/time.h"
#include "server/http/connection_table.h"
#include "server/http/http_message.h"
#include "server/metrics.h"

namespace rewrought::rpc {

struct HttpLimits {
  int connections = 256;                       // maximum number of open connections; if none can be closed, a new
                                               // connection gets status 503
  absl::Duration idle = absl::Seconds(30);     // time until a connection's next request starts
  absl::Duration request = absl::Seconds(10);  // time for a TLS handshake, and for a request to arrive completely
  absl::Duration write = absl::Seconds(20);    // time for the client to read at least some more of a response
  absl::Duration crowded = absl::Seconds(1);   // replaces idle and request while at least three quarters of the
                                               // connections are open
  size_t head_bytes = 8 << 10;                 // maximum size of a request's first line and headers
  int headers = 100;
  size_t body_bytes = 1 << 20;
};

// The state that all connections of a server share. It outlives the connections.
struct HttpShared {
  HttpLimits limits;
  HttpHeaders headers;  // added to every response that has no header of the same name
  HttpHandler* handler = nullptr;
  Metrics* metrics = nullptr;
  ConnectionTable table;
  std::atomic<int> sessions{0};
  std::atomic<bool> stopping{false};
};

class HttpSession {
 public:
  virtual ~HttpSession() = default;
  virtual void Start() = 0;
  // Closes the connection. If a request is being answered, informs the request's handler first. Thread-safe.
  virtual void Stop() = 0;
};

// Returns a session that serves `socket`, whose executor must be a strand. If `tls` is null, the connection is not
// encrypted.
std::shared_ptr<HttpSession> MakeHttpSession(HttpShared* shared, boost::asio::ip::tcp::socket socket,
                                             boost::asio::ssl::context* tls);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_

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
  int connections = 256;                       // open connections; if none can be closed, a new one gets 503
  absl::Duration idle = absl::Seconds(30);     // until a connection's next request starts
  absl::Duration request = absl::Seconds(10);  // for a TLS handshake, and for a request to arrive completely
  absl::Duration write = absl::Seconds(20);    // for the client to read any more of a response
  absl::Duration crowded = absl::Seconds(1);   // idle and request while three quarters of the connections are open
  size_t head_bytes = 8 << 10;                 // size of a request's first line and headers
  int headers = 100;
  size_t body_bytes = 1 << 20;
};

// State that all connections of a server share; it outlives them.
struct HttpShared {
  HttpLimits limits;
  HttpHeaders headers;  // added to every response without a header of the same name
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
  // Closes the connection. If a request is being answered, tells its handler first. Thread-safe.
  virtual void Stop() = 0;
};

// Pass null as `tls` for clear text. The socket's executor must be a strand.
std::shared_ptr<HttpSession> MakeHttpSession(HttpShared* shared, boost::asio::ip::tcp::socket socket,
                                             boost::asio::ssl::context* tls);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_

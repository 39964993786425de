// One HTTP/1.1 connection, by Boost.Beast: reads requests under limits, hands them on, sends answers in pieces as the
// client takes them. Nothing blocks, and no thread belongs to a connection.
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
  int connections = 256;                       // open at once; if none can give way, more are told 503 and closed
  absl::Duration idle = absl::Seconds(30);     // until a connection's next request starts
  absl::Duration request = absl::Seconds(10);  // for a TLS handshake, and for a request to arrive as a whole
  absl::Duration write = absl::Seconds(20);    // for the client to take any more of an answer
  absl::Duration crowded = absl::Seconds(1);   // idle, and request, when three quarters of the connections are taken
  size_t head_bytes = 8 << 10;                 // of a request's first line and headers
  int headers = 100;
  size_t body_bytes = 1 << 20;
};

// What the connections of a server share; it outlives them.
struct HttpShared {
  HttpLimits limits;
  HttpHeaders headers;  // of every answer, where it has none of that name
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
  // Closes the connection, at once unless a request is being worked on, whose handler hears it first. Thread-safe.
  virtual void Stop() = 0;
};

// `tls`: null for clear text. The socket's executor is a strand.
std::shared_ptr<HttpSession> MakeHttpSession(HttpShared* shared, boost::asio::ip::tcp::socket socket,
                                             boost::asio::ssl::context* tls);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_

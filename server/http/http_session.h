// One HTTP/1.1 connection, based on Boost.Beast. It reads requests under limits, passes them to the handler, and
// sends responses in pieces as the client reads them. It never blocks a thread.
#ifndef REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_
#define REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "absl/time/time.h"
#include "server/access/memory_budget.h"
#include "server/http/http_message.h"
#include "server/http/session.h"
#include "server/metrics.h"

namespace rewrought::rpc {

struct HttpLimits {
  int connections = 256;                       // maximum number of open connections; if none can be closed, a new
                                               // connection gets status 503
  size_t small_body_bytes = 4 << 10;           // bodies up to this size do not count toward the memory budget
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
  ListenerState* listener = nullptr;
  MemoryBudget* memory = nullptr;  // for the bodies of requests
};

// Returns a session that serves `socket`, whose executor must be a strand. If `tls` is null, the connection is not
// encrypted. Stop tells the handler of the request in progress that nobody is waiting for the response.
std::shared_ptr<Session> MakeHttpSession(HttpShared* shared, boost::asio::ip::tcp::socket socket,
                                         boost::asio::ssl::context* tls);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SESSION_H_

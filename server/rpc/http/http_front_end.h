// All that `rewrought serve` answers over HTTP: calls in the Connect protocol, the page, /metrics and /healthz.
#ifndef REWROUGHT_SERVER_RPC_HTTP_HTTP_FRONT_END_H_
#define REWROUGHT_SERVER_RPC_HTTP_HTTP_FRONT_END_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/rpc/access/access.h"
#include "server/rpc/access/tls.h"
#include "server/rpc/http/connect_gateway.h"
#include "server/rpc/http/http_server.h"
#include "server/rpc/http/web_ui_files.h"
#include "server/rpc/metrics.h"

namespace rewrought::rpc {

struct HttpFrontEndOptions {
  HostAndPort address;
  bool loopback = true;     // only requests for a loopback host are answered, so that no name can be bound to it
  std::string page_folder;  // empty: no page
  size_t message_bytes = 1 << 20;
  HttpLimits limits;
};

class HttpFrontEnd {
 public:
  // Listens when it returns. `access` and `metrics` outlive it. Errors: HttpServer::Bind's, ReadPageFiles'.
  static absl::StatusOr<std::unique_ptr<HttpFrontEnd>> Start(const HttpFrontEndOptions& options, const TlsFiles& tls,
                                                             std::shared_ptr<grpc::Channel> channel,
                                                             std::vector<std::string> services, const Access* access,
                                                             Metrics* metrics);
  ~HttpFrontEnd();  // Stop, then Join

  const HostAndPort& address() const { return options_.address; }
  bool has_page() const { return !files_.empty(); }

  // Accepts no more, and cancels what is in flight.
  void Stop();
  void Join();

 private:
  HttpFrontEnd(const HttpFrontEndOptions& options, const Access* access, Metrics* metrics)
      : options_(options), access_(access), metrics_(metrics) {}
  void Register();
  // Refuses what must not be read any further; false: it may.
  bool Refuse(const httplib::Request& request, httplib::Response& response) const;
  void Get(const httplib::Request& request, httplib::Response& response);
  void GetFile(const httplib::Request& request, httplib::Response& response) const;

  HttpFrontEndOptions options_;
  const Access* const access_;
  Metrics* const metrics_;
  bool tls_ = false;
  PageFiles files_;
  std::unique_ptr<ConnectGateway> gateway_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HTTP_HTTP_FRONT_END_H_

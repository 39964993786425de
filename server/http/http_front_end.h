// The HTTP front end of `rewrought serve`. It serves calls in the Connect protocol, the web UI, /metrics, and /healthz.
#ifndef REWROUGHT_SERVER_HTTP_HTTP_FRONT_END_H_
#define REWROUGHT_SERVER_HTTP_HTTP_FRONT_END_H_

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/access.h"
#include "server/access/tls.h"
#include "server/http/connect_gateway.h"
#include "server/http/http_session.h"
#include "server/http/listener.h"
#include "server/http/web_ui_files.h"
#include "server/metrics.h"

namespace rewrought::rpc {

struct HttpFrontEndOptions {
  HostAndPort address;
  bool loopback = true;     // whether to answer only requests whose Host is a loopback host, which prevents DNS
                            // rebinding
  std::string page_folder;  // empty: no web UI
  HttpLimits limits;
  // Returns the lines that /healthz adds after "ok", or the reason why the server cannot answer calls. Anyone may read
  // them. May be null.
  std::function<absl::StatusOr<std::string>()> health;
};

class HttpFrontEnd final : private HttpHandler {
 public:
  // Returns a front end that is listening. `access`, `memory`, `metrics`, and `pool` must outlive it. Fails with the
  // errors of Listener::Start and ReadPageFiles.
  static absl::StatusOr<std::unique_ptr<HttpFrontEnd>> Start(const HttpFrontEndOptions& options, const TlsFiles& tls,
                                                             std::shared_ptr<grpc::Channel> channel,
                                                             std::vector<std::string> services, const Access* access,
                                                             MemoryBudget* memory, Metrics* metrics, WorkPool* pool);
  ~HttpFrontEnd() override;  // calls Stop, then Join

  const HostAndPort& address() const { return options_.address; }
  bool has_page() const { return !files_.empty(); }

  // Stops accepting connections and cancels the calls in flight.
  void Stop();
  void Join();

 private:
  HttpFrontEnd(const HttpFrontEndOptions& options, const Access* access, Metrics* metrics)
      : options_(options), access_(access), metrics_(metrics) {}
  bool Refuse(HttpRequest* request, HttpAnswer* answer) override;
  void Handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
  bool IsCall(const HttpRequest& request) const;
  HttpAnswer Get(const HttpRequest& request) const;
  HttpAnswer GetFile(const HttpRequest& request) const;

  HttpFrontEndOptions options_;
  const Access* const access_;
  Metrics* const metrics_;
  bool tls_ = false;
  PageFiles files_;
  std::unique_ptr<ConnectGateway> gateway_;
  HttpShared shared_;
  std::unique_ptr<Listener> listener_;  // must be the last member, because it uses the others
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_FRONT_END_H_

// The server of `rewrought serve`. It opens the database, serves rewrought.v1 and grpc.health.v1 over gRPC, serves
// rewrought.v1 and the web UI over HTTP, and lets calls in flight finish when it is asked to stop.
#ifndef REWROUGHT_SERVER_SERVER_H_
#define REWROUGHT_SERVER_SERVER_H_

#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "server/options.h"

namespace rewrought::rpc {

class Server {
 public:
  // Returns a server that is already listening. Each error names a remedy. Fails with NotFound if the database or the
  // worker binary is missing, with PermissionDenied if the database cannot be written, with FailedPrecondition if the
  // database belongs to another program or is served by another server, with AlreadyExists if the address is in use,
  // with InvalidArgument if an option is invalid, and with the store's errors.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);

  // Drains the server if Wait has not done so.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Returns the address the server listens on, e.g. "127.0.0.1:50051". If port 0 was requested, the address contains
  // the actual port.
  const std::string& address() const;
  int port() const;
  const std::string& http_address() const;  // empty if HTTP is off

  // Blocks until `stop` is requested and the server has drained. While it drains, health checks report NOT_SERVING
  // and new calls are refused. Calls in flight have options.drain to finish before they are cancelled. The active run
  // stops and is stored, so that the next server can resume it.
  void Wait(std::stop_token stop);

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_SERVER_H_

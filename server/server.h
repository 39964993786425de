// The server of `rewrought serve`: opens the database, answers rewrought.v1 and grpc.health.v1 over gRPC, the same and
// the page over HTTP, and drains when asked to stop.
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
  // Listens when it returns. Errors, each with what to do: NotFound: no such database or worker binary;
  // PermissionDenied: the database cannot be written; FailedPrecondition: it is another program's, or another server
  // serves it; AlreadyExists: the address is in use; InvalidArgument: an option. Further ones are the store's.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);

  // Drains, if Wait has not.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Where it listens: "127.0.0.1:50051", with the port that was found where 0 was asked.
  const std::string& address() const;
  int port() const;
  const std::string& http_address() const;  // empty: none

  // Returns when `stop` has been requested and the server has drained: health says NOT_SERVING, new calls are refused,
  // calls in flight have options.drain to end and are then cancelled, the run stops and is kept for the next server.
  void Wait(std::stop_token stop);

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_SERVER_H_

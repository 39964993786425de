// Serves the gRPC methods over HTTP with the Connect protocol. Each request becomes a call over the gRPC server's
// in-process channel, so gRPC and HTTP share handlers, deadlines, roles, and metrics. Waiting calls do not block a
// thread.
#ifndef REWROUGHT_SERVER_HTTP_CONNECT_GATEWAY_H_
#define REWROUGHT_SERVER_HTTP_CONNECT_GATEWAY_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/channel.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/access/access.h"
#include "server/http/admission.h"
#include "server/http/http_message.h"
#include "server/metrics.h"
#include "server/work_pool.h"

namespace rewrought::rpc {

class ConnectGateway {
 public:
  // `services` lists the full names of the reachable services. Refuses further streams when `streams` streams are open,
  // because each stream occupies a connection. `pool` parses and serializes the messages. The objects pointed to must
  // outlive the gateway.
  ConnectGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services, const Access* access,
                 Metrics* metrics, WorkPool* pool, int streams);
  ~ConnectGateway();  // calls Wait

  // Returns whether the path has the form of a call, such as "/rewrought.v1.RuleService/GetRule". The method may be
  // unknown.
  static bool IsCall(const std::string& path);

  // Checks a call before its body is read. If it returns true, it sets `answer` to the response; otherwise, it sets the
  // head's caller. GET requests are accepted for methods that have no side effects.
  bool Refuse(HttpRequest* head, HttpAnswer* answer) const;

  // Starts answering a call whose head Refuse has accepted.
  void Answer(HttpRequest request, std::shared_ptr<HttpExchange> exchange);

  // Blocks until no call is in flight.
  void Wait();

 private:
  class Call;
  using Method = google::protobuf::MethodDescriptor;

  void AnswerUnary(const Method* method, const HttpRequest& request, std::shared_ptr<HttpExchange> exchange);
  void AnswerStream(const Method* method, const HttpRequest& request, std::shared_ptr<HttpExchange> exchange);
  bool Enter(bool stream);  // returns false if too many streams are open
  void Leave(bool stream);

  const std::shared_ptr<grpc::Channel> channel_;
  const Admission admission_;
  WorkPool* const pool_;
  const int max_streams_;
  std::mutex mutex_;  // guards the following members
  std::condition_variable left_;
  int calls_ = 0, streams_ = 0;
};

// Returns an error in the format of the Connect protocol.
HttpAnswer ErrorAnswer(const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_CONNECT_GATEWAY_H_

// The Connect protocol over HTTP for the methods of the gRPC server: each request becomes a call over its in-process
// channel, so handlers, deadlines, roles and counts are the same. No call holds a thread while it waits.
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
#include "server/http/http_message.h"
#include "server/metrics.h"
#include "server/work_pool.h"

namespace rewrought::rpc {

class ConnectGateway {
 public:
  // `services`: full names; no others can be reached. Beyond `streams` open streams more are refused: each keeps its
  // connection. The rest outlives the gateway; `pool` reads and writes the messages.
  ConnectGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services, const Access* access,
                 Metrics* metrics, WorkPool* pool, int streams);
  ~ConnectGateway();  // Wait

  // Whether a path is a call's: "/rewrought.v1.RuleService/GetRule", known or not.
  static bool IsCall(const std::string& path);

  // Answers a call, soon. By GET: methods without side effects.
  void Answer(HttpRequest request, std::shared_ptr<HttpExchange> exchange);

  // Returns when no call is in flight.
  void Wait();

 private:
  class Call;
  using Method = google::protobuf::MethodDescriptor;

  void AnswerUnary(const Method* method, const HttpRequest& request, std::shared_ptr<HttpExchange> exchange);
  void AnswerStream(const Method* method, const HttpRequest& request, std::shared_ptr<HttpExchange> exchange);
  const Method* Find(const std::string& path) const;
  // Whether the caller may call the method, before anything is read of what it sent.
  absl::Status Admit(const Method* method, const HttpRequest& request) const;
  bool Enter(bool stream);  // false: too many streams
  void Leave(bool stream);

  const std::shared_ptr<grpc::Channel> channel_;
  const std::vector<std::string> services_;
  const Access* const access_;
  Metrics* const metrics_;
  WorkPool* const pool_;
  const int max_streams_;
  std::mutex mutex_;  // of what follows
  std::condition_variable left_;
  int calls_ = 0, streams_ = 0;
};

// An error in Connect's spelling.
HttpAnswer ErrorAnswer(const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_CONNECT_GATEWAY_H_

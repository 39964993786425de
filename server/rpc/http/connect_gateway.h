// The Connect protocol over HTTP for the methods of the gRPC server: each request becomes a call over its in-process
// channel, so handlers, deadlines, roles and counts are the same.
#ifndef REWROUGHT_SERVER_RPC_HTTP_CONNECT_GATEWAY_H_
#define REWROUGHT_SERVER_RPC_HTTP_CONNECT_GATEWAY_H_

#include <google/protobuf/descriptor.h>
#include <grpcpp/channel.h>
#include <httplib.h>

#include <memory>
#include <string>
#include <vector>

namespace rewrought::rpc {

class ConnectGateway {
 public:
  // `services`: full names; no others can be reached. `front_end_secret` goes along with each call (Access). Beyond
  // `streams` open streams more are refused: each holds a thread, and ordinary calls need some too.
  ConnectGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services,
                 std::string front_end_secret, int streams);

  // Whether a path is a call's: "/rewrought.v1.RuleService/GetRule", known or not.
  static bool IsCall(const std::string& path);

  // Answers a call. `get`: by GET, for methods without side effects.
  void Answer(const httplib::Request& request, httplib::Response& response, bool get);

 private:
  class Call;
  void AnswerUnary(const google::protobuf::MethodDescriptor* method, const httplib::Request& request,
                   httplib::Response& response, bool get);
  void AnswerStream(const google::protobuf::MethodDescriptor* method, const httplib::Request& request,
                    httplib::Response& response);
  const google::protobuf::MethodDescriptor* Find(const std::string& path) const;

  const std::shared_ptr<grpc::Channel> channel_;
  const std::vector<std::string> services_;
  const std::string front_end_secret_;
  const int max_streams_;
  const std::shared_ptr<std::atomic<int>> streams_ = std::make_shared<std::atomic<int>>(0);
};

// Sets a body as it is: httplib would compress it, brotli at its slowest, where the client takes that.
void SetBody(httplib::Response* response, std::string body, const std::string& type);

// An error in Connect's spelling.
void SetError(httplib::Response* response, const grpc::Status& status);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HTTP_CONNECT_GATEWAY_H_

#include "server/rpc/http/connect_gateway.h"

#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "server/rpc/access/access.h"
#include "server/rpc/http/connect_text.h"
#include "server/rpc/http/http_server.h"
#include "server/rpc/messages/status.h"

namespace rewrought::rpc {
namespace {

namespace pb = google::protobuf;

constexpr auto kLook = std::chrono::milliseconds(100);  // how often it is seen whether the client is still there

grpc::Status Wrong(grpc::StatusCode code, absl::string_view message) { return {code, std::string(message)}; }

// "application/json; charset=utf-8" without what follows the semicolon.
std::string MediaType(const httplib::Request& request) {
  const std::string type = request.get_header_value("Content-Type");
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(absl::string_view(type).substr(0, type.find(';'))));
}

// The message of a GET request, decoded. InvalidArgument names the parameter.
grpc::Status ReadQuery(const httplib::Request& request, std::string* text) {
  if (request.has_param("connect") && request.get_param_value("connect") != "v1") {
    return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "connect: the version is v1");
  }
  const std::string compression = request.get_param_value("compression");
  if (!compression.empty() && compression != "identity") {
    return Wrong(grpc::StatusCode::UNIMPLEMENTED, "compression: none is supported");
  }
  *text = request.get_param_value("message");
  if (request.get_param_value("base64") != "1") return grpc::Status::OK;
  std::string raw;
  if (!absl::WebSafeBase64Unescape(*text, &raw)) {
    return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "message: is not base64");
  }
  *text = std::move(raw);
  return grpc::Status::OK;
}

}  // namespace

// One gRPC call, driven from the thread of its HTTP connection.
class ConnectGateway::Call {
 public:
  Call(const ConnectGateway& gateway, const pb::MethodDescriptor* method, Encoding encoding)
      : stub_(gateway.channel_),
        path_(absl::StrCat("/", method->service()->full_name(), "/", method->name())),
        encoding_(encoding) {
    pb::MessageFactory* factory = pb::MessageFactory::generated_factory();
    request_.reset(factory->GetPrototype(method->input_type())->New());
    response_.reset(factory->GetPrototype(method->output_type())->New());
    context_.AddMetadata(kFrontHeader, gateway.front_end_secret_);
    if (HttpPeer::Current() != nullptr) context_.AddMetadata(kPeerHeader, HttpPeer::Current()->Address());
  }

  ~Call() {
    if (stream_ != nullptr && !finished_) {
      context_.TryCancel();
      Finish();
    }
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  // Reads headers and message. The call has not started where this fails.
  grpc::Status Read(const httplib::Request& request, const std::string& text) {
    const std::string version = request.get_header_value("Connect-Protocol-Version");
    if (!version.empty() && version != "1") {
      return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "Connect-Protocol-Version: the version is 1");
    }
    const absl::StatusOr<absl::Duration> timeout = ReadTimeout(request.get_header_value("Connect-Timeout-Ms"));
    if (!timeout.ok()) return ToGrpc(timeout.status());
    if (*timeout != absl::InfiniteDuration()) context_.set_deadline(absl::ToChronoTime(absl::Now() + *timeout));
    if (request.get_header_value_count("Authorization") > 1) {
      return Wrong(grpc::StatusCode::UNAUTHENTICATED, "more than one authorization");
    }
    const std::string authorization = request.get_header_value("Authorization");
    if (!std::all_of(authorization.begin(), authorization.end(), absl::ascii_isprint)) {  // gRPC would abort on it
      return Wrong(grpc::StatusCode::UNAUTHENTICATED, "authorization is not `Bearer TOKEN`");
    }
    if (!authorization.empty()) context_.AddMetadata("authorization", authorization);
    return Decode(encoding_, text, request_.get());
  }

  void Start() {
    stream_ = stub_.PrepareCall(&context_, path_, &queue_);
    stream_->StartCall(nullptr);
    Wait();
    stream_->WriteLast(*request_, grpc::WriteOptions(), nullptr);
    Wait();
  }

  // Waits for the next message; false: there is none.
  bool Next() {
    grpc::ByteBuffer bytes;
    stream_->Read(&bytes, nullptr);
    if (!Wait()) return false;
    grpc::ProtoBufferReader reader(&bytes);
    return response_->ParseFromZeroCopyStream(&reader);
  }

  grpc::Status Finish() {
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    Wait();
    finished_ = true;
    return status;
  }

  grpc::Status Text(std::string* text) const { return Encode(encoding_, *response_, text); }

 private:
  // Waits for what was asked last. A client that goes cancels the call.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kLook) == grpc::CompletionQueue::TIMEOUT) {
      if (HttpPeer::Current() != nullptr && HttpPeer::Current()->Gone()) context_.TryCancel();
    }
    return ok;
  }

  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::TemplatedGenericStub<pb::Message, grpc::ByteBuffer> stub_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<pb::Message, grpc::ByteBuffer>> stream_;
  std::unique_ptr<pb::Message> request_, response_;
  const std::string path_;
  const Encoding encoding_;
  bool finished_ = false;
};

void SetBody(httplib::Response* response, std::string body, const std::string& type) {
  const auto shared = std::make_shared<const std::string>(std::move(body));
  if (shared->empty()) return response->set_content("", type);
  response->set_content_provider(shared->size(), type, [shared](size_t at, size_t size, httplib::DataSink& sink) {
    return sink.write(shared->data() + at, size);
  });
}

void SetError(httplib::Response* response, const grpc::Status& status) {
  response->status = HttpStatusOf(status.error_code());
  if (status.error_code() == grpc::StatusCode::UNAUTHENTICATED) response->set_header("WWW-Authenticate", "Bearer");
  SetBody(response, ErrorJson(status), "application/json");
}

ConnectGateway::ConnectGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services,
                               std::string front_end_secret, int streams)
    : channel_(std::move(channel)),
      services_(std::move(services)),
      front_end_secret_(std::move(front_end_secret)),
      max_streams_(streams) {}

bool ConnectGateway::IsCall(const std::string& path) {
  const size_t slash = path.find('/', 1);
  return path.size() > 1 && absl::ascii_isalpha(path[1]) && slash != std::string::npos && slash + 1 < path.size() &&
         path.find('/', slash + 1) == std::string::npos &&
         absl::StrContains(absl::string_view(path).substr(0, slash), ".");
}

const pb::MethodDescriptor* ConnectGateway::Find(const std::string& path) const {
  const size_t slash = path.find('/', 1);
  const std::string service = path.substr(1, slash - 1);
  if (std::find(services_.begin(), services_.end(), service) == services_.end()) return nullptr;
  const auto* found = pb::DescriptorPool::generated_pool()->FindServiceByName(service);
  return found == nullptr ? nullptr : found->FindMethodByName(path.substr(slash + 1));
}

void ConnectGateway::Answer(const httplib::Request& request, httplib::Response& response, bool get) {
  const pb::MethodDescriptor* method = Find(request.path);
  if (method == nullptr) return SetError(&response, Wrong(grpc::StatusCode::UNIMPLEMENTED, "there is no such method"));
  if (!get && absl::StartsWith(MediaType(request), "application/connect+")) {
    return AnswerStream(method, request, response);
  }
  AnswerUnary(method, request, response, get);
}

void ConnectGateway::AnswerUnary(const pb::MethodDescriptor* method, const httplib::Request& request,
                                 httplib::Response& response, bool get) {
  const std::string type = get ? absl::StrCat("application/", request.get_param_value("encoding")) : MediaType(request);
  if (type != "application/json" && type != "application/proto") {
    response.status = 415;
    response.set_header("Accept-Post", "application/json, application/proto");
    return;
  }
  if (method->server_streaming() || method->client_streaming()) {
    return SetError(&response, Wrong(grpc::StatusCode::UNIMPLEMENTED,
                                     "the method streams; ask with Content-Type application/connect+json"));
  }
  if (get && method->options().idempotency_level() != pb::MethodOptions::NO_SIDE_EFFECTS) {
    response.status = 405;
    response.set_header("Allow", "POST");
    return;
  }
  std::string text = request.body;
  if (get) {
    if (grpc::Status status = ReadQuery(request, &text); !status.ok()) return SetError(&response, status);
  }
  Call call(*this, method, type == "application/json" ? Encoding::kJson : Encoding::kProto);
  if (grpc::Status status = call.Read(request, text); !status.ok()) return SetError(&response, status);
  call.Start();
  const bool answered = call.Next();
  grpc::Status status = call.Finish();
  if (status.ok() && !answered) status = Wrong(grpc::StatusCode::INTERNAL, "the call gave no answer");
  std::string body;
  if (status.ok()) status = call.Text(&body);
  if (!status.ok()) return SetError(&response, status);
  SetBody(&response, std::move(body), type);
}

void ConnectGateway::AnswerStream(const pb::MethodDescriptor* method, const httplib::Request& request,
                                  httplib::Response& response) {
  const std::string type = MediaType(request);
  if (type != "application/connect+json" && type != "application/connect+proto") {
    response.status = 415;
    response.set_header("Accept-Post", "application/connect+json, application/connect+proto");
    return;
  }
  // Errors of a stream stand in its last frame, under status 200.
  const auto end_with = [&](const grpc::Status& status) {
    SetBody(&response, Frame(kEndOfStream, absl::StrCat("{\"error\":", ErrorJson(status), "}")), type);
  };
  if (!method->server_streaming() || method->client_streaming()) {
    return end_with(Wrong(grpc::StatusCode::UNIMPLEMENTED, "the method does not stream its answer"));
  }
  const absl::StatusOr<std::string> text = ReadFrame(request.body);
  if (!text.ok()) return end_with(ToGrpc(text.status()));
  if (streams_->fetch_add(1) >= max_streams_) {
    --*streams_;
    return end_with(Wrong(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open; close some"));
  }
  const auto leave = [count = streams_](Call* call) {
    delete call;
    --*count;
  };
  const auto encoding = type == "application/connect+json" ? Encoding::kJson : Encoding::kProto;
  const std::shared_ptr<Call> call(new Call(*this, method, encoding), leave);
  if (grpc::Status status = call->Read(request, *text); !status.ok()) return end_with(status);
  call->Start();
  response.set_chunked_content_provider(type, [call](size_t, httplib::DataSink& sink) {
    std::string body;
    if (call->Next()) {
      if (!call->Text(&body).ok()) return false;
      const std::string frame = Frame(0, body);
      return sink.write(frame.data(), frame.size());  // false: the client has gone, and ~Call cancels
    }
    const grpc::Status status = call->Finish();
    const std::string frame =
        Frame(kEndOfStream, status.ok() ? "{}" : absl::StrCat("{\"error\":", ErrorJson(status), "}"));
    sink.write(frame.data(), frame.size());
    sink.done();
    return true;
  });
}

}  // namespace rewrought::rpc

#include "server/http/connect_gateway.h"

#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/client_callback.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/http/connect_text.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

namespace pb = google::protobuf;

grpc::Status Wrong(grpc::StatusCode code, absl::string_view message) { return {code, std::string(message)}; }

// Returns the Content-Type without parameters such as "; charset=utf-8".
std::string MediaType(const HttpRequest& request) {
  const absl::string_view type = request.Header("Content-Type");
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(type.substr(0, type.find(';'))));
}

bool IsStream(const HttpRequest& request) {
  return request.method == "POST" && absl::StartsWith(MediaType(request), "application/connect+");
}

// Returns the type of the request's message, which is also the type of the response.
std::string TypeOf(const HttpRequest& request) {
  return request.method == "POST" ? MediaType(request) : absl::StrCat("application/", request.Param("encoding"));
}

// Decodes the message of a GET request. Fails with InvalidArgument, naming the parameter.
grpc::Status ReadQuery(const HttpRequest& request, std::string* text) {
  if (request.params.contains("connect") && request.Param("connect") != "v1") {
    return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "connect: must be v1");
  }
  const std::string compression = request.Param("compression");
  if (!compression.empty() && compression != "identity") {
    return Wrong(grpc::StatusCode::UNIMPLEMENTED, "compression: not supported; omit it");
  }
  *text = request.Param("message");
  if (request.Param("base64") != "1") return grpc::Status::OK;
  std::string raw;
  if (!absl::WebSafeBase64Unescape(*text, &raw)) {
    return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "message: is not URL-safe base64");
  }
  *text = std::move(raw);
  return grpc::Status::OK;
}

HttpAnswer Unsupported(absl::string_view accepted) {
  HttpAnswer answer;
  answer.status = 415;
  answer.headers.emplace_back("Accept-Post", accepted);
  return answer;
}

std::string LastFrame(const grpc::Status& status) {
  return Frame(kEndOfStream, status.ok() ? "{}" : absl::StrCat("{\"error\":", ErrorJson(status), "}"));
}

}  // namespace

// One gRPC call for one HTTP request. Deletes itself when both the call and the request have ended.
class ConnectGateway::Call final : public grpc::ClientBidiReactor<pb::Message, grpc::ByteBuffer> {
 public:
  // `type` is the Content-Type of the response.
  Call(ConnectGateway* gateway, const Method* method, Encoding encoding, bool stream, std::string type,
       std::shared_ptr<HttpExchange> exchange)
      : gateway_(gateway),
        stub_(gateway->channel_),
        path_(absl::StrCat("/", method->service()->full_name(), "/", method->name())),
        encoding_(encoding),
        streams_(stream),
        type_(std::move(type)),
        exchange_(std::move(exchange)) {
    pb::MessageFactory* factory = pb::MessageFactory::generated_factory();
    request_.reset(factory->GetPrototype(method->input_type())->New());
    response_.reset(factory->GetPrototype(method->output_type())->New());
  }

  // Parses the headers and the message. If that fails, the call must not be started.
  grpc::Status Read(const HttpRequest& request, const std::string& text) {
    const absl::string_view version = request.Header("Connect-Protocol-Version");
    if (!version.empty() && version != "1") {
      return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "Connect-Protocol-Version: must be 1");
    }
    const absl::StatusOr<absl::Duration> timeout = ReadTimeout(request.Header("Connect-Timeout-Ms"));
    if (!timeout.ok()) return ToGrpc(timeout.status());
    if (*timeout != absl::InfiniteDuration()) context_->set_deadline(absl::ToChronoTime(absl::Now() + *timeout));
    client_ = request.caller->client;
    Introduce(*request.caller, context_.get());
    return Decode(encoding_, text, request_.get());
  }

  // Starts the call, which deletes itself when it ends.
  void Start() {
    stub_.PrepareBidiStreamingCall(context_.get(), path_, {}, this);
    AddHold();  // held until the last message has been read, because reads are started outside of the callbacks
    if (streams_) {
      HttpAnswer head;
      head.headers.emplace_back("Content-Type", type_);
      exchange_->Begin(std::move(head));
    }
    exchange_->OnDisconnect([context = context_] { context->TryCancel(); });
    StartWriteLast(request_.get(), grpc::WriteOptions());
    StartRead(&bytes_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return RemoveHold();
    gateway_->pool_->Do(client_, [this] { Deliver(); });
  }

  void OnDone(const grpc::Status& status) override {
    gateway_->pool_->Do(client_, [this, status] {
      Finish(status);
      ConnectGateway* const gateway = gateway_;
      const bool stream = streams_;
      delete this;
      gateway->Leave(stream);
    });
  }

 private:
  void Deliver() {
    grpc::ProtoBufferReader reader(&bytes_);
    answered_ = response_->ParseFromZeroCopyStream(&reader);
    std::string text;
    if (!streams_) return StartRead(&bytes_);
    if (!answered_ || !Encode(encoding_, *response_, &text).ok()) return Abandon();
    exchange_->Write(Frame(0, text), [this](bool taken) { taken ? StartRead(&bytes_) : Abandon(); });
  }

  void Abandon() {
    context_->TryCancel();
    RemoveHold();
  }

  void Finish(grpc::Status status) {
    if (streams_) return exchange_->End(LastFrame(status));
    if (status.ok() && !answered_) status = Wrong(grpc::StatusCode::INTERNAL, "the call returned no response");
    std::string body;
    if (status.ok()) status = Encode(encoding_, *response_, &body);
    if (!status.ok()) return exchange_->Answer(ErrorAnswer(status));
    HttpAnswer answer;
    answer.SetBody(std::move(body), type_);
    exchange_->Answer(std::move(answer));
  }

  ConnectGateway* const gateway_;
  const std::shared_ptr<grpc::ClientContext> context_ = std::make_shared<grpc::ClientContext>();
  grpc::TemplatedGenericStub<pb::Message, grpc::ByteBuffer> stub_;
  std::unique_ptr<pb::Message> request_, response_;
  grpc::ByteBuffer bytes_;
  const std::string path_;
  std::string client_;
  const Encoding encoding_;
  const bool streams_;
  const std::string type_;
  const std::shared_ptr<HttpExchange> exchange_;
  bool answered_ = false;
};

HttpAnswer ErrorAnswer(const grpc::Status& status) {
  HttpAnswer answer;
  answer.status = HttpStatusOf(status.error_code());
  if (status.error_code() == grpc::StatusCode::UNAUTHENTICATED) {
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  }
  answer.SetBody(ErrorJson(status), "application/json");
  return answer;
}

ConnectGateway::ConnectGateway(std::shared_ptr<grpc::Channel> channel, std::vector<std::string> services,
                               const Access* access, Metrics* metrics, WorkPool* pool, int streams)
    : channel_(std::move(channel)),
      admission_(Protocol::kHttp, std::move(services), access, metrics),
      pool_(pool),
      max_streams_(streams) {}

ConnectGateway::~ConnectGateway() { Wait(); }

void ConnectGateway::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  left_.wait(lock, [this] { return calls_ == 0; });
}

bool ConnectGateway::Enter(bool stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stream && streams_ >= max_streams_) return false;
  ++calls_;
  streams_ += stream ? 1 : 0;
  return true;
}

void ConnectGateway::Leave(bool stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --calls_;
  streams_ -= stream ? 1 : 0;
  if (calls_ == 0)
    left_.notify_all();  // notifies under the lock, because the gateway may be destroyed once the lock
                         // is released
}

bool ConnectGateway::IsCall(const std::string& path) {
  const size_t slash = path.find('/', 1);
  return path.size() > 1 && absl::ascii_isalpha(path[1]) && slash != std::string::npos && slash + 1 < path.size() &&
         path.find('/', slash + 1) == std::string::npos &&
         absl::StrContains(absl::string_view(path).substr(0, slash), ".");
}

bool ConnectGateway::Refuse(HttpRequest* head, HttpAnswer* answer) const {
  const Method* const method = admission_.Find(head->path);
  if (method == nullptr) {
    *answer = ErrorAnswer(Wrong(grpc::StatusCode::UNIMPLEMENTED, "no method with this name"));
    return true;
  }
  const bool streams = IsStream(*head), get = head->method != "POST";
  const std::string type = TypeOf(*head);
  // A stream reports errors in its last frame, with HTTP status 200.
  const auto refuse = [&](const grpc::Status& status) {
    if (streams) {
      answer->SetBody(LastFrame(status), type);
    } else {
      *answer = ErrorAnswer(status);
    }
    return true;
  };
  if (streams && type != "application/connect+json" && type != "application/connect+proto") {
    *answer = Unsupported("application/connect+json, application/connect+proto");
    return true;
  }
  if (!streams && type != "application/json" && type != "application/proto") {
    *answer = Unsupported("application/json, application/proto");
    return true;
  }
  if (method->client_streaming() || method->server_streaming() != streams) {
    return refuse(Wrong(grpc::StatusCode::UNIMPLEMENTED,
                        streams ? "the method does not stream its response; use Content-Type application/json"
                                : "the method streams its responses; use Content-Type application/connect+json"));
  }
  if (get && method->options().idempotency_level() != pb::MethodOptions::NO_SIDE_EFFECTS) {
    answer->status = 405;
    answer->headers.emplace_back("Allow", "POST");
    return true;
  }
  absl::StatusOr<Caller> caller = admission_.Admit(method, head->AllOf("Authorization"), head->address);
  if (!caller.ok()) return refuse(ToGrpc(caller.status()));
  head->caller = *std::move(caller);
  return false;
}

void ConnectGateway::Answer(HttpRequest request, std::shared_ptr<HttpExchange> exchange) {
  Enter(false);
  const std::string client = request.caller->client;
  pool_->Do(client, [this, request = std::move(request), exchange = std::move(exchange)] {
    const Method* const method = admission_.Find(request.path);
    IsStream(request) ? AnswerStream(method, request, exchange) : AnswerUnary(method, request, exchange);
    Leave(false);
  });
}

void ConnectGateway::AnswerUnary(const Method* method, const HttpRequest& request,
                                 std::shared_ptr<HttpExchange> exchange) {
  const bool get = request.method != "POST";
  std::string text;
  if (get) {
    if (grpc::Status status = ReadQuery(request, &text); !status.ok()) return exchange->Answer(ErrorAnswer(status));
  }
  const std::string type = TypeOf(request);
  const Encoding encoding = type == "application/json" ? Encoding::kJson : Encoding::kProto;
  auto call = std::make_unique<Call>(this, method, encoding, false, type, exchange);
  if (grpc::Status status = call->Read(request, get ? text : request.body); !status.ok()) {
    return exchange->Answer(ErrorAnswer(status));
  }
  Enter(false);
  call.release()->Start();
}

void ConnectGateway::AnswerStream(const Method* method, const HttpRequest& request,
                                  std::shared_ptr<HttpExchange> exchange) {
  const std::string type = TypeOf(request);
  const auto end_with = [&](const grpc::Status& status) {
    HttpAnswer answer;
    answer.SetBody(LastFrame(status), type);
    exchange->Answer(std::move(answer));
  };
  const absl::StatusOr<std::string> text = ReadFrame(request.body);
  if (!text.ok()) return end_with(ToGrpc(text.status()));
  const Encoding encoding = type == "application/connect+json" ? Encoding::kJson : Encoding::kProto;
  auto call = std::make_unique<Call>(this, method, encoding, true, type, exchange);
  if (grpc::Status status = call->Read(request, *text); !status.ok()) return end_with(status);
  if (!Enter(true)) {
    return end_with(Wrong(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open; close some"));
  }
  call.release()->Start();
}

}  // namespace rewrought::rpc

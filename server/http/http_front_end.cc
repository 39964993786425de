#include "server/http/http_front_end.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/messages/status.h"

namespace rewrought::rpc {
namespace {

// Allows only the web UI's own files, no inline scripts or styles, and no embedding in frames.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

constexpr char kBusy[] =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

HttpHeaders CommonHeaders(bool tls) {
  HttpHeaders headers = {{"Content-Security-Policy", kContentPolicy},
                         {"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Cross-Origin-Opener-Policy", "same-origin"},
                         {"Cache-Control", "no-store"}};
  if (tls) headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
  return headers;
}

HttpAnswer TextAnswer(int status, std::string text) {
  HttpAnswer answer;
  answer.status = status;
  answer.SetBody(std::move(text), "text/plain");
  return answer;
}

// Returns whether the value of a Host header, with or without a port, names this machine.
bool IsLoopbackHost(absl::string_view host) {
  for (const absl::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!absl::StartsWithIgnoreCase(host, name)) continue;
    absl::string_view port = host.substr(name.size());
    return port.empty() ||
           (absl::ConsumePrefix(&port, ":") && std::all_of(port.begin(), port.end(), absl::ascii_isdigit));
  }
  return false;
}

// Returns whether a browser sent the request on behalf of another origin. Such requests must be refused here, because
// browsers ask for permission (CORS preflight) only before unusual methods or headers, not before a plain GET or an
// image request.
bool IsForeign(const HttpRequest& request, const std::string& own_origin) {
  const absl::string_view origin = request.Header("Origin");
  if (!origin.empty()) return origin != own_origin;
  const absl::string_view site = request.Header("Sec-Fetch-Site");
  if (site.empty() || site == "same-origin" || site == "none") return false;
  // A page of another origin may contain a link to the web UI.
  return ConnectGateway::IsCall(request.path) || request.Header("Sec-Fetch-Mode") != "navigate";
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpFrontEnd>> HttpFrontEnd::Start(
    const HttpFrontEndOptions& options, const TlsFiles& tls, std::shared_ptr<grpc::Channel> channel,
    std::vector<std::string> services, const Access* access, MemoryBudget* memory, Metrics* metrics, WorkPool* pool) {
  std::unique_ptr<HttpFrontEnd> front(new HttpFrontEnd(options, access, metrics));
  if (!options.page_folder.empty()) {
    absl::StatusOr<PageFiles> files = ReadPageFiles(options.page_folder);
    if (!files.ok()) return files.status();
    front->files_ = *std::move(files);
  }
  absl::StatusOr<SslContext> context = TlsContext(tls, false);
  if (!context.ok()) return context.status();
  front->tls_ = *context != nullptr;
  front->gateway_ = std::make_unique<ConnectGateway>(std::move(channel), std::move(services), access, metrics, pool,
                                                     options.limits.connections / 2);
  front->listener_ = std::make_unique<Listener>(options.limits.connections, *std::move(context), &metrics->http, kBusy);
  front->shared_.limits = options.limits;
  front->shared_.headers = CommonHeaders(front->tls_);
  front->shared_.handler = front.get();
  front->shared_.metrics = metrics;
  front->shared_.listener = front->listener_->state();
  front->shared_.memory = memory;
  const absl::Status started = front->listener_->Start(
      &front->options_.address,
      [shared = &front->shared_](auto socket, auto* ssl) { return MakeHttpSession(shared, std::move(socket), ssl); });
  if (!started.ok()) return started;
  return front;
}

HttpFrontEnd::~HttpFrontEnd() {
  Stop();
  Join();
}

void HttpFrontEnd::Stop() {
  if (listener_ != nullptr) listener_->Stop();
}

void HttpFrontEnd::Join() {
  if (gateway_ != nullptr) gateway_->Wait();
  if (listener_ != nullptr) listener_->Join();
}

bool HttpFrontEnd::Refuse(HttpRequest* request, HttpAnswer* answer) {
  const HttpRequest& head = *request;
  const auto refuse = [&](int status, const grpc::Status& why) {
    HttpAnswer refusal = ErrorAnswer(why);
    refusal.status = status;
    answer->status = refusal.status;
    answer->body = std::move(refusal.body);
    answer->headers.insert(answer->headers.end(), refusal.headers.begin(), refusal.headers.end());
    return true;
  };
  using grpc::StatusCode;
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST") {
    answer->headers.emplace_back("Allow", "GET, HEAD, POST");
    return refuse(405, {StatusCode::UNIMPLEMENTED, "only GET, HEAD and POST are supported"});
  }
  // If the host name of a foreign site resolves to this address, its pages count as same-origin, but the Host header
  // contains the foreign name.
  const absl::string_view host = head.Header("Host");
  if (head.AllOf("Host").size() > 1 || (options_.loopback && !IsLoopbackHost(host))) {
    return refuse(421, {StatusCode::PERMISSION_DENIED, "Host: must be localhost, 127.0.0.1 or [::1]"});
  }
  if (IsForeign(head, absl::StrCat(tls_ ? "https://" : "http://", host))) {
    return refuse(403,
                  {StatusCode::PERMISSION_DENIED, "Origin, Sec-Fetch-Site: requests from other origins are refused"});
  }
  const absl::string_view coding = head.Header("Content-Encoding");
  if (!coding.empty() && coding != "identity") {
    return refuse(415, {StatusCode::UNIMPLEMENTED, "Content-Encoding: compressed bodies are not supported"});
  }
  // A proxy and this server must agree on where a request ends, or a client could hide a second request in a body.
  const std::vector<std::string> codings = head.AllOf("Transfer-Encoding"), lengths = head.AllOf("Content-Length");
  if (codings.size() > 1 || (!codings.empty() && !lengths.empty())) {
    return refuse(400, {StatusCode::INVALID_ARGUMENT,
                        "Transfer-Encoding: must appear at most once, and not together with Content-Length"});
  }
  if (!codings.empty() && !absl::EqualsIgnoreCase(codings[0], "chunked")) {
    return refuse(501, {StatusCode::UNIMPLEMENTED, "Transfer-Encoding: only chunked is supported"});
  }
  uint64_t bytes = 0;
  const std::string length = lengths.empty() ? "0" : lengths[0];
  if (lengths.size() > 1 || !std::all_of(length.begin(), length.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(length, &bytes)) {
    return refuse(400, {StatusCode::INVALID_ARGUMENT, "Content-Length: must be one number"});
  }
  if (bytes > options_.limits.body_bytes) {
    return refuse(413, {StatusCode::RESOURCE_EXHAUSTED,
                        absl::StrCat("the request body exceeds ", options_.limits.body_bytes, " bytes")});
  }
  HttpAnswer refusal;
  if (!IsCall(head) || !gateway_->Refuse(request, &refusal)) return false;
  *answer = std::move(refusal);
  return true;
}

void HttpFrontEnd::Handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) {
  if (IsCall(request)) return gateway_->Answer(std::move(request), std::move(exchange));
  HttpAnswer not_found;
  not_found.status = 404;
  exchange->Answer(request.method == "POST" ? std::move(not_found) : Get(request));
}

bool HttpFrontEnd::IsCall(const HttpRequest& request) const {
  return ConnectGateway::IsCall(request.path) && (request.method == "POST" || !files_.contains(request.path));
}

HttpAnswer HttpFrontEnd::Get(const HttpRequest& request) const {
  if (request.path == "/healthz") {
    const absl::StatusOr<std::string> health = options_.health == nullptr ? "" : options_.health();
    return health.ok() ? TextAnswer(200, absl::StrCat("ok\n", *health))
                       : TextAnswer(503, absl::StrCat(health.status().message(), "\n"));
  }
  if (request.path != "/metrics") return GetFile(request);
  const absl::StatusOr<Caller> admitted =
      access_->Admit(Protocol::kHttp, request.AllOf("Authorization"), request.address, Role::kRead);
  if (!admitted.ok()) return ErrorAnswer(ToGrpc(admitted.status()));
  HttpAnswer answer;
  answer.SetBody(metrics_->Text(), "text/plain; version=0.0.4; charset=utf-8");
  return answer;
}

HttpAnswer HttpFrontEnd::GetFile(const HttpRequest& request) const {
  const auto found = files_.find(request.path);
  if (found == files_.end()) {
    const bool no_page = request.path == "/" && files_.empty();
    return TextAnswer(404, no_page ? "The web UI is not built; run web/build.sh, then start the server with --web-ui.\n"
                                   : "No file with this name.\n");
  }
  const PageFile& file = found->second;
  const bool gzip = file.gzipped != nullptr && absl::StrContains(request.Header("Accept-Encoding"), "gzip");
  HttpAnswer answer;
  if (gzip) answer.headers.emplace_back("Content-Encoding", "gzip");
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  answer.headers.emplace_back("Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  answer.headers.emplace_back("Content-Type", file.type);
  answer.body = gzip ? file.gzipped : file.bytes;
  return answer;
}

}  // namespace rewrought::rpc

#include "server/rpc/http/http_front_end.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/rpc/messages/status.h"

namespace rewrought::rpc {
namespace {

// Nothing but the page's own files, no script or style in the markup, no frame around it.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

void SetHeaders(bool tls, httplib::Response* response) {
  response->set_header("Content-Security-Policy", kContentPolicy);
  response->set_header("X-Content-Type-Options", "nosniff");
  response->set_header("Referrer-Policy", "no-referrer");
  response->set_header("Cross-Origin-Resource-Policy", "same-origin");
  response->set_header("Cross-Origin-Opener-Policy", "same-origin");
  if (tls) response->set_header("Strict-Transport-Security", "max-age=31536000");
  if (!response->has_header("Cache-Control")) response->set_header("Cache-Control", "no-store");
}

// Whether a Host header is a name of this machine, with a port or without.
bool IsLoopbackHost(absl::string_view host) {
  for (const absl::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!absl::StartsWithIgnoreCase(host, name)) continue;
    absl::string_view port = host.substr(name.size());
    return port.empty() ||
           (absl::ConsumePrefix(&port, ":") && std::all_of(port.begin(), port.end(), absl::ascii_isdigit));
  }
  return false;
}

// Whether a browser sends the request for a page of another origin. One asks only those whose methods or headers are
// unusual for leave, so a GET or an image would be answered, with work done for it.
bool IsForeign(const httplib::Request& request, const std::string& own_origin) {
  const std::string origin = request.get_header_value("Origin");
  if (!origin.empty()) return origin != own_origin;
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  if (site.empty() || site == "same-origin" || site == "none") return false;
  // A link on another page may lead to the web UI.
  return ConnectGateway::IsCall(request.path) || request.get_header_value("Sec-Fetch-Mode") != "navigate";
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpFrontEnd>> HttpFrontEnd::Start(const HttpFrontEndOptions& options,
                                                                  const TlsFiles& tls,
                                                                  std::shared_ptr<grpc::Channel> channel,
                                                                  std::vector<std::string> services,
                                                                  const Access* access, Metrics* metrics) {
  std::unique_ptr<HttpFrontEnd> front(new HttpFrontEnd(options, access, metrics));
  if (!options.page_folder.empty()) {
    absl::StatusOr<PageFiles> files = ReadPageFiles(options.page_folder);
    if (!files.ok()) return files.status();
    front->files_ = *std::move(files);
  }
  absl::StatusOr<SslContext> context = HttpCredentials(tls);
  if (!context.ok()) return context.status();
  front->tls_ = *context != nullptr;
  front->gateway_ = std::make_unique<ConnectGateway>(std::move(channel), std::move(services),
                                                     access->front_end_secret(), options.limits.connections / 2);
  front->server_ = std::make_unique<HttpServer>(options.limits, *std::move(context), metrics);
  front->Register();
  if (absl::Status status = front->server_->Bind(&front->options_.address); !status.ok()) return status;
  front->thread_ = std::thread([server = front->server_.get()] { server->Run(); });
  return front;
}

HttpFrontEnd::~HttpFrontEnd() {
  Stop();
  Join();
}

void HttpFrontEnd::Stop() {
  if (server_ != nullptr) server_->Stop();
}

void HttpFrontEnd::Join() {
  if (thread_.joinable()) thread_.join();
  if (server_ != nullptr) server_->Join();
}

void HttpFrontEnd::Register() {
  server_->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (!Refuse(request, response)) return httplib::Server::HandlerResponse::Unhandled;
    HttpPeer::Current()->CloseAfterAnswer();
    response.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  });
  server_->set_post_routing_handler(
      [this](const httplib::Request&, httplib::Response& response) { SetHeaders(tls_, &response); });
  const char* const kAny = R"(/[^]*)";
  server_->Get(kAny, [this](const httplib::Request& request, httplib::Response& response) {
    HttpPeer::Current()->Asked();
    Get(request, response);
  });
  server_->Post(kAny, [this](const httplib::Request& request, httplib::Response& response) {
    HttpPeer::Current()->Asked();
    if (!ConnectGateway::IsCall(request.path)) {
      response.status = 404;
      return;
    }
    gateway_->Answer(request, response, false);
  });
}

bool HttpFrontEnd::Refuse(const httplib::Request& request, httplib::Response& response) const {
  const auto refuse = [&](int status, const grpc::Status& why) {
    SetError(&response, why);
    response.status = status;
    return true;
  };
  using grpc::StatusCode;
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    response.set_header("Allow", "GET, HEAD, POST");
    return refuse(405, {StatusCode::UNIMPLEMENTED, "only GET, HEAD and POST are answered"});
  }
  // A foreign page whose name was bound to this address would count as of the same origin; its Host gives it away.
  const std::string host = request.get_header_value("Host");
  if (request.get_header_value_count("Host") > 1 || (options_.loopback && !IsLoopbackHost(host))) {
    return refuse(421, {StatusCode::PERMISSION_DENIED, "Host: this is localhost"});
  }
  if (IsForeign(request, absl::StrCat(tls_ ? "https://" : "http://", host))) {
    return refuse(403, {StatusCode::PERMISSION_DENIED, "Origin, Sec-Fetch-Site: other pages may not ask"});
  }
  const std::string coding = request.get_header_value("Content-Encoding");
  if (!coding.empty() && coding != "identity") {
    return refuse(415, {StatusCode::UNIMPLEMENTED, "Content-Encoding: bodies may not be compressed"});
  }
  const std::string length = request.get_header_value("Content-Length");
  if (!length.empty() && request.has_header("Transfer-Encoding")) {
    return refuse(400, {StatusCode::INVALID_ARGUMENT, "Content-Length and Transfer-Encoding exclude each other"});
  }
  uint64_t bytes = 0;
  if (request.get_header_value_count("Content-Length") > 1 || (!length.empty() && !absl::SimpleAtoi(length, &bytes))) {
    return refuse(400, {StatusCode::INVALID_ARGUMENT, "Content-Length is no number"});
  }
  if (bytes > options_.message_bytes) {
    return refuse(
        413, {StatusCode::RESOURCE_EXHAUSTED, absl::StrCat("a request may hold ", options_.message_bytes, " bytes")});
  }
  return false;
}

void HttpFrontEnd::Get(const httplib::Request& request, httplib::Response& response) {
  if (request.path == "/healthz") return response.set_content("ok\n", "text/plain");
  if (request.path == "/metrics") {
    const absl::Status admitted = access_->AdmitHttp(request.get_header_value("Authorization"), Role::kRead);
    if (!admitted.ok()) return SetError(&response, ToGrpc(admitted));
    return SetBody(&response, metrics_->Text(), "text/plain; version=0.0.4; charset=utf-8");
  }
  if (ConnectGateway::IsCall(request.path) && !files_.contains(request.path)) {
    return gateway_->Answer(request, response, true);
  }
  GetFile(request, response);
}

void HttpFrontEnd::GetFile(const httplib::Request& request, httplib::Response& response) const {
  const auto found = files_.find(request.path);
  if (found == files_.end()) {
    response.status = 404;
    const bool no_page = request.path == "/" && files_.empty();
    return response.set_content(no_page ? "The page is not built; web/build.sh builds it, then start with --web-ui.\n"
                                        : "There is no such file.\n",
                                "text/plain");
  }
  const PageFile& file = found->second;
  const bool gzip = !file.gzipped.empty() && absl::StrContains(request.get_header_value("Accept-Encoding"), "gzip");
  if (gzip) response.set_header("Content-Encoding", "gzip");
  response.set_header("Vary", "Accept-Encoding");
  response.set_header("Cache-Control", file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  SetBody(&response, gzip ? file.gzipped : file.bytes, file.type);
}

}  // namespace rewrought::rpc

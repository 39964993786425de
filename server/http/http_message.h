// Defines HTTP requests and responses, independent of the wire format.
#ifndef REWROUGHT_SERVER_HTTP_HTTP_MESSAGE_H_
#define REWROUGHT_SERVER_HTTP_HTTP_MESSAGE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/access/access.h"

namespace rewrought::rpc {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;                         // "GET"
  std::string path;                           // decoded
  std::map<std::string, std::string> params;  // decoded query parameters; only the first value of each name is kept
  HttpHeaders headers;
  std::string body;
  std::string address;           // the client's IP address
  std::optional<Caller> caller;  // the caller of a method; empty if the request is not a call

  // Returns the first header with this name, ignoring case, or an empty string.
  absl::string_view Header(absl::string_view name) const;
  std::vector<std::string> AllOf(absl::string_view name) const;  // the values of all headers with this name
  std::string Param(const std::string& name) const;              // returns an empty string if the parameter is missing

  // Sets path and params from "/path?name=value&…". An invalid escape is kept as is.
  void SetTarget(absl::string_view target);
};

struct HttpAnswer {
  int status = 200;
  HttpHeaders headers;                      // the headers, except those for length and framing
  std::shared_ptr<const std::string> body;  // null if empty; shared, so that a file is not copied for each request

  void SetBody(std::string text, std::string type);
};

// One request that is being answered. A handler calls either Answer alone, or Begin, Write (any number of times), and
// End. Thread-safe.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual void Answer(HttpAnswer answer) = 0;

  virtual void Begin(HttpAnswer head) = 0;
  // Sends a piece of the body. Calls `taken` with true when the client has read the piece, or with false if the client
  // has left; all later calls of Write and End then have no effect.
  virtual void Write(std::string piece, std::function<void(bool)> taken) = 0;
  virtual void End(std::string piece) = 0;

  // Registers `gone`. It is called at most once, when the client closes the connection or the server shuts down before
  // the response is complete.
  virtual void OnDisconnect(std::function<void()> gone) = 0;
};

// Answers the requests of an HttpServer. Thread-safe; the methods must not block.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Checks a request before its body is read. If it returns true, `answer` is sent and the connection is closed. May
  // set the request's caller.
  virtual bool Refuse(HttpRequest* head, HttpAnswer* answer) = 0;

  virtual void Handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_MESSAGE_H_

// Requests and answers of HTTP as the front end's parts hand them on, without how they come over the wire.
#ifndef REWROUGHT_SERVER_HTTP_HTTP_MESSAGE_H_
#define REWROUGHT_SERVER_HTTP_HTTP_MESSAGE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace rewrought::rpc {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;                         // "GET"
  std::string path;                           // decoded
  std::map<std::string, std::string> params;  // of the query, decoded; of equal names the first
  HttpHeaders headers;
  std::string body;
  std::string address;  // the client's IP address

  // Of the first header of that name, in any case; empty: there is none.
  absl::string_view Header(absl::string_view name) const;
  int HeaderCount(absl::string_view name) const;
  std::string Param(const std::string& name) const;  // empty: there is none

  // Sets path and params of "/path?name=value&…". What is no escape stands for itself.
  void SetTarget(absl::string_view target);
};

struct HttpAnswer {
  int status = 200;
  HttpHeaders headers;                      // without length and framing
  std::shared_ptr<const std::string> body;  // null: empty. Shared, so that a file is not copied for each who asks

  void SetBody(std::string text, std::string type);
};

// One request while it is answered: by Answer, or by Begin, Writes one after the other, and End. Thread-safe.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual void Answer(HttpAnswer answer) = 0;

  virtual void Begin(HttpAnswer head) = 0;
  // `taken` hears when the client has taken the piece; false: it has gone, and the rest is dropped, End included.
  virtual void Write(std::string piece, std::function<void(bool)> taken) = 0;
  virtual void End(std::string piece) = 0;

  // `gone` hears, once at most and before the answer is complete, that nobody waits for it any more: the client has
  // closed the connection, or the server goes down.
  virtual void OnGone(std::function<void()> gone) = 0;
};

// What a server does with requests. Thread-safe; neither may block.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // Looks at a request whose body has not been read. True: `answer` is all that it gets, and the connection is closed.
  virtual bool Refuse(const HttpRequest& head, HttpAnswer* answer) = 0;

  // Answers a request.
  virtual void Handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_MESSAGE_H_

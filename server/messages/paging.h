// Divides lists into pages: reads page sizes and page tokens, and checks that a token belongs to the requested list.
#ifndef REWROUGHT_SERVER_MESSAGES_PAGING_H_
#define REWROUGHT_SERVER_MESSAGES_PAGING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

// One page of a list. Each list method chooses the text that describes a position in its list.
class Page {
 public:
  static constexpr size_t kDefaultSize = 50;
  static constexpr size_t kMaxSize = 1000;

  // Returns the page that `page_size` and `page_token` of a request select. The request's other fields identify the
  // list. Fails with InvalidArgument, naming page_token, if the token belongs to a different list.
  template <typename Request>
  static absl::StatusOr<Page> Of(const Request& request) {
    Request list = request;
    list.clear_page_size();
    list.clear_page_token();
    return Read(absl::StrCat(Request::descriptor()->full_name(), "\n", list.SerializeAsString()), request.page_size(),
                request.page_token());
  }

  // Like Of, for a list in which a position consists of a number and, after "+", an optional text. Also fails with
  // InvalidArgument if the position has another form.
  template <typename Request>
  static absl::StatusOr<Page> Numbered(const Request& request) {
    absl::StatusOr<Page> page = Of(request);
    if (page.ok() && !page->ReadNumber()) return Malformed();
    return page;
  }

  // Returns the maximum number of entries: the requested size, but at most kMaxSize, or kDefaultSize if the requested
  // size is 0.
  size_t size() const { return size_; }

  // Returns the position where the page starts, or an empty string for the beginning of the list.
  const std::string& place() const { return place_; }

  // Return the parts of a Numbered position, or 0 and an empty string for the beginning of the list.
  size_t number() const { return number_; }
  const std::string& text() const { return text_; }

  static absl::Status Malformed();

  std::string TokenOf(absl::string_view place) const { return absl::StrCat(prefix_, place); }

 private:
  Page(std::string prefix, size_t size, std::string place)
      : prefix_(std::move(prefix)), size_(size), place_(std::move(place)) {}
  bool ReadNumber();
  static absl::StatusOr<Page> Read(absl::string_view list, uint32_t size, absl::string_view token);

  std::string prefix_;  // prefix of all tokens of the list
  size_t size_;
  std::string place_;
  size_t number_ = 0;
  std::string text_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_PAGING_H_

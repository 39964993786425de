// Pages of lists: how much a request asks for, from where on, and tokens that belong to one list only.
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

// One page of a list. A place in it is text that the list's method gives and takes.
class Page {
 public:
  static constexpr size_t kDefaultSize = 50;
  static constexpr size_t kMaxSize = 1000;

  // The page that a request asks for with `page_size` and `page_token`; its other fields say which list it is.
  // InvalidArgument, naming page_token: the token is of another list.
  template <typename Request>
  static absl::StatusOr<Page> Of(const Request& request) {
    Request list = request;
    list.clear_page_size();
    list.clear_page_token();
    return Read(absl::StrCat(Request::descriptor()->full_name(), "\n", list.SerializeAsString()), request.page_size(),
                request.page_token());
  }

  // The same of a list whose places are a number from 0 and, behind "+", a text. InvalidArgument also for other places.
  template <typename Request>
  static absl::StatusOr<Page> Numbered(const Request& request) {
    absl::StatusOr<Page> page = Of(request);
    if (page.ok() && !page->ReadNumber()) return Malformed();
    return page;
  }

  // How many entries it may hold: kDefaultSize where the request says 0, at most kMaxSize.
  size_t size() const { return size_; }

  // Where it starts; empty: at the list's beginning.
  const std::string& place() const { return place_; }

  // Its parts, where it is Numbered; 0 and empty at the list's beginning.
  size_t number() const { return number_; }
  const std::string& text() const { return text_; }

  // The error of a place that is none.
  static absl::Status Malformed();

  // The token of the page that starts at `place`.
  std::string TokenOf(absl::string_view place) const { return absl::StrCat(prefix_, place); }

 private:
  Page(std::string prefix, size_t size, std::string place)
      : prefix_(std::move(prefix)), size_(size), place_(std::move(place)) {}
  bool ReadNumber();
  static absl::StatusOr<Page> Read(absl::string_view list, uint32_t size, absl::string_view token);

  std::string prefix_;  // of the list's tokens
  size_t size_;
  std::string place_;
  size_t number_ = 0;
  std::string text_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_PAGING_H_

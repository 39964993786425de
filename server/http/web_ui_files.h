// The files of the page, held in memory: requests name a file by its exact path, and never reach the file system.
#ifndef REWROUGHT_SERVER_HTTP_WEB_UI_FILES_H_
#define REWROUGHT_SERVER_HTTP_WEB_UI_FILES_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::rpc {

struct PageFile {
  std::shared_ptr<const std::string> bytes;
  std::shared_ptr<const std::string> gzipped;  // null: not made
  std::string type;
  bool immutable = false;  // its name holds a digest of its content
};

// By path: "/", "/assets/index-12ab.js".
using PageFiles = std::map<std::string, PageFile, std::less<>>;

// Reads a folder as `web/build.sh` leaves it. NotFound: it holds no index.html; ResourceExhausted: more than 64 MiB.
absl::StatusOr<PageFiles> ReadPageFiles(const std::string& folder);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_WEB_UI_FILES_H_

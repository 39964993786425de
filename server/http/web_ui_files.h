// Holds the files of the web UI in memory. A request names a file by its exact path and never accesses the file system.
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
  std::shared_ptr<const std::string> gzipped;  // null: no compressed version
  std::string type;
  bool immutable = false;  // whether the file's name contains a digest of its content
};

// The files by path, such as "/" or "/assets/index-12ab.js".
using PageFiles = std::map<std::string, PageFile, std::less<>>;

// Reads the files of a folder that `web/build.sh` wrote. Fails with NotFound if the folder contains no index.html, and
// with ResourceExhausted if it contains more than 64 MiB.
absl::StatusOr<PageFiles> ReadPageFiles(const std::string& folder);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_WEB_UI_FILES_H_

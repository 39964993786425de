#include "server/database_watch.h"

#include <sys/stat.h>

#include <utility>

namespace rewrought::rpc {

DatabaseWatch::DatabaseWatch(std::string path) : path_(std::move(path)) {
  struct stat about {};
  if (stat(path_.c_str(), &about) != 0) return;
  device_ = about.st_dev;
  inode_ = about.st_ino;
}

absl::Status DatabaseWatch::Check() const {
  struct stat about {};
  if (stat(path_.c_str(), &about) != 0) {
    return absl::UnavailableError("the server's database file was deleted; restore it, then restart the server");
  }
  if (about.st_dev != device_ || about.st_ino != inode_) {
    return absl::UnavailableError("the server's database file was replaced; restart the server");
  }
  return absl::OkStatus();
}

}  // namespace rewrought::rpc

// Detects when the database file is deleted or replaced while the server has it open. The server would otherwise read
// and write a file that no longer has a name.
#ifndef REWROUGHT_SERVER_DATABASE_WATCH_H_
#define REWROUGHT_SERVER_DATABASE_WATCH_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"

namespace rewrought::rpc {

// Thread-safe.
class DatabaseWatch {
 public:
  // `path` must name the file that the server has just opened.
  explicit DatabaseWatch(std::string path);

  // Fails with Unavailable if the path does not name the opened file. Takes about a microsecond, so every client call
  // performs this check. The message does not contain the path, because clients may read the message.
  absl::Status Check() const;

 private:
  const std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_DATABASE_WATCH_H_

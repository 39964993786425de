// Converts SQLite's result codes to statuses whose messages name the file, the operation, and a remedy.
#ifndef REWROUGHT_STORE_SQLITE_ERROR_H_
#define REWROUGHT_STORE_SQLITE_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::store::sqlite {

struct Failure {
  int code = 0;          // SQLite's extended result code
  int system_errno = 0;  // errno of the failed system call, or 0
  std::string detail;    // the text from sqlite3_errmsg
  std::string path;      // path of the database
};

// Returns the status for a failure of `doing` ("writing", "opening", …). The codes are:
//   ResourceExhausted  full disk, quota or file size limit, out of memory
//   PermissionDenied   read-only database, folder or file system; no access
//   Unavailable        locked by another process beyond the busy timeout; I/O error
//   NotFound           no such file or folder
//   InvalidArgument    not a database; a value that is too large
//   DataLoss           damaged database
//   FailedPrecondition a constraint of the schema
//   Cancelled          interrupted
//   Internal           anything else, which is a bug in this program
absl::Status ToStatus(const Failure& failure, absl::string_view doing);

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_ERROR_H_

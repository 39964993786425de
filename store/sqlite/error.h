// Turns SQLite's result codes into statuses whose messages name the file, what was being done and the remedy.
#ifndef REWROUGHT_STORE_SQLITE_ERROR_H_
#define REWROUGHT_STORE_SQLITE_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rewrought::store::sqlite {

struct Failure {
  int code = 0;          // SQLite's extended result code
  int system_errno = 0;  // of the failed system call, or 0
  std::string detail;    // sqlite3_errmsg
  std::string path;      // of the database
};

// The status for a failure of `doing` ("writing", "opening", …). Codes:
//   ResourceExhausted  full disk, quota or file size limit, out of memory
//   PermissionDenied   read-only database, folder or file system; no access
//   Unavailable        locked by another process for longer than the busy timeout; input/output error
//   NotFound           no such file or folder
//   InvalidArgument    not a database; a value that is too large
//   DataLoss           damaged database
//   FailedPrecondition a constraint of the schema
//   Cancelled          interrupted
//   Internal           anything else: a mistake in this program
absl::Status ToStatus(const Failure& failure, absl::string_view doing);

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_ERROR_H_

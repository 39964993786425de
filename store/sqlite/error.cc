#include "store/sqlite/error.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace rewrought::store::sqlite {
namespace {

bool IsNoSpace(int system_errno) { return system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG; }

absl::Status NoSpace(const Failure& failure) {
  const char* what = failure.system_errno == EFBIG    ? "the file size limit of this process is reached"
                     : failure.system_errno == EDQUOT ? "the disk quota is used up"
                                                      : "the disk is full";
  return absl::ResourceExhaustedError(absl::StrCat(
      failure.path, ": ", what,
      "; committed data is kept. Free some space, or copy the database elsewhere and use the copy with --db"));
}

absl::Status CannotOpen(const Failure& failure, absl::string_view doing) {
  switch (failure.system_errno) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(absl::StrCat(failure.path, ": no such file or folder; check the path of --db"));
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(
          absl::StrCat(failure.path, ": no permission to open it (", std::strerror(failure.system_errno),
                       "); make the database and its folder writable, or use another one with --db"));
    default:
      return absl::UnavailableError(
          absl::StrCat(failure.path, ": cannot be opened while ", doing, ": ", failure.detail,
                       failure.system_errno ? absl::StrCat(" (", std::strerror(failure.system_errno), ")") : ""));
  }
}

}  // namespace

absl::Status ToStatus(const Failure& failure, absl::string_view doing) {
  const std::string& path = failure.path;
  switch (failure.code & 0xff) {
    case SQLITE_FULL:
      return NoSpace(failure);
    case SQLITE_IOERR:
      if (IsNoSpace(failure.system_errno)) return NoSpace(failure);
      return absl::UnavailableError(
          absl::StrCat(path, ": I/O error while ", doing, ": ",
                       failure.system_errno ? std::strerror(failure.system_errno) : failure.detail.c_str(),
                       "; check the disk, and make sure that the database is not on a network file system"));
    case SQLITE_READONLY:
      return absl::PermissionDeniedError(absl::StrCat(
          path, ": the database is read-only; make it and its folder writable, or copy it and use the copy with --db"));
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return absl::PermissionDeniedError(absl::StrCat(path, ": access denied while ", doing, ": ", failure.detail));
    case SQLITE_NOTADB:
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": not a database; specify a Rewrought database, or a file that does not exist yet, with --db"));
    case SQLITE_CORRUPT:
      return absl::DataLossError(absl::StrCat(path, ": the database is damaged (", failure.detail,
                                              "); restore a backup, or salvage it with: sqlite3 FILE .recover"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(absl::StrCat(path,
                                                 ": locked: another process is writing to it; wait for it or stop it, "
                                                 "or use a separate --db for this run and merge it later"));
    case SQLITE_CANTOPEN:
      return CannotOpen(failure, doing);
    case SQLITE_NOMEM:
      return absl::ResourceExhaustedError(absl::StrCat(path, ": out of memory while ", doing));
    case SQLITE_TOOBIG:
      return absl::InvalidArgumentError(absl::StrCat(path, ": a string or blob is too large to store while ", doing));
    case SQLITE_CONSTRAINT:
      return absl::FailedPreconditionError(absl::StrCat(path, ": ", failure.detail, " while ", doing));
    case SQLITE_INTERRUPT:
      return absl::CancelledError(absl::StrCat(path, ": interrupted while ", doing));
    default:
      return absl::InternalError(absl::StrCat(path, ": ", failure.detail, " (", failure.code, ") while ", doing));
  }
}

}  // namespace rewrought::store::sqlite

#include "store/maintenance/copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "store/database_lock.h"
#include "store/maintenance/check.h"
#include "store/schema.h"
#include "store/sqlite/database.h"
#include "store/sqlite/network_file_system.h"

namespace rewrought::store {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;
using sqlite::OpenMode;

constexpr absl::Duration kPatience = absl::Seconds(30);

absl::Status SystemError(const std::string& path, absl::string_view doing) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": cannot be ", doing, ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(absl::StrCat(text, "; free some space"));
  if (error == EACCES || error == EPERM || error == EROFS) return absl::PermissionDeniedError(text);
  if (error == ENOENT) return absl::NotFoundError(text);
  return absl::UnavailableError(text);
}

// Writes the file's content to the disk. Must be called before the file gets its final name.
absl::Status Sync(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return SystemError(path, "opened");
  const bool synced = fsync(descriptor) == 0;
  const absl::Status status = synced ? absl::OkStatus() : SystemError(path, "written to the disk");
  close(descriptor);
  return status;
}

absl::Status Rename(const std::string& from, const std::string& to) {
  if (absl::Status synced = Sync(from); !synced.ok()) return synced;
  if (rename(from.c_str(), to.c_str()) != 0) return SystemError(to, "renamed");
  const fs::path folder = fs::path(to).parent_path();
  return Sync(folder.empty() ? "." : folder.string());
}

absl::Status CopyBytes(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (!error) return absl::OkStatus();
  errno = error.value();
  return SystemError(to, absl::StrCat("copied from ", from));
}

void Remove(const std::string& path) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) unlink(absl::StrCat(path, suffix).c_str());
}

// Returns the name of a temporary file next to `path`. The name is always the same, so that a file left behind by a
// killed process is overwritten.
std::string PartOf(const std::string& path) {
  const fs::path place(path);
  return (place.parent_path() / absl::StrCat(".", place.filename().string(), ".part")).string();
}

absl::StatusOr<std::unique_ptr<Database>> OpenOurs(const std::string& path, OpenMode mode) {
  absl::StatusOr<std::unique_ptr<Database>> database = Database::Open(path, mode, kPatience);
  if (!database.ok()) return database.status();
  const absl::StatusOr<int> version = SchemaVersion(**database);
  if (!version.ok()) return version.status();
  return database;
}

absl::Status CheckStructure(const std::string& path, Database& database) {
  CheckOptions options;
  options.quick = true;
  options.most = 1;
  const absl::StatusOr<CheckReport> report = CheckDatabase(database, options);
  if (!report.ok()) return report.status();
  if (report->faults.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path, ": damaged: ", report->faults[0].what, "; run rewrought db check --db ",
                                          path, " to list all faults"));
}

// Replaces the file `to` with a single file that has the content of `source`.
absl::Status CopyTo(Database& source, const std::string& to, const CopyProgress& progress) {
  Remove(to);
  absl::StatusOr<std::unique_ptr<Database>> target = Database::Open(to, OpenMode::kCreate, kPatience);
  if (!target.ok()) return target.status();
  // The copy is checked before it gets its final name, so a journal is not needed.
  absl::Status status = (*target)->Script("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  if (status.ok()) status = source.CopyInto(target->get(), progress);
  if (status.ok()) status = CheckStructure(source.path(), **target);
  // The journal mode was also copied. In WAL mode, a reader would create files next to the copy.
  if (status.ok()) status = (*target)->Script("PRAGMA journal_mode = DELETE;");
  return status;
}

absl::Status CheckTarget(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::exists(from, error)) return absl::NotFoundError(absl::StrCat(from, ": no such database; check the path"));
  if (fs::equivalent(from, to, error) && !error) {
    return absl::FailedPreconditionError(absl::StrCat(to, ": is the file to copy; choose another target"));
  }
  return absl::OkStatus();
}

uint64_t SizeOf(const std::string& path);

// Removes the log next to a file that will be replaced, because SQLite would use it as the new file's log. A log that
// is not empty belongs to a database in use; an empty log is left over from reading.
absl::Status RemoveEmptyLog(const std::string& path) {
  if (SizeOf(path + "-wal") > 0 || SizeOf(path + "-journal") > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": is in use (it has a log beside it); choose another file, or use `rewrought db restore`"));
  }
  for (const char* suffix : {"-wal", "-shm"}) unlink(absl::StrCat(path, suffix).c_str());
  return absl::OkStatus();
}

uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

// Returns an unused name for a damaged database.
std::string UnusedDamagedName(const std::string& path) {
  std::error_code error;
  for (int number = 1;; ++number) {
    const std::string aside = absl::StrCat(path, ".damaged-", number);
    if (!fs::exists(aside, error)) return aside;
  }
}

// Replaces a damaged database. Moves the log together with the damaged database; otherwise, SQLite would use it as the
// new database's log.
absl::Status ReplaceDamaged(Database& backup, const std::string& to, const CopyProgress& progress, CopyReport* report) {
  const std::string part = PartOf(to);
  if (absl::Status copied = CopyTo(backup, part, progress); !copied.ok()) return copied;
  report->set_aside = UnusedDamagedName(to);
  std::error_code error;
  // SQLite discards the log of an empty or missing database, so being killed between the two renames does no harm.
  if (rename(to.c_str(), report->set_aside.c_str()) != 0) return SystemError(to, "renamed");
  for (const char* suffix : {"-wal", "-shm"}) {
    if (!fs::exists(to + suffix, error)) continue;
    if (rename((to + suffix).c_str(), (report->set_aside + suffix).c_str()) != 0) return SystemError(to, "renamed");
  }
  return Rename(part, to);
}

}  // namespace

absl::StatusOr<std::unique_ptr<emitter::ScratchFolder>> NewLocalFolder() {
  const char* const set = std::getenv("TMPDIR");
  const std::string parent = set != nullptr && *set != '\0' ? set : "/tmp";
  if (absl::Status local = sqlite::CheckLocalDisk(parent); !local.ok()) return local;
  auto folder = std::make_unique<emitter::ScratchFolder>(parent, "rewrought-db-");
  if (!folder->made()) {
    return absl::PermissionDeniedError(
        absl::StrCat(parent, ": a folder cannot be created in it; choose another folder with TMPDIR"));
  }
  return folder;
}

absl::StatusOr<CopyReport> BackUp(const std::string& from, const std::string& to, const CopyProgress& progress) {
  if (absl::Status status = CheckTarget(from, to); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Database>> source = OpenOurs(from, OpenMode::kReadOnly);
  if (!source.ok()) return source.status();
  std::error_code error;
  if (fs::is_directory(to, error))
    return absl::InvalidArgumentError(absl::StrCat(to, ": is a folder; specify a file in it"));
  const std::string part = PartOf(to);
  const absl::Cleanup remove = [&part] { Remove(part); };
  absl::Status status;
  if (sqlite::NetworkFileSystemOf(to) == nullptr) {
    if (const fs::path folder = fs::path(to).parent_path(); !folder.empty()) fs::create_directories(folder, error);
    if (fs::exists(to, error)) status = OpenOurs(to, OpenMode::kReadOnly).status();
    // A damaged backup may be replaced, but another application's file must not be.
    if (absl::IsDataLoss(status)) status = absl::OkStatus();
    if (status.ok()) status = CopyTo(**source, part, progress);
  } else {
    const absl::StatusOr<std::unique_ptr<emitter::ScratchFolder>> folder = NewLocalFolder();
    if (!folder.ok()) return folder.status();
    const std::string local = (*folder)->path() + "/copy.db";
    status = CopyTo(**source, local, progress);
    if (status.ok()) status = CopyBytes(local, part);
  }
  if (status.ok()) status = RemoveEmptyLog(to);
  if (status.ok()) status = Rename(part, to);
  if (!status.ok()) return status;
  return CopyReport{SizeOf(to), ""};
}

absl::StatusOr<CopyReport> Restore(const std::string& from, const std::string& to, const CopyProgress& progress) {
  if (absl::Status status = CheckTarget(from, to); !status.ok()) return status;
  if (absl::Status status = sqlite::CheckLocalDisk(to); !status.ok()) return status;
  const absl::StatusOr<LocalCopy> local = LocalCopy::Of(from);
  if (!local.ok()) return local.status();
  absl::StatusOr<std::unique_ptr<Database>> backup = OpenOurs(local->path(), OpenMode::kReadOnly);
  if (!backup.ok()) return backup.status();
  if (absl::Status sound = CheckStructure(from, **backup); !sound.ok()) return sound;
  CopyReport report;
  std::error_code error;
  const bool is_new = !fs::exists(to, error);
  absl::StatusOr<std::unique_ptr<Database>> target = OpenOurs(to, is_new ? OpenMode::kCreate : OpenMode::kReadWrite);
  const bool is_damaged = absl::IsDataLoss(target.status()) || absl::IsInvalidArgument(target.status());
  if (!target.ok() && !is_damaged) return target.status();
  absl::StatusOr<std::unique_ptr<DatabaseLock>> alone = DatabaseLock::TakeExclusive(to);
  if (absl::IsFailedPrecondition(alone.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat(to, ": is being written by ", alone.status().message(), "; stop it, then restore"));
  }
  if (!alone.ok()) return alone.status();
  absl::Status status;
  if (!is_damaged) {
    status = (*target)->Script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    if (status.ok()) status = (*backup)->CopyInto(target->get(), progress);
    if (status.ok()) status = (*target)->Script("PRAGMA wal_checkpoint(TRUNCATE);");
  }
  if (is_damaged || absl::IsDataLoss(status)) {
    target = absl::UnavailableError("closed");
    status = ReplaceDamaged(**backup, to, progress, &report);
  }
  if (!status.ok()) return status;
  report.bytes = SizeOf(to);
  return report;
}

absl::StatusOr<LocalCopy> LocalCopy::Of(const std::string& path) {
  if (sqlite::NetworkFileSystemOf(path) == nullptr) return LocalCopy(path, nullptr);
  absl::StatusOr<std::unique_ptr<emitter::ScratchFolder>> folder = NewLocalFolder();
  if (!folder.ok()) return folder.status();
  const std::string local = (*folder)->path() + "/" + fs::path(path).filename().string();
  LocalCopy copy(local, *std::move(folder));
  if (SizeOf(path + "-wal") > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     ": has a log beside it on a network file system, so another machine may be writing to it; "
                     "copy it on that machine with `rewrought db backup`, and use the copy"));
  }
  if (absl::Status copied = CopyBytes(path, copy.path()); !copied.ok()) return copied;
  return copy;
}

}  // namespace rewrought::store

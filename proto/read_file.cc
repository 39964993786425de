#include "proto/read_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace rewrought::proto {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 18;
constexpr int kPollMs = 50;  // The maximum delay until a stop request takes effect.

// O_NONBLOCK keeps open() from waiting for the writer of a pipe. It does not affect regular files.
constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

std::atomic<bool> reads_are_cancelled = false;

absl::Status CannotRead(absl::string_view name, int error) {
  const std::string text = absl::StrCat(name, ": cannot be read: ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

absl::Status IsNoRegularFile(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": is a ", what, ", not a regular file; remove it, or replace it with a copy of the file"));
}

const char* KindOf(mode_t mode) {
  return S_ISDIR(mode)    ? "folder"
         : S_ISLNK(mode)  ? "symbolic link"
         : S_ISFIFO(mode) ? "named pipe"
         : S_ISSOCK(mode) ? "socket"
                          : "device";
}

}  // namespace

void CancelReads() { reads_are_cancelled = true; }

InputFile::InputFile(InputFile&& other) noexcept { *this = std::move(other); }

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(owned_, other.owned_);
  std::swap(waits_, other.waits_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::~InputFile() {
  if (owned_ && descriptor_ >= 0) close(descriptor_);
}

absl::Status InputFile::Inspect(bool only_regular) {
  struct stat about = {};
  if (fstat(descriptor_, &about) != 0) return CannotRead(name_, errno);
  waits_ = !S_ISREG(about.st_mode);
  size_ = waits_ ? 0 : static_cast<uint64_t>(about.st_size);
  if (only_regular && waits_) return IsNoRegularFile(name_, KindOf(about.st_mode));
  if (S_ISDIR(about.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(name_, ": is a folder; name a file in it"));
  return absl::OkStatus();
}

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  if (path.find('\0') != std::string::npos) return CannotRead(absl::CHexEscape(path), ENOENT);
  const int descriptor = open(path.c_str(), kFlags);
  if (descriptor < 0) return CannotRead(path, errno);
  InputFile file(path, descriptor, true);
  if (absl::Status status = file.Inspect(false); !status.ok()) return status;
  return file;
}

absl::StatusOr<InputFile> InputFile::OpenIn(const std::string& folder, absl::string_view name) {
  const std::string path = absl::StrCat(folder, "/", name);
  const std::vector<std::string> parts = absl::StrSplit(name, '/');
  for (const std::string& part : parts) {
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", absl::CHexEscape(name), "\" does not name a file in ", folder));
    }
  }
  int place = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place < 0) return CannotRead(folder, errno);
  for (const std::string& part : parts) {
    // Check the type first, because opening a device may have side effects.
    struct stat about = {};
    const bool found = fstatat(place, part.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
    const int missing = errno;
    const bool last = &part == &parts.back();
    const bool fits = last ? S_ISREG(about.st_mode) : S_ISDIR(about.st_mode);
    const int next = found && fits ? openat(place, part.c_str(), kFlags | O_NOFOLLOW | (last ? 0 : O_DIRECTORY)) : -1;
    const int error = found ? errno : missing;
    close(place);
    if (found && !fits) {
      return last || S_ISLNK(about.st_mode) ? IsNoRegularFile(path, KindOf(about.st_mode)) : CannotRead(path, ENOTDIR);
    }
    if (next < 0) return error == ELOOP ? IsNoRegularFile(path, KindOf(S_IFLNK)) : CannotRead(path, error);
    place = next;
  }
  InputFile file(path, place, true);
  if (absl::Status status = file.Inspect(true); !status.ok()) return status;
  return file;
}

InputFile InputFile::StandardInput() { return InputFile("-", STDIN_FILENO, false); }

absl::StatusOr<size_t> InputFile::Read(char* bytes, size_t size, const std::stop_token& stop) {
  for (;;) {
    if (stop.stop_requested() || (waits_ && reads_are_cancelled))
      return absl::CancelledError(absl::StrCat(name_, ": stopped while reading"));
    if (waits_) {
      struct pollfd ready = {descriptor_, POLLIN, 0};
      const int count = poll(&ready, 1, kPollMs);
      if (count == 0 || (count < 0 && errno == EINTR)) continue;
    }
    const ssize_t count = read(descriptor_, bytes, size);
    if (count >= 0) return static_cast<size_t>(count);
    // Another process may have read the bytes that poll() reported.
    if (errno != EINTR && errno != EAGAIN) return CannotRead(name_, errno);
  }
}

absl::Status InputFile::ReadRest(const ParseLimits& limits, std::string* bytes, const std::stop_token& stop) {
  const auto check = [&](uint64_t size) {
    ParseBudget budget(limits);
    if (budget.TakeBytes(size)) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(name_, ": ", budget.error()));
  };
  if (absl::Status status = check(size_); !status.ok()) return status;
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    const absl::StatusOr<size_t> count = Read(piece.data(), piece.size(), stop);
    if (!count.ok()) return count.status();
    if (*count == 0) return absl::OkStatus();
    if (absl::Status status = check(bytes->size() + *count); !status.ok()) return status;
    bytes->append(piece.data(), *count);
  }
}

absl::StatusOr<std::string> InputFile::ReadAll(const ParseLimits& limits, const std::stop_token& stop) {
  std::string bytes;
  if (absl::Status status = ReadRest(limits, &bytes, stop); !status.ok()) return status;
  return bytes;
}

absl::StatusOr<std::string> ReadFile(const std::string& path, const ParseLimits& limits, const std::stop_token& stop) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  return file->ReadAll(limits, stop);
}

absl::StatusOr<std::string> ReadFileIn(const std::string& folder, absl::string_view name, const ParseLimits& limits) {
  absl::StatusOr<InputFile> file = InputFile::OpenIn(folder, name);
  if (!file.ok()) return file.status();
  return file->ReadAll(limits);
}

}  // namespace rewrought::proto

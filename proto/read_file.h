// Opens and reads files. Each read has a limit. A wait for a pipe that the user named can be interrupted; pipes in
// untrusted folders are refused without a wait. tools/check_style.py reports code that opens files in another way.
#ifndef REWROUGHT_PROTO_READ_FILE_H_
#define REWROUGHT_PROTO_READ_FILE_H_

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/parse_limits.h"

namespace rewrought::proto {

// A file that is open for reading. Errors start with the file's name.
class InputFile {
 public:
  // Opens a file that a user named: a regular file, possibly through links, or a pipe or device, such as <(...) or
  // /dev/stdin. Does not wait for the writer of a pipe. Fails with NotFound if there is no such file, and with
  // InvalidArgument for a folder.
  static absl::StatusOr<InputFile> Open(const std::string& path);

  // Opens the file `name`, such as "inexact/nir.py", in a folder whose content is untrusted. `name` must be a relative
  // path without "." and "..". Fails with InvalidArgument if it is not, or if it leads through a link or to something
  // other than a regular file, and with NotFound if there is no such file.
  static absl::StatusOr<InputFile> OpenIn(const std::string& folder, absl::string_view name);

  // Returns the process's standard input, whose name is "-".
  static InputFile StandardInput();

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  ~InputFile();

  // Reads the next bytes, at most `size`. Returns their number, which is 0 only at the end of the file. Waits for the
  // writer of a pipe, but fails with Cancelled when `stop` is requested or after CancelReads.
  absl::StatusOr<size_t> Read(char* bytes, size_t size, const std::stop_token& stop = {});

  // Appends the rest of the file to `bytes`. Fails with ResourceExhausted if `bytes` would exceed the limit on bytes,
  // and with the errors of Read.
  absl::Status ReadRest(const ParseLimits& limits, std::string* bytes, const std::stop_token& stop = {});

  // Returns all bytes of the file, from the current position. Fails as ReadRest does.
  absl::StatusOr<std::string> ReadAll(const ParseLimits& limits, const std::stop_token& stop = {});

 private:
  InputFile(std::string name, int descriptor, bool owned)
      : name_(std::move(name)), descriptor_(descriptor), owned_(owned) {}
  absl::Status Inspect(bool only_regular);

  std::string name_;
  int descriptor_ = -1;
  bool owned_ = true;  // Whether the destructor closes the descriptor.
  bool waits_ = true;  // Whether a read may wait, as for a pipe.
  uint64_t size_ = 0;  // The size of a regular file when it was opened.
};

// Reads a whole file as InputFile::Open and ReadRest do.
absl::StatusOr<std::string> ReadFile(const std::string& path, const ParseLimits& limits,
                                     const std::stop_token& stop = {});

// Reads a whole file as InputFile::OpenIn and ReadRest do.
absl::StatusOr<std::string> ReadFileIn(const std::string& folder, absl::string_view name, const ParseLimits& limits);

// Makes reads of pipes and devices fail with Cancelled, from now on and in all threads. Call it when a signal asks the
// process to end.
void CancelReads();

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_READ_FILE_H_

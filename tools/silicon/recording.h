// A recording contains a device's answers as text. The header describes the device. Each finished case adds a block of
// known answers in one write, so that a killed run loses only the case in progress.
//
//   rewrought silicon recording 1
//   device NVIDIA H200
//   driver 12.8
//   capability 9.0
//   machine sm70 <SHA-256 of the description>
//   rows <SHA-256 of the PTX rows>
//   seed 1
//   inputs 100000000
//
//   case [FADD(r(F), a(F), b(F))] flush
//   0x3f800000 0x40000000 = 0x40400000
//   done lanes=100000000 outputs=0123456789abcdef worst=0
//
// A block may also contain the lines `deviation COUNT KIND` (from the description), `ir-deviation COUNT KIND` and
// `undecided COUNT`. If the driver's compiler rejected the PTX, `refused TEXT` replaces the answers.
#ifndef REWROUGHT_TOOLS_SILICON_RECORDING_H_
#define REWROUGHT_TOOLS_SILICON_RECORDING_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/silicon/device.h"
#include "tools/silicon/judge.h"

namespace rewrought::silicon {

struct RecordingHead {
  DeviceInfo device;
  std::string machine;  // id and digest
  std::string rows;     // digest
  uint64_t seed = 1, inputs = 0;
};

struct RecordedCase {
  std::string name;             // Case::name()
  int line = 0;                 // the number of its first line in the file, 1-based
  std::vector<Answer> answers;  // `lane` is the answer's line in the file
  std::string refused;
  uint64_t lanes = 0, undecided = 0;
  std::string outputs;  // digest of all outputs
  double worst_error = 0;
  std::map<std::string, uint64_t> deviations, ir_deviations;  // counts by kind
};

struct Recording {
  RecordingHead head;
  std::vector<RecordedCase> cases;
  size_t complete_bytes = 0;  // size of the text up to the end of the last complete block
};

std::string HeadText(const RecordingHead& head);
std::string CaseText(const RecordedCase& one);

// Parses a recording and ignores an incomplete last block. Fails with InvalidArgument "file:line: <error>".
absl::StatusOr<Recording> ParseRecording(absl::string_view text, absl::string_view file);

// A recording file to which complete blocks are appended.
class RecordingFile {
 public:
  // Opens `path`, or creates it with `head`. Returns the earlier runs' cases in `before`, and truncates an unfinished
  // block. Fails with FailedPrecondition if the file's device, seed, number of inputs, description or table of rows
  // differs.
  static absl::StatusOr<RecordingFile> Open(const std::string& path, const RecordingHead& head, Recording* before);
  RecordingFile(RecordingFile&& other) noexcept;
  ~RecordingFile();

  // Appends a block and waits until it is on disk.
  absl::Status Append(const RecordedCase& one);

 private:
  RecordingFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  absl::Status Write(absl::string_view text);

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace rewrought::silicon

#endif  // REWROUGHT_TOOLS_SILICON_RECORDING_H_

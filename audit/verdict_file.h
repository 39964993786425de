// Stores the verdicts of an audit in a file, one JSON object per line, so that an interrupted run can be resumed and a
// second run is fast. Ignores a line that was truncated by a crash, and rejects any other malformed line.
#ifndef REWROUGHT_AUDIT_VERDICT_FILE_H_
#define REWROUGHT_AUDIT_VERDICT_FILE_H_

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rewrought::audit {

class VerdictFile {
 public:
  // Opens or creates the file. If the path is empty, keeps verdicts only in memory. Returns Unavailable, with the
  // remedy, if the file or its folder cannot be created or read, and InvalidArgument "file:line:1: ...", with the
  // remedy, if a line is neither an entry with a valid value (CheckStoredValue) nor truncated.
  static absl::StatusOr<std::unique_ptr<VerdictFile>> Open(const std::string& path);
  ~VerdictFile();
  VerdictFile(const VerdictFile&) = delete;
  VerdictFile& operator=(const VerdictFile&) = delete;

  // Returns the value that was last stored under `key`, or nullopt if there is none. Thread-safe.
  std::optional<nlohmann::json> Find(const std::string& key) const;

  // Stores `value` under `key`, and writes it to the file before returning. Returns Unavailable if the disk is full.
  // Thread-safe; other processes may append to the file at the same time.
  absl::Status Put(const std::string& key, const nlohmann::json& value);

 private:
  VerdictFile() = default;
  std::string path_;
  std::FILE* file_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::string, nlohmann::json> values_;
};

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_VERDICT_FILE_H_

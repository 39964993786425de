// Verdicts of an audit on disk: one JSON object per line, appended as they are reached, so that an interrupted run goes
// on and a second run is quick. A line that a crash cut short is ignored.
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
  // Reads what `path` has, and makes it if it is missing. An empty path: kept in memory only. Unavailable: the file or
  // its folder cannot be made or read, with the remedy.
  static absl::StatusOr<std::unique_ptr<VerdictFile>> Open(const std::string& path);
  ~VerdictFile();
  VerdictFile(const VerdictFile&) = delete;
  VerdictFile& operator=(const VerdictFile&) = delete;

  // What was put under `key` last. Thread-safe.
  std::optional<nlohmann::json> Find(const std::string& key) const;

  // Keeps `value` under `key`; on disk when this returns, unless the disk is full (Unavailable). Thread-safe, also with
  // other processes that append to the file.
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

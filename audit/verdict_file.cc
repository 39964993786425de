#include "audit/verdict_file.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/json_text.h"
#include "proto/read_file.h"

namespace rewrought::audit {

absl::StatusOr<std::unique_ptr<VerdictFile>> VerdictFile::Open(const std::string& path) {
  std::unique_ptr<VerdictFile> opened(new VerdictFile);
  if (path.empty()) return opened;
  opened->path_ = path;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  bool torn = false;
  {
    const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kFileLimits);
    if (!text.ok() && !absl::IsNotFound(text.status())) return text.status();
    const std::string lines = text.value_or("");
    torn = !lines.empty() && lines.back() != '\n';
    for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
      nlohmann::json entry = proto::ParseJson(line);
      if (!entry.is_object() || !entry.contains("key") || !entry["key"].is_string() || !entry.contains("value"))
        continue;
      opened->values_[entry["key"].get<std::string>()] = std::move(entry["value"]);
    }
  }
  opened->file_ = std::fopen(path.c_str(), "a");
  if (opened->file_ == nullptr) {
    return absl::UnavailableError(
        absl::StrCat(path, ": cannot be written; choose another file with --verdicts or --db"));
  }
  if (torn) std::fputc('\n', opened->file_);  // start a new line after the truncated one
  return opened;
}

VerdictFile::~VerdictFile() {
  if (file_ != nullptr) std::fclose(file_);
}

std::optional<nlohmann::json> VerdictFile::Find(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

absl::Status VerdictFile::Put(const std::string& key, const nlohmann::json& value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_[key] = value;
  if (file_ == nullptr) return absl::OkStatus();
  const nlohmann::json entry{{"key", key}, {"value", value}};
  const std::string line = entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  // Write each line with a single call, so that the lines of two processes are not interleaved.
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0) {
    return absl::UnavailableError(absl::StrCat(path_, ": cannot be written (disk full?)"));
  }
  return absl::OkStatus();
}

}  // namespace rewrought::audit

#include "audit/verdict_file.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "audit/stored_value.h"
#include "proto/json_text.h"
#include "proto/read_file.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// The start of each line that Put writes.
constexpr absl::string_view kStart = "{\"key\":\"";

struct Entry {
  std::string key;
  Json value;
};

absl::StatusOr<Entry> EntryOf(Json line) {
  if (!line.is_object() || line.size() != 2 || !line.contains("key") || !line["key"].is_string() ||
      !line.contains("value"))
    return absl::InvalidArgumentError("expected an object {\"key\": ..., \"value\": ...}");
  Entry entry{line["key"].get<std::string>(), std::move(line["value"])};
  if (absl::Status status = CheckStoredValue(entry.key, entry.value); !status.ok()) return status;
  return entry;
}

// Returns whether a line that is not JSON is the first part of a line that Put wrote.
bool IsTruncated(absl::string_view line) {
  if (!absl::StartsWith(line, kStart.substr(0, line.size()))) return false;
  const std::string_view text(line.data(), line.size());
  if (!proto::CheckJson(line).ok()) return false;
  try {
    [[maybe_unused]] const Json parsed = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return error.byte > text.size();  // the end of the text was not expected
  }
  return false;
}

// Returns the entry of a line, or nullopt if a crash truncated it. After a crash, another process may have appended its
// entry to the truncated line.
absl::StatusOr<std::optional<Entry>> ReadLine(absl::string_view line) {
  Json parsed = proto::ParseJson(line);
  if (parsed.is_discarded()) {
    const size_t last = line.rfind(kStart);
    if (last != absl::string_view::npos && last > 0) parsed = proto::ParseJson(line.substr(last));
    if (parsed.is_discarded() && IsTruncated(line)) return std::nullopt;
    if (parsed.is_discarded()) return absl::InvalidArgumentError("the line is damaged");
  }
  absl::StatusOr<Entry> entry = EntryOf(std::move(parsed));
  if (!entry.ok()) return entry.status();
  return *std::move(entry);
}

}  // namespace

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
    int number = 0;
    for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
      ++number;
      if (line.empty()) continue;
      absl::StatusOr<std::optional<Entry>> entry = ReadLine(line);
      if (!entry.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ":1: ", entry.status().message(),
                                                       "; remove the line, or choose another file with --verdicts"));
      }
      if (entry->has_value()) opened->values_[std::move((*entry)->key)] = std::move((*entry)->value);
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

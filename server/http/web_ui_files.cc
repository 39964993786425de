#include "server/http/web_ui_files.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace rewrought::rpc {
namespace {

constexpr size_t kMaxBytes = 64 << 20;

constexpr std::pair<absl::string_view, absl::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".woff2", "font/woff2"},
};

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

absl::StatusOr<PageFiles> ReadPageFiles(const std::string& folder) {
  PageFiles files;
  size_t total = 0;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file(error) || entry->is_symlink(error)) continue;
    std::string path = absl::StrCat("/", std::filesystem::relative(entry->path(), folder, error).generic_string());
    for (const auto& [suffix, type] : kTypes) {
      if (!absl::EndsWith(path, suffix)) continue;
      std::string bytes = ReadAll(entry->path()), gzipped = ReadAll(entry->path().string() + ".gz");
      total += bytes.size() + gzipped.size();
      if (total > kMaxBytes) return absl::ResourceExhaustedError(absl::StrCat(folder, ": the folder exceeds 64 MiB"));
      PageFile file;
      file.type = std::string(type);
      file.immutable = absl::StartsWith(path, "/assets/");
      file.bytes = std::make_shared<const std::string>(std::move(bytes));
      if (!gzipped.empty()) file.gzipped = std::make_shared<const std::string>(std::move(gzipped));
      files[path == "/index.html" ? "/" : path] = std::move(file);
    }
  }
  if (!files.contains("/")) {
    return absl::NotFoundError(absl::StrCat(folder, ": contains no index.html; run web/build.sh to build the web UI"));
  }
  return files;
}

}  // namespace rewrought::rpc

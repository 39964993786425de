#include "server/http/web_ui_files.h"

#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/read_file.h"

namespace rewrought::rpc {
namespace {

constexpr std::pair<absl::string_view, absl::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".woff2", "font/woff2"},
};

}  // namespace

absl::StatusOr<PageFiles> ReadPageFiles(const std::string& folder) {
  PageFiles files;
  proto::ParseBudget budget(proto::kWebUiLimits);
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (!entry->is_regular_file(error) || entry->is_symlink(error)) continue;
    std::string path = absl::StrCat("/", std::filesystem::relative(entry->path(), folder, error).generic_string());
    for (const auto& [suffix, type] : kTypes) {
      if (!absl::EndsWith(path, suffix)) continue;
      const std::string name = path.substr(1);
      absl::StatusOr<std::string> bytes = proto::ReadFileIn(folder, name, proto::kWebUiLimits);
      if (!bytes.ok()) return bytes.status();
      absl::StatusOr<std::string> gzipped = proto::ReadFileIn(folder, name + ".gz", proto::kWebUiLimits);
      if (!gzipped.ok() && !absl::IsNotFound(gzipped.status())) return gzipped.status();
      if (!budget.TakeBytes(bytes->size() + (gzipped.ok() ? gzipped->size() : 0))) {
        return absl::ResourceExhaustedError(absl::StrCat(folder, ": ", budget.error()));
      }
      PageFile file;
      file.type = std::string(type);
      file.immutable = absl::StartsWith(path, "/assets/");
      file.bytes = std::make_shared<const std::string>(*std::move(bytes));
      if (gzipped.ok()) file.gzipped = std::make_shared<const std::string>(*std::move(gzipped));
      files[path == "/index.html" ? "/" : path] = std::move(file);
    }
  }
  if (!files.contains("/")) {
    return absl::NotFoundError(absl::StrCat(folder, ": contains no index.html; run web/build.sh to build the web UI"));
  }
  return files;
}

}  // namespace rewrought::rpc

#include "corpus/glsl/include_expander.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/glsl/glsl_port.h"
#include "proto/parse_limits.h"
#include "proto/read_file.h"

namespace rewrought::corpus {
namespace {

namespace fs = std::filesystem;

// Allows names in #line directives of GLSL. An #extension line must follow the #version line.
constexpr absl::string_view kFileNames = "#extension GL_GOOGLE_cpp_style_line_directive : enable\n";

// Returns the text after "#" and `directive`, or nullopt for other lines.
std::optional<absl::string_view> AfterDirective(absl::string_view line, absl::string_view directive) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "#")) return std::nullopt;
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, directive)) return std::nullopt;
  if (!line.empty() && (absl::ascii_isalnum(static_cast<unsigned char>(line[0])) || line[0] == '_'))
    return std::nullopt;
  return absl::StripAsciiWhitespace(line);
}

// Returns the name in `#include "name"` or `#include <name>`.
std::optional<absl::string_view> IncludedName(absl::string_view line) {
  const std::optional<absl::string_view> rest = AfterDirective(line, "include");
  if (!rest || rest->size() < 3 || ((*rest)[0] != '"' && (*rest)[0] != '<')) return std::nullopt;
  const size_t end = rest->find((*rest)[0] == '"' ? '"' : '>', 1);
  if (end == absl::string_view::npos) return std::nullopt;
  return rest->substr(1, end - 1);
}

class Expander {
 public:
  Expander(SourceLanguage language, const IncludeFinder& find) : language_(language), find_(find) {}

  absl::StatusOr<std::string> Expand(absl::string_view text, absl::string_view path) {
    open_.emplace_back(path);
    if (!ExpandFile(text, path, "")) return budget_.status();
    if (language_ == SourceLanguage::kGlsl && !has_version_) {
      expanded_ = absl::StrCat(kFileNames, "#line 1 \"\"\n", expanded_);
    }
    return std::move(expanded_);
  }

 private:
  bool ExpandFile(absl::string_view text, absl::string_view path, const std::string& shown);
  bool Include(absl::string_view name, absl::string_view includer);
  bool Append(absl::string_view text) {
    expanded_.append(text.data(), text.size());
    return budget_.TakeBytes(text.size());
  }
  bool AppendLineDirective(size_t line, const std::string& shown) {
    return Append(absl::StrCat("#line ", line, " \"", shown, "\"\n"));
  }

  const SourceLanguage language_;
  const IncludeFinder& find_;
  proto::ParseBudget budget_{proto::kIncludeLimits};
  std::vector<std::string> open_;          // the paths of the files that are being expanded
  absl::flat_hash_set<std::string> once_;  // the paths of the files with "#pragma once"
  bool has_version_ = false;
  std::string expanded_;
};

// Appends the expansion of `text`, the content of the file `path`. `shown` is the file's name in #line directives.
// Returns false if a limit is exceeded.
bool Expander::ExpandFile(absl::string_view text, absl::string_view path, const std::string& shown) {
  const std::string plain = StripComments(text);  // has the same lines as `text`
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const std::vector<absl::string_view> bare = absl::StrSplit(absl::string_view(plain), '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line = i < bare.size() ? bare[i] : lines[i];
    const bool last = i + 1 == lines.size();
    if (const std::optional<absl::string_view> name = IncludedName(line)) {
      if (!Include(*name, path) || !AppendLineDirective(i + 2, shown)) return false;
      continue;
    }
    const std::optional<absl::string_view> extension = AfterDirective(line, "extension");
    // The compiler sees no #include lines, and does not know all extensions that allow them.
    const bool about_includes = extension && (absl::StartsWith(*extension, "GL_GOOGLE_include_directive") ||
                                              absl::StartsWith(*extension, "GL_ARB_shading_language_include"));
    const bool version = language_ == SourceLanguage::kGlsl && AfterDirective(line, "version");
    if (!Append(about_includes ? "" : lines[i]) || ((!last || version) && !Append("\n"))) return false;
    if (!version) continue;
    has_version_ = true;
    if (!Append(kFileNames) || !AppendLineDirective(i + 2, shown)) return false;
  }
  return true;
}

bool Expander::Include(absl::string_view name, absl::string_view includer) {
  const proto::ParseLevel level(&budget_);
  if (!level.ok() || !budget_.TakeItems()) return false;
  const absl::StatusOr<IncludedFile> file = find_(name, includer);
  if (!file.ok()) return Append(absl::StrCat("#error ", file.status().message(), "\n"));
  const bool is_open = std::find(open_.begin(), open_.end(), file->path) != open_.end();
  if (is_open || once_.contains(file->path)) return true;
  for (absl::string_view line : absl::StrSplit(absl::string_view(file->text), '\n')) {
    const std::optional<absl::string_view> pragma = AfterDirective(line, "pragma");
    if (pragma && absl::StartsWith(*pragma, "once")) once_.insert(file->path);
  }
  // The #line directive quotes the name.
  const std::string shown = absl::StrReplaceAll(name, {{"\\", "/"}, {"\"", ""}, {"\n", ""}});
  if (!AppendLineDirective(1, shown)) return false;
  open_.push_back(file->path);
  const bool expanded = ExpandFile(file->text, file->path, shown) && Append("\n");
  open_.pop_back();
  return expanded;
}

}  // namespace

absl::StatusOr<std::string> ExpandIncludes(absl::string_view text, absl::string_view path, SourceLanguage language,
                                           const IncludeFinder& find) {
  const std::string plain = StripComments(text);
  const std::vector<absl::string_view> lines = absl::StrSplit(absl::string_view(plain), '\n');
  const bool includes =
      std::any_of(lines.begin(), lines.end(), [](absl::string_view line) { return IncludedName(line).has_value(); });
  if (!includes) return std::string(text);
  return Expander(language, find).Expand(text, path);
}

IncludeFinder FindInFolders(std::vector<std::string> folders) {
  std::vector<fs::path> roots;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path root = fs::canonical(folder.empty() ? "." : folder, error);
    if (!error) roots.push_back(root);
  }
  return [roots](absl::string_view name, absl::string_view includer) -> absl::StatusOr<IncludedFile> {
    std::string relative = absl::StrReplaceAll(name, {{"\\", "/"}});
    relative.erase(0, std::min(relative.find_first_not_of('/'), relative.size()));
    std::vector<fs::path> places = {fs::path(std::string(includer)).parent_path()};
    places.insert(places.end(), roots.begin(), roots.end());
    for (const fs::path& place : places) {
      std::error_code error;
      const fs::path path = fs::canonical(place / relative, error);
      if (error || !fs::is_regular_file(path, error)) continue;
      const bool allowed = std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) {
        return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
      });
      if (!allowed) continue;
      absl::StatusOr<std::string> text = proto::ReadFile(path.string(), proto::kIncludeLimits);
      if (text.ok()) return IncludedFile{path.string(), *std::move(text)};
    }
    // The compiler puts spaces around the punctuation of an #error line, except in quotes, which it removes.
    return absl::NotFoundError(
        absl::StrCat("cannot find \"", absl::StrReplaceAll(relative, {{"\"", ""}}),
                     "\" beside this file or in a harvested folder or in a folder of \"--include\""));
  };
}

}  // namespace rewrought::corpus

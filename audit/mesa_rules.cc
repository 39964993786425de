#include "audit/mesa_rules.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "audit/importer_script.h"
#include "audit/script.h"
#include "emitter/files/scratch_folder.h"
#include "emitter/pack_files.h"
#include "ir/digest.h"
#include "proto/json_text.h"
#include "proto/read_file.h"

namespace rewrought::audit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kRuleFile[] = "nir_opt_algebraic.py";

bool IsNirFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path / "nir_algebraic.py", error);
}

// Returns the folder src/compiler/nir of the tree that contains `file`, or an empty path if there is none.
fs::path NirFolderAbove(const fs::path& file) {
  std::error_code error;
  for (fs::path folder = fs::absolute(file, error).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (IsNirFolder(folder / "compiler" / "nir")) return folder / "compiler" / "nir";
    if (IsNirFolder(folder)) return folder;
  }
  return {};
}

// Returns the files below `source`, outside the folder `nir`, that import nir_algebraic, sorted by name.
std::vector<fs::path> BackEndFiles(const fs::path& source, const fs::path& nir) {
  std::vector<fs::path> files;
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(source, options, error), end; entry != end; entry.increment(error)) {
    if (error) break;
    if (entry->is_directory(error) && entry->path() == nir) entry.disable_recursion_pending();
    if (!entry->is_regular_file(error) || entry->path().extension() != ".py") continue;
    const absl::StatusOr<std::string> text = proto::ReadFile(entry->path(), proto::kTreeFileLimits);
    if (text.ok() && absl::StrContains(*text, "import nir_algebraic")) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::Status ReadLine(absl::string_view line, const fs::path& source, MesaRules* rules) {
  const Json entry = proto::ParseJson(line);
  if (!entry.is_object())
    return absl::InternalError(absl::StrCat("unexpected output of the importer: ", line.substr(0, 300)));
  std::string file = entry.value("file", "");
  const std::string prefix = (source / "").string();
  if (!source.empty() && absl::StartsWith(file, prefix)) file = file.substr(prefix.size());
  if (entry.contains("opcodes")) {
    for (const auto& [name, sizes] : entry["opcodes"].items()) {
      rules->source_sizes[name] = sizes.get<std::vector<int>>();
    }
    const absl::StatusOr<ir::Dialect> dialect = ir::ParseDialect(entry.value("dialect", ""));
    if (!dialect.ok()) return dialect.status();
    rules->dialect = *dialect;
    return absl::OkStatus();
  }
  if (!entry.contains("rule")) {
    if (entry.contains("reason"))
      rules->unreadable.push_back({file, entry.value("line", 0), entry.value("reason", "")});
    return absl::OkStatus();
  }
  MesaRule rule;
  rule.file = file;
  rule.line = entry.value("line", 0);
  rule.pass = entry.value("pass", "");
  rule.index = entry.value("index", 0);
  rule.search = entry.value("search", "");
  rule.replace = entry.value("replace", "");
  rule.condition = entry.value("condition", "");
  rule.test_status = entry.value("status", "");
  rule.reason = entry.value("reason", "");
  rules->rules.push_back(std::move(rule));
  return absl::OkStatus();
}

// Runs the importer for at most `seconds`, and reads its output.
absl::StatusOr<MesaRules> Import(const fs::path& nir, const std::vector<std::string>& arguments, double seconds) {
  absl::StatusOr<corpus::ProcessResult> result = RunScript(ImporterScript()[0], arguments, seconds);
  if (!result.ok()) return result.status();
  MesaRules rules;
  for (const absl::string_view line : absl::StrSplit(result->output, '\n', absl::SkipEmpty())) {
    if (absl::Status status = ReadLine(line, nir.parent_path().parent_path(), &rules); !status.ok()) return status;
  }
  if (result->timed_out || result->exit_code != 0) {
    const std::string ending = result->timed_out ? absl::StrCat("was stopped after ", seconds, " s")
                                                 : absl::StrCat("ended with ", result->exit_code);
    rules.unreadable.push_back({"(importer)", 0, absl::StrCat("python3 ", ending, " before all files were read")});
  }
  return rules;
}

}  // namespace

std::string MesaRule::Text() const { return absl::StrCat("(", search, ", ", replace, ")"); }

std::string MesaRule::Id() const {
  return ir::Sha256Hex(absl::StrCat(search, "\n", replace, "\n", condition)).substr(0, 12);
}

absl::StatusOr<MesaRules> ReadMesaRules(const std::vector<std::string>& paths, bool back_ends) {
  fs::path nir;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      const fs::path folder = fs::canonical(path, error);
      if (!IsNirFolder(folder) || !fs::is_regular_file(folder / kRuleFile, error)) {
        return absl::NotFoundError(absl::StrCat(path, ": must contain nir_algebraic.py and ", kRuleFile,
                                                "; name a Mesa tree's folder src/compiler/nir, or rule files"));
      }
      if (nir.empty()) nir = folder;
      files.push_back((folder / kRuleFile).string());
      const fs::path source = folder.parent_path().parent_path();
      if (back_ends)
        for (const fs::path& file : BackEndFiles(source, folder)) files.push_back(file.string());
    } else if (fs::is_regular_file(path, error)) {
      proto::ParseBudget budget(proto::kTreeFileLimits);
      if (!budget.TakeBytes(fs::file_size(path, error)))
        return absl::ResourceExhaustedError(absl::StrCat(path, ": ", budget.error()));
      files.push_back(fs::canonical(path, error).string());
    } else {
      return absl::NotFoundError(
          absl::StrCat(path, ": no such file or folder; name a Mesa tree's folder src/compiler/nir, or rule files"));
    }
  }
  if (nir.empty() && !files.empty()) nir = NirFolderAbove(files[0]);
  if (nir.empty()) {
    return absl::NotFoundError(
        "no nir_algebraic.py in any parent folder; also name the tree's folder src/compiler/nir");
  }
  std::vector<std::string> arguments = {nir.string()};
  arguments.insert(arguments.end(), files.begin(), files.end());
  return Import(nir, arguments, 150.0 * static_cast<double>(files.size()));
}

std::string NirFolderOf(const std::string& path) { return NirFolderAbove(path).string(); }

absl::StatusOr<MesaRules> ReadUnsavedRules(const std::string& path, const std::string& text, double seconds) {
  const fs::path nir = NirFolderAbove(path);
  if (nir.empty()) {
    return absl::NotFoundError(absl::StrCat(path, ": no parent folder contains nir_algebraic.py, as Mesa's src does"));
  }
  std::error_code error;
  const emitter::ScratchFolder scratch(fs::temp_directory_path(error).string(), "rewrought-audit-");
  const std::string copy = absl::StrCat(scratch.path(), "/rules.py");
  const absl::Status written = emitter::WriteFile(copy, text);
  if (!written.ok()) return written;
  return Import(nir, {"--text", copy, nir.string(), path}, seconds);
}

}  // namespace rewrought::audit

#include "audit/script.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "emitter/files/scratch_folder.h"

namespace rewrought::audit {

absl::StatusOr<corpus::ProcessResult> RunScript(const ir::EmbeddedFile& script,
                                                const std::vector<std::string>& arguments, double seconds) {
  std::error_code error;
  const emitter::ScratchFolder scratch(std::filesystem::temp_directory_path(error).string(), "rewrought-audit-");
  const std::string path = absl::StrCat(scratch.path(), "/", script.stem(), ".py");
  std::ofstream file(path);
  file << script.text;
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat(path, ": cannot be written; set TMPDIR"));
  std::vector<std::string> command = {"python3", path};
  command.insert(command.end(), arguments.begin(), arguments.end());
  corpus::ProcessLimits limits;
  limits.seconds = seconds;
  limits.output_bytes = size_t{1} << 30;
  absl::StatusOr<corpus::ProcessResult> result = corpus::RunProcess(command, limits);
  if (!result.ok()) {
    return absl::NotFoundError(absl::StrCat("python3: ", std::string(result.status().message()), "; install python3"));
  }
  return result;
}

}  // namespace rewrought::audit

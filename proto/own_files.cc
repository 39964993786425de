#include "proto/own_files.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace rewrought::proto {
namespace {

// Returns the path of the running executable, without symbolic links, or "" if it is unknown.
std::string RunningProgram() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : std::string();
}

// Returns the folder of the running executable, or "" if it is unknown.
std::string RunningFolder() {
  const std::string program = RunningProgram();
  return program.substr(0, program.find_last_of('/') == std::string::npos ? 0 : program.find_last_of('/'));
}

}  // namespace

bool IsProgram(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string VariableOrEmpty(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::vector<std::string> PlacesOfProgram(const std::string& folder, const std::string& name) {
  std::vector<std::string> places;
  const std::string own = RunningFolder();
  if (!own.empty()) {
    places.push_back(absl::StrCat(own, "/", name));
    places.push_back(absl::StrCat(own, "/../", folder, "/", name));
    places.push_back(absl::StrCat(own, "/../libexec/rewrought/", name));
    places.push_back(absl::StrCat(RunningProgram(), ".runfiles/rewrought/", folder, "/", name));
  }
  const std::string workspace = VariableOrEmpty("TEST_WORKSPACE");
  for (const char* variable : {"TEST_SRCDIR", "RUNFILES_DIR"}) {
    const std::string runfiles = VariableOrEmpty(variable);
    if (runfiles.empty()) continue;
    places.push_back(absl::StrCat(runfiles, "/", workspace.empty() ? "rewrought" : workspace, "/", folder, "/", name));
  }
  return places;
}

std::string InstalledData(const std::string& path) {
  const std::string own = RunningFolder();
  const std::string file = absl::StrCat(own, "/../share/rewrought/", path);
  struct stat info = {};
  return !own.empty() && stat(file.c_str(), &info) == 0 ? file : std::string();
}

}  // namespace rewrought::proto

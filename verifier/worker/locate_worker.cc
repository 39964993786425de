#include "verifier/worker/locate_worker.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rewrought::verifier {
namespace {

constexpr char kName[] = "rewrought_worker";

bool IsExecutableFile(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string Environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string RunningProgram() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : std::string();
}

std::vector<std::string> Places() {
  std::vector<std::string> places;
  const std::string program = RunningProgram();
  const size_t slash = program.rfind('/');
  if (slash != std::string::npos) {
    const std::string folder = program.substr(0, slash);
    places.push_back(absl::StrCat(folder, "/", kName));
    places.push_back(absl::StrCat(folder, "/../verifier/worker/", kName));
    places.push_back(absl::StrCat(folder, "/../libexec/rewrought/", kName));
    places.push_back(absl::StrCat(program, ".runfiles/rewrought/verifier/worker/", kName));
  }
  const std::string workspace = Environment("TEST_WORKSPACE").empty() ? "rewrought" : Environment("TEST_WORKSPACE");
  for (const char* variable : {"TEST_SRCDIR", "RUNFILES_DIR"}) {
    const std::string runfiles = Environment(variable);
    if (!runfiles.empty()) places.push_back(absl::StrCat(runfiles, "/", workspace, "/verifier/worker/", kName));
  }
  return places;
}

}  // namespace

absl::StatusOr<std::string> LocateWorker(const std::string& given) {
  const std::string variable = Environment("REWROUGHT_WORKER");
  const std::string chosen = given.empty() ? variable : given;
  const std::vector<std::string> places = chosen.empty() ? Places() : std::vector<std::string>{chosen};
  for (const std::string& place : places) {
    if (IsExecutableFile(place)) return place;
  }
  return absl::NotFoundError(absl::StrCat("no worker binary at ", absl::StrJoin(places, ", "),
                                          "; set REWROUGHT_WORKER to the path of rewrought_worker"));
}

}  // namespace rewrought::verifier

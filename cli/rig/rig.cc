#include "cli/rig/rig.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "proto/own_files.h"

namespace rewrought::cli {

void AddRigOption(CLI::App* command, std::string* rig) {
  command->add_option("--rig", *rig,
                      "folder of the rig's programs; default: $REWROUGHT_RIG, the installed rig, or tools/driver_rig");
}

std::string RigFolder(const std::string& rig) {
  if (!rig.empty()) return rig;
  if (const char* set = std::getenv("REWROUGHT_RIG"); set != nullptr) return set;
  const std::string installed = proto::InstalledData("tools/driver_rig");
  return installed.empty() ? "tools/driver_rig" : installed;
}

absl::StatusOr<int> RunRig(const std::vector<std::string>& arguments, bool output_to_stderr, Context* context) {
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return absl::InternalError(absl::StrCat("cannot start ", arguments[0], ": ", std::strerror(errno)));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // the program ends when this process dies
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (output_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(list[0], list.data());
    _exit(127);
  }
  const std::stop_callback stopped(context->stop.get_token(), [child] { kill(child, SIGTERM); });
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return absl::NotFoundError(absl::StrCat("cannot start ", arguments[0], "; name the rig's folder with --rig"));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace rewrought::cli

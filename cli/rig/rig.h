// Runs the programs of the driver rig (tools/driver_rig).
#ifndef REWROUGHT_CLI_RIG_RIG_H_
#define REWROUGHT_CLI_RIG_RIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command.h"

namespace rewrought::cli {

// Adds --rig, the folder of the rig's programs.
void AddRigOption(CLI::App* command, std::string* rig);

// Returns the folder of the rig's programs: `rig` (the value of --rig) if it is nonempty, or else $REWROUGHT_RIG if it
// is set, or else the rig that is installed with this program, or else tools/driver_rig.
std::string RigFolder(const std::string& rig);

// Runs a program of the driver rig and waits for it. The program inherits this process's standard error and, unless
// `output_to_stderr`, its standard output. Ctrl-C terminates the program. Returns its exit code, or -1 if a signal
// ended it. Returns NotFound if the program does not exist, and Internal if it cannot be started.
absl::StatusOr<int> RunRig(const std::vector<std::string>& arguments, bool output_to_stderr, Context* context);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_RIG_RIG_H_

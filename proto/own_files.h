// Locates the programs and data of this project that the running program uses. All of them have paths relative to the
// program, so an installation can be in any folder, and needs no environment variables:
//
//     file                     in an installation                in a build
//     the program              PREFIX/bin/                       bazel-bin/cli/
//     its helper programs      PREFIX/libexec/rewrought/         bazel-bin/FOLDER/, or Bazel's runfiles
//     its data                 PREFIX/share/rewrought/           the working directory
#ifndef REWROUGHT_PROTO_OWN_FILES_H_
#define REWROUGHT_PROTO_OWN_FILES_H_

#include <string>
#include <vector>

namespace rewrought::proto {

// Returns true if `path` is a file that this process may execute.
bool IsProgram(const std::string& path);

// Returns the value of an environment variable, or "" if it is not set.
std::string VariableOrEmpty(const char* name);

// Returns the paths at which the helper program `name` may be, in the order of preference. `folder` is the folder of
// its Bazel package.
std::vector<std::string> PlacesOfProgram(const std::string& folder, const std::string& name);

// Returns the path of the installed data file or folder `path`, such as "web-ui", or "" if this program is not
// installed or lacks the file.
std::string InstalledData(const std::string& path);

}  // namespace rewrought::proto

#endif  // REWROUGHT_PROTO_OWN_FILES_H_

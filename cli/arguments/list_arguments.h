// Protects arguments such as "[(search, replace), ...]" from CLI11, which splits them at their commas.
#ifndef REWROUGHT_CLI_ARGUMENTS_LIST_ARGUMENTS_H_
#define REWROUGHT_CLI_ARGUMENTS_LIST_ARGUMENTS_H_

#include <string>
#include <vector>

namespace rewrought::cli {

// Returns the arguments in a spelling that CLI11 does not split: a space follows a list, and "./" precedes the name of
// a file that looks like a list.
std::vector<std::string> KeepListsWhole(std::vector<std::string> arguments);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_ARGUMENTS_LIST_ARGUMENTS_H_

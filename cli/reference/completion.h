// Writes the completion scripts of shells.
#ifndef REWROUGHT_CLI_REFERENCE_COMPLETION_H_
#define REWROUGHT_CLI_REFERENCE_COMPLETION_H_

#include <string>

#include "cli/reference/command_tree.h"

namespace rewrought::cli {

// Returns a script for bash that completes commands, options, and the values of options: the accepted values if they
// are known, or else names of files.
std::string BashCompletion(const ReferenceCommand& program);

// Returns an autoloaded function for zsh that completes the same words and shows descriptions.
std::string ZshCompletion(const ReferenceCommand& program);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_REFERENCE_COMPLETION_H_

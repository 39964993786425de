// Finds a misspelled command on the command line. CLI11 overlooks it if --help follows.
#ifndef REWROUGHT_CLI_ARGUMENTS_UNKNOWN_COMMAND_H_
#define REWROUGHT_CLI_ARGUMENTS_UNKNOWN_COMMAND_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rewrought::cli {

// Finds the first word of `arguments` that is used as a command but is not a command of `app`. Returns an error that
// names this word and the command with the most similar name, or nullopt if all commands are known.
std::optional<std::string> UnknownCommand(CLI::App* app, const std::vector<std::string>& arguments);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_ARGUMENTS_UNKNOWN_COMMAND_H_

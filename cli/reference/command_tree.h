// Reads the commands and options of a CLI11 program into plain data, from which manual pages and shell completions are
// written.
#ifndef REWROUGHT_CLI_REFERENCE_COMMAND_TREE_H_
#define REWROUGHT_CLI_REFERENCE_COMMAND_TREE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rewrought::cli {

struct ReferenceOption {
  std::vector<std::string> names;  // with dashes, short names first; for a positional, its name
  bool positional = false, takes_value = false, required = false, repeated = false;
  std::string value;                // the kind of value, such as "TEXT", or "" for a flag
  std::string default_value;        // or "" if there is none
  std::vector<std::string> values;  // the only accepted values; empty if other values are accepted as well
  std::string description;
};

struct ReferenceCommand {
  std::vector<std::string> path;  // such as {"rewrought", "db", "backup"}
  std::string group;              // the heading under which the parent lists this command
  std::string description;
  std::string footer;                    // notes and examples; "" if the command only inherits those of its parent
  std::vector<ReferenceOption> options;  // positionals first, otherwise in the order of the --help text
  std::vector<ReferenceCommand> commands;
};

// Returns the program with all its options and commands, except hidden ones (those in the group "").
ReferenceCommand ReadCommands(const CLI::App& program);

// Returns the command and all commands below it, parents first.
std::vector<const ReferenceCommand*> AllCommands(const ReferenceCommand& command);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_REFERENCE_COMMAND_TREE_H_

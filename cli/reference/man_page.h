// Writes manual pages in roff, with the macros of man(7).
#ifndef REWROUGHT_CLI_REFERENCE_MAN_PAGE_H_
#define REWROUGHT_CLI_REFERENCE_MAN_PAGE_H_

#include <string>

#include "cli/reference/command_tree.h"

namespace rewrought::cli {

// Returns the name of the command's page, such as "rewrought-db-backup".
std::string ManPageName(const ReferenceCommand& command);

// Returns the page of a command. `source` is the program with its version, and `date` is in the format YYYY-MM-DD.
std::string ManPage(const ReferenceCommand& command, const std::string& source, const std::string& date);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_REFERENCE_MAN_PAGE_H_

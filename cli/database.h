// Opens the database of a command, and defines options that select its rules.
#ifndef REWROUGHT_CLI_DATABASE_H_
#define REWROUGHT_CLI_DATABASE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command.h"
#include "pipeline/support.h"
#include "store/store.h"

namespace rewrought::cli {

// Opens the database that --db names. Creates its folder if `mode` permits a new database. Errors name the file and the
// remedy. Long runs with many small commits pass `durable` = false. Killing the process then still loses nothing, but a
// power failure loses the last commits, and the next run repeats their work. `readers_ahead` is
// StoreOptions::readers_ahead.
absl::StatusOr<std::unique_ptr<store::Store>> OpenDatabase(const Context& context, store::OpenMode mode,
                                                           bool durable = true, int readers_ahead = 0);

// Adds --min-sources and --min-shaders to a command that leaves out rules or families (`what`) that apply too rarely.
void AddSupportOptions(CLI::App* command, const std::string& what, pipeline::SupportLimits* limits);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_DATABASE_H_

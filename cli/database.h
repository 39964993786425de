// Opens the database that --db names, with the folder it lies in.
#ifndef REWROUGHT_CLI_DATABASE_H_
#define REWROUGHT_CLI_DATABASE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "cli/command.h"
#include "store/store.h"

namespace rewrought::cli {

// Makes the folder if a new database may be made. Errors name the file and the remedy. Long runs of many small commits
// open it with `durable` false: a killed process loses nothing then either, a power failure the last commits, which are
// redone. `readers_ahead`: StoreOptions has it.
absl::StatusOr<std::unique_ptr<store::Store>> OpenDatabase(const Context& context, store::OpenMode mode,
                                                           bool durable = true, int readers_ahead = 0);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_DATABASE_H_

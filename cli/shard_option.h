// Defines --shard K/N, which selects the part of the work that a command does.
#ifndef REWROUGHT_CLI_SHARD_OPTION_H_
#define REWROUGHT_CLI_SHARD_OPTION_H_

#include <CLI/CLI.hpp>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::cli {

struct Shard {
  int shard = 0, shards = 1;
};

CLI::Option* AddShardOption(CLI::App* command, std::string* text, const std::string& what);

// Parses "2/4" (the second of four parts) as {1, 4}, and "" as {0, 1}. Returns InvalidArgument, with an example of a
// valid value, for any other text.
absl::StatusOr<Shard> ReadShard(const std::string& text);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_SHARD_OPTION_H_

#include "cli/shard_option.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "store/database_lock.h"

namespace rewrought::cli {

CLI::Option* AddShardOption(CLI::App* command, std::string* text, const std::string& what) {
  return command->add_option("--shard", *text, "K/N: " + what);
}

absl::StatusOr<Shard> ReadShard(const std::string& text) {
  Shard shard;
  if (text.empty()) return shard;
  const std::vector<absl::string_view> words = absl::StrSplit(text, '/');
  const bool read =
      words.size() == 2 && absl::SimpleAtoi(words[0], &shard.shard) && absl::SimpleAtoi(words[1], &shard.shards);
  if (read && 1 <= shard.shard && shard.shard <= shard.shards &&
      shard.shards <= static_cast<int>(store::DatabaseLock::kSlots)) {
    --shard.shard;
    return shard;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--shard ", text, ": must be K/N with 1 <= K <= N <= ", store::DatabaseLock::kSlots, ", such as 2/4"));
}

}  // namespace rewrought::cli

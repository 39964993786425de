#include "pipeline/nightly/last_night.h"

#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "store/run_store.h"

namespace rewrought::pipeline {
namespace {

// The maximum number of runs, of any kind, to search for the previous nightly run, newest first.
constexpr int64_t kMostRuns = 1000;

}  // namespace

std::string TextOf(const LastNight& night) {
  std::string text;
  for (const auto& [machine, pack] : night.packs) {
    absl::StrAppend(&text, "pack ", machine, " ", pack.exported, " ", pack.blocked, "\n");
  }
  for (const auto& [id, cycles] : night.worth) absl::StrAppendFormat(&text, "%s %.17g\n", id, cycles);
  return text;
}

LastNight ParseNight(absl::string_view text) {
  LastNight night;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    double cycles = 0;
    PackCounts pack;
    if (words.size() == 2 && absl::SimpleAtod(words[1], &cycles)) night.worth[words[0]] = cycles;
    if (words.size() == 4 && words[0] == "pack" && absl::SimpleAtoi(words[2], &pack.exported) &&
        absl::SimpleAtoi(words[3], &pack.blocked)) {
      night.packs[words[1]] = pack;
    }
  }
  return night;
}

absl::StatusOr<LastNight> ReadLastNight(store::Store* store, absl::string_view own) {
  absl::StatusOr<std::vector<store::RunRecord>> newest = store::RunStore(store).ListRuns(std::nullopt, kMostRuns);
  if (!newest.ok()) return newest.status();
  for (const store::RunRecord& run : *newest) {
    if (run.kind == "nightly" && run.state == v1::RUN_STATE_DONE && run.id != own) return ParseNight(run.cursor);
  }
  return LastNight();
}

}  // namespace rewrought::pipeline

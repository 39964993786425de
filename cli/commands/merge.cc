// rewrought merge: merges shards into one database.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/verified_note.h"
#include "pipeline/evidence/merge_verified.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/settle.h"
#include "pipeline/watch/time_left.h"
#include "store/maintenance/copy.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> shards;
  bool no_settle = false, json = false;
};

Json ToJson(const std::string& shard, const pipeline::VerifiedMergeReport& report) {
  const store::MergeReport& merged = report.merged;
  Json refused = Json::array();
  for (const pipeline::RefusedRule& rule : report.refused) {
    refused.push_back({{"id", rule.id}, {"rule", rule.rule}, {"reason", rule.reason}});
  }
  return {{"shard", shard},
          {"shaders", merged.shaders},
          {"fragments", merged.fragments},
          {"sites", merged.sites},
          {"attempts", merged.attempts},
          {"verdicts", merged.verdicts},
          {"rules", merged.rules},
          {"contradictions", merged.contradictions},
          {"verified", report.verified},
          {"refused", refused}};
}

void Print(const std::string& shard, const pipeline::VerifiedMergeReport& report) {
  const store::MergeReport& merged = report.merged;
  std::cout << absl::StrFormat("%s: %d shaders, %d fragments, %d attempts, %d verdicts, %d rules, %d contradictions\n",
                               shard, merged.shaders, merged.fragments, merged.attempts, merged.verdicts, merged.rules,
                               merged.contradictions);
  if (report.verified > 0) std::cout << absl::StrFormat("  %d rules verified%s\n", report.verified, SecretNote());
  for (const pipeline::RefusedRule& rule : report.refused)
    std::cout << "  refused: " << rule.rule << ": " << rule.reason << "\n";
}

// Merges `shards` with pipeline::MergeAllVerified and prints a report for each shard. Returns false if the command must
// end.
bool MergeSome(const std::vector<std::string>& shards, const Options& options, const pipeline::MergeProgress& progress,
               const pipeline::RuleVerifier& verifier, store::Store* store, Context* context) {
  std::vector<store::LocalCopy> copies;
  std::vector<std::string> paths;
  for (const std::string& shard : shards) {
    absl::StatusOr<store::LocalCopy> local = store::LocalCopy::Of(shard);
    if (!local.ok()) return Fail(context, local.status().message()), false;
    paths.push_back(local->path());
    copies.push_back(*std::move(local));
  }
  const absl::Status status = pipeline::MergeAllVerified(
      store, paths, verifier, progress, [&](size_t i, const pipeline::VerifiedMergeReport& report) {
        options.json ? PrintJson(ToJson(shards[i], report)) : Print(shards[i], report);
        std::cout << std::flush;
        if (report.merged.contradictions > 0 || !report.refused.empty()) context->exit_code = kNo;
      });
  if (absl::IsCancelled(status)) return false;
  if (!status.ok()) return Fail(context, status.message()), false;
  return !context->stop.stop_requested();
}

// Returns the sizes of the files in bytes. The size of a missing file is 0; the merge reports such files.
std::vector<double> SizesOf(const std::vector<std::string>& files) {
  std::vector<double> sizes;
  for (const std::string& file : files) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(file, error);
    sizes.push_back(error ? 0 : static_cast<double>(size));
  }
  return sizes;
}

void Run(const Options& options, Context* context) {
  const store::OpenMode mode = options.shards.empty() ? store::OpenMode::kReadWrite : store::OpenMode::kCreate;
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, mode);
  if (!store.ok()) return Fail(context, store.status().message());
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return Fail(context, solvers.status().message());
  pipeline::RuleVerifierOptions verify;
  verify.stop = context->stop.get_token();
  const pipeline::RuleVerifier verifier(*solvers, verify);
  Progress progress("merge");
  pipeline::TimeEstimate left;  // assumes that the time for a shard is proportional to its size
  const std::vector<double> bytes = SizesOf(options.shards);
  const double all = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  double done = 0;
  const size_t count = options.shards.size();
  for (size_t first = 0; first < count; first += store::kMostShards) {
    const size_t end = std::min(count, first + store::kMostShards);
    const double some = std::accumulate(bytes.begin() + first, bytes.begin() + end, 0.0);
    const std::string which = end - first == 1 ? absl::StrFormat("shard %d of %d; ", end, count)
                                               : absl::StrFormat("shards %d to %d of %d; ", first + 1, end, count);
    pipeline::MergeProgress show;
    show.verified = ShowVerified(&progress);
    show.written = [&](double share) {
      progress.Show(absl::StrCat(which, left.Now(done + share * some, all)));
      return !context->stop.stop_requested();
    };
    const std::vector<std::string> shards(options.shards.begin() + first, options.shards.begin() + end);
    if (!MergeSome(shards, options, show, verifier, store->get(), context)) return;
    done += some;
  }
  if (options.no_settle) return;
  const absl::Status settled =
      pipeline::SettleRules(store->get(), context->stop.get_token(),
                            [&](const std::string& machine) { progress.Show("measuring savings: " + machine); });
  if (!settled.ok() && !context->stop.stop_requested()) Fail(context, settled.message());
}

}  // namespace

void AddMergeCommand(CLI::App* command, Context* context) {
  static Options options;
  command->add_option("SHARD", options.shards, "databases to add; they are not changed");
  AddDatabaseOption(command, context);
  command->add_flag("--no-settle", options.no_settle,
                    "do not recompute redundant rules and savings; a final merge without this option, and even "
                    "without shards, does so");
  AddJsonOption(command, &options.json, "one JSON object per shard");
  command->footer(
      "A shard's rules are not trusted: rules that this installation did not find or verify itself are first\n"
      "verified by both solvers, and rules that do not hold are refused. The merge then recomputes which rules\n"
      "are redundant and how much each rule saves. If it is stopped or killed, running the same command again\n"
      "resumes it.\n"
      "Exit code 1: a rule was refused, or two databases contradict each other about a case.\n"
      "Example:\n"
      "  rewrought merge shard0.db shard1.db --db all.db\n"
      "  rewrought merge shard2.db --db all.db --no-settle; rewrought merge --db all.db");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli

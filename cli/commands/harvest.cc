// rewrought harvest: reads shaders from files, folders, and archives into the database.
#include "pipeline/harvest.h"

#include <iostream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/run_json.h"
#include "cli/shard_option.h"
#include "cli/tree_rules.h"
#include "corpus/baseline.h"
#include "corpus/glsl/glsl_compilers.h"
#include "corpus/glsl/lockdown.h"
#include "pipeline/watch/time_left.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string source, baseline, shard;
  std::vector<std::string> include_folders;
  corpus::FragmentOptions fragments;
  bool json = false, held_out = false, confined = false;
};

// The number of threads that read shaders under the seccomp filter. Each of them may need a compiler process and a
// database connection, which cannot be created once the filter is active. The file reader and the writer also need one
// connection each.
constexpr int kConfinedThreads = 2;
constexpr int kConfinedReaders = kConfinedThreads + 2;

void PrintCounts(const char* title, const std::map<std::string, uint64_t>& counts, size_t most) {
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace_back(count, name);
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted.empty()) return;
  std::cout << title << "\n";
  for (size_t i = 0; i < sorted.size() && i < most; ++i) {
    std::cout << absl::StrFormat("  %9d  %s\n", sorted[i].first, sorted[i].second);
  }
  if (sorted.size() > most) std::cout << absl::StrFormat("  %9s  %d more\n", "", sorted.size() - most);
}

// Prints the number of skipped inputs for each reason, and the first inputs of each.
void PrintSkipped(const pipeline::HarvestReport& report) {
  constexpr uint64_t kNamed = 5;
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [reason, count] : report.reasons) sorted.emplace_back(count, reason);
  std::sort(sorted.begin(), sorted.end());  // rare reasons first, so that a single unreadable file is not overlooked
  if (!sorted.empty()) std::cout << "skipped, by reason:\n";
  for (const auto& [count, reason] : sorted) {
    std::cout << absl::StrFormat("  %9d  %s\n", count, reason);
    uint64_t named = 0;
    for (const corpus::SkippedInput& input : report.skipped_inputs) {
      if (corpus::ReasonKey(input.reason) != reason || named == kNamed) continue;
      std::cout << absl::StrFormat("  %9s    %s\n", "", input.name);
      ++named;
    }
    if (count > named) std::cout << absl::StrFormat("  %9s    and %d more\n", "", count - named);
  }
}

// Prints the number of notes for each text, and the first places of each.
void PrintNotes(const pipeline::HarvestReport& report) {
  constexpr uint64_t kNamed = 3;
  if (!report.notes.empty()) std::cout << "notes:\n";
  for (const auto& [note, count] : report.notes) {
    std::cout << absl::StrFormat("  %9d  %s\n", count, note);
    uint64_t named = 0;
    for (const corpus::NotedPlace& place : report.noted) {
      if (place.note != note || named == kNamed) continue;
      const std::string line = place.line == 0 ? "" : absl::StrCat(":", place.line);
      std::cout << absl::StrFormat("  %9s    %s%s\n", "", place.name, line);
      ++named;
    }
    if (count > named) std::cout << absl::StrFormat("  %9s    and %d more\n", "", count - named);
  }
}

// Starts the processes that the harvest needs, then drops all privileges that it does not need (corpus::LockDown).
absl::Status Confine(corpus::GlslCompilers* compilers, pipeline::HarvestOptions* harvest) {
  harvest->threads = kConfinedThreads;
  harvest->glsl.compilers = compilers;
  harvest->glsl.compiler.clear();
  compilers->StartAhead(kConfinedThreads);  // if this fails, the harvest skips GLSL shaders and reports why
  return corpus::LockDown(corpus::Forks::kNo);
}

void Run(const Options& options, Context* context) {
  const absl::StatusOr<Shard> shard = ReadShard(options.shard);
  if (!shard.ok()) return Fail(context, shard.status().message());
  const absl::StatusOr<std::optional<corpus::Baseline>> baseline = ReadBaseline("harvest", options.baseline);
  if (!baseline.ok()) return Fail(context, baseline.status().message());
  absl::StatusOr<std::unique_ptr<store::Store>> store =
      OpenDatabase(*context, store::OpenMode::kCreate, /*durable=*/true, options.confined ? kConfinedReaders : 0);
  if (!store.ok()) return Fail(context, store.status().message());
  std::vector<corpus::HarvestInput> inputs;
  for (const std::string& path : options.paths)
    inputs.push_back({path, options.source, options.held_out, options.include_folders});
  Progress progress("harvest");
  pipeline::HarvestOptions harvest;
  harvest.stop = context->stop.get_token();
  harvest.fragments = options.fragments;
  harvest.shard = {static_cast<uint32_t>(shard->shard), static_cast<uint32_t>(shard->shards)};
  if (baseline->has_value()) harvest.baseline = &**baseline;
  pipeline::TimeEstimate left;
  harvest.progress = [&](const pipeline::HarvestReport& report) {
    progress.Show(absl::StrFormat("%d shaders, %d new, %d skipped, %d distinct fragments; %s", report.shaders,
                                  report.added, report.skipped, report.distinct,
                                  left.Now(static_cast<double>(report.bytes_done), static_cast<double>(report.bytes))));
  };
  corpus::GlslCompilers compilers;
  if (options.confined) {
    if (absl::Status confined = Confine(&compilers, &harvest); !confined.ok()) return Fail(context, confined.message());
  }
  const absl::StatusOr<pipeline::HarvestReport> report = pipeline::Harvest(store->get(), inputs, harvest);
  if (!report.ok()) return Fail(context, report.status().message());
  for (const corpus::SkippedInput& skipped : report->skipped_inputs)
    std::cerr << "rewrought harvest: skipped " << skipped.name << ": " << skipped.reason << "\n";
  for (const auto& [reason, count] : report->reasons) {
    if (count <= pipeline::kMaxSkippedNames) continue;
    std::cerr << "rewrought harvest: skipped " << count - pipeline::kMaxSkippedNames << " more: " << reason << "\n";
  }
  // One shard of several may have no shaders.
  if (report->shaders == 0 && !report->interrupted && harvest.shard.shards <= 1) {
    Fail(context, absl::StrCat("harvest: no shader could be read; ",
                               report->skipped == 0 ? "the inputs contain no files" : "the reasons are above",
                               ". docs/commands.md lists the formats"));
  }
  if (options.json) {
    Json object = ToJson(*report);
    if (baseline->has_value()) object["rewritten"] = report->rewritten;
    return PrintJson(object);
  }
  std::cout << absl::StrFormat("%d shaders: %d new, %d skipped; %d fragment sites, %d distinct fragments\n",
                               report->shaders, report->added, report->skipped, report->fragments, report->distinct);
  if (baseline->has_value()) std::cout << absl::StrFormat("the baseline made %d rewrites\n", report->rewritten);
  PrintSkipped(*report);
  PrintCounts("NIR text:", report->versions, 20);
  PrintNotes(*report);
  PrintCounts("ops:", report->ops, 20);
  PrintCounts("opaque values:", report->opaque, 20);
}

}  // namespace

void AddHarvestCommand(CLI::App* command, Context* context) {
  static Options options;
  command->add_option("PATH", options.paths, "files, folders, archives (.zip, .tar.xz, .foz, …)")->required();
  AddDatabaseOption(command, context);
  command->add_option("--include", options.include_folders,
                      "folder to search for files that GLSL and HLSL include, besides each PATH; may be repeated");
  command->add_option("--source", options.source, "name of the shaders' source (default: derived from the path)");
  command->add_flag("--held-out", options.held_out,
                    "measure rules on these shaders, but never discover rules from them");
  command->add_option(
      "--baseline", options.baseline,
      "src/compiler/nir of a Mesa tree: apply its rules to each shader first, so that discovery finds rules "
      "that the tree lacks; NIR text is not changed (python3 runs the tree's rule files)");
  command->add_flag(
      "--confined", options.confined,
      "for untrusted files: before reading them, give up the rights to use the network, to start programs, and "
      "to write to anything but the database");
  AddShardOption(command, &options.shard,
                 "read only part K of N of the files and archive members, so that several machines share the work");
  command->add_option("--max-ops", options.fragments.max_ops, "maximum number of ops in a fragment")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  command
      ->add_option("--max-variables", options.fragments.max_variables,
                   "maximum number of inputs of a fragment, besides constants")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  AddJsonOption(command, &options.json, "one JSON object instead of the table,");
  command->footer(
      "Each shader is split into fragments, which are expressions of a few ops and inputs; `rewrought discover`\n"
      "then searches for better code for them. Shaders that were already read with the same limits are skipped.\n"
      "Examples:\n"
      "  rewrought harvest shaders/ --db my.db --source mygame\n"
      "  rewrought harvest nir-dumps.tar.xz --db my.db --source driver --held-out\n"
      "  rewrought harvest shaders/ --db my.db --baseline mesa/src/compiler/nir\n"
      "  rewrought harvest nir/ --db my.db --max-ops 6 --max-variables 4");
  command->callback([context] { Run(options, context); });
}

}  // namespace rewrought::cli

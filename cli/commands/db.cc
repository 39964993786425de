// rewrought db: checks, compacts, backs up, and restores a database file, or writes a part of it to another file.
#include <iostream>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/shard_option.h"
#include "store/maintenance/check.h"
#include "store/maintenance/compact.h"
#include "store/maintenance/copy.h"
#include "store/shards/part.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string file;  // the file that contains the backup or the part
  std::string shard;
  int64_t keep_days = -1;
  bool quick = false, json = false;
};

void FailOrStop(Context* context, const absl::Status& status) {
  if (!context->stop.stop_requested()) return Fail(context, status.message());
  context->exit_code = kInterrupted;
}

void Check(const Options& options, Context* context) {
  Progress progress("db check");
  store::CheckOptions check;
  check.quick = options.quick;
  check.progress = [&](const std::string& stage) {
    progress.Show(stage);
    return !context->stop.stop_requested();
  };
  const absl::StatusOr<store::CheckReport> report = store::CheckDatabase(context->db, check);
  if (!report.ok()) return FailOrStop(context, report.status());
  context->exit_code = report->faults.empty() ? kYes : kNo;
  if (options.json) {
    Json faults = Json::array();
    for (const store::Fault& fault : report->faults) {
      faults.push_back({{"kind", fault.kind}, {"what", fault.what}, {"remedy", fault.remedy}});
    }
    return PrintJson(Json{{"db", context->db},
                          {"version", report->version},
                          {"bytes", report->bytes},
                          {"pages", report->pages},
                          {"free_pages", report->free_pages},
                          {"quick", options.quick},
                          {"faults", faults}});
  }
  std::string remedy;
  for (const store::Fault& fault : report->faults) {
    std::cout << context->db << ": " << fault.kind << ": " << fault.what << "\n";
    if (fault.remedy != remedy) std::cout << "  remedy: " << fault.remedy << "\n";
    remedy = fault.remedy;
  }
  std::cout << absl::StrFormat("%s: %s; %d bytes, %d of %d pages free, schema version %d%s\n", context->db,
                               report->faults.empty() ? "intact" : "damaged", report->bytes, report->free_pages,
                               report->pages, report->version, options.quick ? " (rows and indexes not checked)" : "");
}

void Compact(const Options& options, Context* context) {
  store::CompactOptions compact;
  if (options.keep_days >= 0) compact.forget_runs_before = absl::Now() - absl::Hours(24 * options.keep_days);
  const absl::StatusOr<store::CompactReport> report = store::CompactDatabase(context->db, compact);
  if (!report.ok()) return Fail(context, report.status().message());
  if (options.json) {
    return PrintJson(Json{{"db", context->db},
                          {"bytes_before", report->bytes_before},
                          {"bytes_after", report->bytes_after},
                          {"runs_forgotten", report->runs_forgotten}});
  }
  std::cout << absl::StrFormat("%s: %d bytes, previously %d; %d runs deleted\n", context->db, report->bytes_after,
                               report->bytes_before, report->runs_forgotten);
}

using CopyFunction = absl::StatusOr<store::CopyReport> (*)(const std::string&, const std::string&,
                                                           const store::CopyProgress&);

void Copy(const char* what, CopyFunction copy, const std::string& from, const std::string& to, const Options& options,
          Context* context) {
  Progress progress(what);
  const absl::StatusOr<store::CopyReport> report = copy(from, to, [&](double share) {
    progress.Show(absl::StrFormat("%.0f %%", 100 * share));
    return !context->stop.stop_requested();
  });
  if (!report.ok()) return FailOrStop(context, report.status());
  if (options.json) {
    return PrintJson(Json{{"from", from}, {"to", to}, {"bytes", report->bytes}, {"set_aside", report->set_aside}});
  }
  std::cout << absl::StrFormat("%s: %d bytes, copied from %s\n", to, report->bytes, from);
  if (!report->set_aside.empty()) std::cout << "the damaged database was moved to " << report->set_aside << "\n";
}

void Part(const Options& options, Context* context) {
  const absl::StatusOr<Shard> shard = ReadShard(options.shard);
  if (!shard.ok()) return Fail(context, shard.status().message());
  const absl::StatusOr<store::PartReport> report =
      store::WritePart(context->db, options.file, shard->shard, shard->shards);
  if (!report.ok()) return Fail(context, report.status().message());
  if (options.json) {
    return PrintJson(Json{{"from", context->db},
                          {"to", options.file},
                          {"shard", options.shard},
                          {"fragments", report->fragments},
                          {"sites", report->sites},
                          {"shaders", report->shaders},
                          {"bytes", report->bytes}});
  }
  std::cout << absl::StrFormat("%s: part %s of %s: %d fragments, %d site rows in %d shaders, %d bytes\n", options.file,
                               options.shard, context->db, report->fragments, report->sites, report->shaders,
                               report->bytes);
}

CLI::App* AddSubcommand(CLI::App* command, Context* context, Options* options, const char* name, const char* help) {
  CLI::App* const added = command->add_subcommand(name, help);
  AddDatabaseOption(added, context);
  AddJsonOption(added, &options->json, "one JSON object");
  return added;
}

}  // namespace

void AddDbCommand(CLI::App* command, Context* context) {
  static Options options;
  command->require_subcommand(1);
  CLI::App* const check = AddSubcommand(command, context, &options, "check",
                                        "Checks the database's integrity; lists damaged pages and rows");
  check->add_flag("--quick", options.quick, "check pages only, not rows or indexes");
  check->callback([context] { Check(options, context); });
  CLI::App* const compact =
      AddSubcommand(command, context, &options, "compact", "Shrinks the file, and deletes old runs if asked to");
  compact
      ->add_option(
          "--keep-runs", options.keep_days,
          "DAYS: delete runs that ended more than DAYS days ago, except the newest of each kind and configuration, "
          "those that can be resumed, and those that found a rule (default: keep all)")
      ->check(CLI::Range(0, 36500));
  compact->callback([context] { Compact(options, context); });
  CLI::App* const backup = AddSubcommand(command, context, &options, "backup",
                                         "Copies the database to a file; other processes may keep writing");
  backup->add_option("FILE", options.file, "the backup file, which appears only when it is complete")->required();
  backup->callback([context] { Copy("db backup", store::BackUp, context->db, options.file, options, context); });
  CLI::App* const restore = AddSubcommand(command, context, &options, "restore", "Replaces the database with a backup");
  restore->add_option("FILE", options.file, "the backup file")->required();
  restore->callback([context] { Copy("db restore", store::Restore, options.file, context->db, options, context); });
  CLI::App* const part = AddSubcommand(command, context, &options, "part",
                                       "Writes the data that one of several nodes needs to search its part");
  part->add_option("FILE", options.file, "the part's file, which appears only when it is complete")->required();
  AddShardOption(part, &options.shard, "write the fragments that `rewrought discover --shard K/N` searches")
      ->required();
  part->callback([context] { Part(options, context); });
  command->footer(
      "If any of these commands is killed, the existing files are left unchanged.\n"
      "Exit code 1: the database is damaged.\n"
      "Examples:\n"
      "  rewrought db check --db my.db\n"
      "  rewrought db backup backups/monday.db --db my.db\n"
      "  rewrought db restore backups/monday.db --db my.db\n"
      "  rewrought db compact --db my.db --keep-runs 90\n"
      "  rewrought db part parts/2.db --shard 2/16 --db my.db");
}

}  // namespace rewrought::cli

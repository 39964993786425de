// rewrought db: checks, compacts, backs up, and restores a database file, or writes a part of it to another file.
#include <iostream>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/database.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "cli/shard_option.h"
#include "pipeline/repair_rules.h"
#include "store/maintenance/check.h"
#include "store/maintenance/compact.h"
#include "store/maintenance/copy.h"
#include "store/shards/part.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::cli {
namespace {

struct Options {
  std::string file;  // the file that contains the backup or the part
  std::string shard;
  int64_t keep_days = -1;
  bool quick = false, repair = false, json = false;
};

void FailOrStop(Context* context, const absl::Status& status) {
  if (!context->stop.stop_requested()) return Fail(context, status.message());
  context->exit_code = kInterrupted;
}

Json ToJson(const pipeline::RepairReport& report) {
  const auto list = [](const std::vector<pipeline::RepairedRule>& rules) {
    Json objects = Json::array();
    for (const pipeline::RepairedRule& rule : rules) {
      objects.push_back({{"id", rule.id}, {"rule", rule.rule}});
      if (!rule.reason.empty()) objects.back()["reason"] = rule.reason;
    }
    return objects;
  };
  return {{"rules", report.rules},
          {"verified", report.verified},
          {"restored", list(report.restored)},
          {"lost", list(report.failed)},
          {"contradictions", report.contradictions}};
}

void Print(const pipeline::RepairReport& report) {
  for (const pipeline::RepairedRule& rule : report.restored)
    std::cout << "restored: " << rule.id.substr(0, 12) << " " << rule.rule << "\n";
  for (const pipeline::RepairedRule& rule : report.failed)
    std::cout << "lost: " << rule.id.substr(0, 12) << " " << rule.rule << ": " << rule.reason << "\n";
  std::cout << absl::StrFormat("%d rules: %d proved again, %d restored, %d lost; %d contradictions removed\n",
                               report.rules, report.verified, report.restored.size(), report.failed.size(),
                               report.contradictions);
}

// Proves the database's rules again, after a check that found no faults. Returns nullopt if the command must end.
std::optional<pipeline::RepairReport> Repair(Context* context) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = OpenDatabase(*context, store::OpenMode::kReadWrite);
  if (!store.ok()) return FailOrStop(context, store.status()), std::nullopt;
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
  if (!solvers.ok()) return FailOrStop(context, solvers.status()), std::nullopt;
  pipeline::RuleVerifierOptions verify;
  verify.stop = context->stop.get_token();
  Progress progress("db check");
  absl::StatusOr<pipeline::RepairReport> report = pipeline::RepairRules(
      store->get(), pipeline::RuleVerifier(*solvers, verify), [&](const std::string& step) { progress.Show(step); });
  if (!report.ok()) return FailOrStop(context, report.status()), std::nullopt;
  return *std::move(report);
}

void Check(const Options& options, Context* context) {
  std::optional<Progress> progress("db check");
  store::CheckOptions check;
  check.quick = options.quick;
  check.progress = [&](const std::string& stage) {
    progress->Show(stage);
    return !context->stop.stop_requested();
  };
  const absl::StatusOr<store::CheckReport> report = store::CheckDatabase(context->db, check);
  progress.reset();
  if (!report.ok()) return FailOrStop(context, report.status());
  std::optional<pipeline::RepairReport> repaired;
  if (options.repair && report->faults.empty()) {
    repaired = Repair(context);
    if (!repaired.has_value()) return;
  }
  context->exit_code = report->faults.empty() && (!repaired.has_value() || repaired->failed.empty()) ? kYes : kNo;
  if (options.json) {
    Json faults = Json::array();
    for (const store::Fault& fault : report->faults) {
      faults.push_back({{"kind", fault.kind}, {"what", fault.what}, {"remedy", fault.remedy}});
    }
    Json object{{"db", context->db},      {"version", report->version},       {"bytes", report->bytes},
                {"pages", report->pages}, {"free_pages", report->free_pages}, {"quick", options.quick},
                {"faults", faults}};
    if (repaired.has_value()) object["repair"] = ToJson(*repaired);
    return PrintJson(object);
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
  if (repaired.has_value()) Print(*repaired);
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
  check->add_flag("--repair", options.repair,
                  "if there are no faults, also prove rules again that this installation has not proved: restore those "
                  "that hold, and mark the others as lost");
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
      "Exit code 1: the database is damaged, or --repair marked a rule as lost.\n"
      "Examples:\n"
      "  rewrought db check --db my.db\n"
      "  rewrought db check --repair --db my.db\n"
      "  rewrought db backup backups/monday.db --db my.db\n"
      "  rewrought db restore backups/monday.db --db my.db\n"
      "  rewrought db compact --db my.db --keep-runs 90\n"
      "  rewrought db part parts/2.db --shard 2/16 --db my.db");
}

}  // namespace rewrought::cli

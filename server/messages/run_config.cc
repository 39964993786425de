#include "server/messages/run_config.h"

#include <cmath>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "machine/machine.h"
#include "server/messages/status.h"
#include "server/messages/verdict_proto.h"
#include "store/database_lock.h"

namespace rewrought::rpc {
namespace {

absl::Status CheckPaths(const v1::NightlyConfig& config) {
  constexpr char kHarvest[] = "a run over the service uses stored shaders; add shaders with `rewrought harvest`";
  constexpr char kNightly[] =
      "the service does not read or write files for callers; use `rewrought nightly` or `export`";
  if (config.corpus_size() > 0) return FieldError("config.corpus", kHarvest);
  if (!config.export_dir().empty()) return FieldError("config.export_dir", kNightly);
  if (config.export_formats_size() > 0) return FieldError("config.export_formats", kNightly);
  if (!config.db().empty()) return FieldError("config.db", "the service has one database; leave this empty");
  if (!config.waiver_file().empty()) return FieldError("config.waiver_file", kNightly);
  if (!config.report_file().empty()) return FieldError("config.report_file", kNightly);
  return absl::OkStatus();
}

absl::Status CheckMachines(const v1::NightlyConfig& config) {
  if (config.machines_size() == 0) return FieldError("config.machines", "is empty; name at least one");
  std::set<std::string> seen;
  for (int i = 0; i < config.machines_size(); ++i) {
    const std::string field = absl::StrCat("config.machines[", i, "]");
    const auto machine = machine::FindMachine(config.machines(i));
    if (!machine.ok()) return FieldError(field, machine.status().message());
    if (!seen.insert(config.machines(i)).second) return FieldError(field, "is named twice");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRunConfig(const v1::NightlyConfig& config) {
  if (absl::Status status = CheckPaths(config); !status.ok()) return status;
  if (absl::Status status = CheckMachines(config); !status.ok()) return status;
  if (!std::isfinite(config.budget().seconds()) || config.budget().seconds() < 0) {
    return FieldError("config.budget.seconds", "must be a finite, non-negative number of seconds");
  }
  for (int i = 0; i < config.modes_size(); ++i) {
    const auto mode = ModeFromProto(config.modes(i), absl::StrCat("config.modes[", i, "]"));
    if (!mode.ok()) return mode.status();
  }
  if (config.shards() > 0 ? config.shard() >= config.shards() : config.shard() != 0) {
    return FieldError("config.shard", "must be between 0 and `shards` - 1");
  }
  if (config.shards() > store::DatabaseLock::kSlots) {
    return FieldError("config.shards", absl::StrCat("must be at most ", store::DatabaseLock::kSlots));
  }
  if (config.max_variables() > 16)
    return FieldError("config.max_variables", "must be at most 16; no driver matches more");
  if (config.max_ops() > 16)
    return FieldError("config.max_ops", "must be at most 16, the size of the largest fragments");
  return absl::OkStatus();
}

}  // namespace rewrought::rpc
